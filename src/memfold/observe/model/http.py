"""One bounded POST of JSON to a model's server: a deadline for all of it, and a size limit.

The standard library's client: a daemon that never asks a model pays nothing for it.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from memfold.errors import InvalidInput
from memfold.observe.model.port import (
    AuthFailed,
    BadReply,
    ModelTrouble,
    QuotaSpent,
    RateLimited,
    Rejected,
    ServerFailed,
    TimedOut,
)

MAX_REPLY_BYTES = 4 * 1024 * 1024
_CHUNK = 65_536
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_MOST_WAIT_S = 86_400.0
_QUOTA = ("insufficient_quota", "billing", "credit balance", "quota exceeded", "out of credit")


class Server:
    """Where a model's API is, and what every call carries. Raises InvalidInput."""

    def __init__(self, base_url: str, headers: Mapping[str, str], *, secret: bool) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidInput(
                f"`observer_base_url` is {base_url[:100]!r}; it must be an http or https address.",
                "Give one such as http://127.0.0.1:11434/v1.",
            )
        if secret and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
            raise InvalidInput(
                f"`observer_base_url` goes to {parts.hostname} by plain http; the key stays here.",
                "Use https, or take the key away.",
            )
        self.host = parts.hostname
        self.local = parts.hostname in _LOOPBACK
        self._https = parts.scheme == "https"
        self._port = parts.port
        self._path = parts.path.rstrip("/")
        self._headers = {
            "content-type": "application/json",
            "accept": "application/json",
            "accept-encoding": "identity",
            **headers,
        }
        self._lock = threading.Lock()
        self._open: socket.socket | None = None
        self._ended = False

    def post(self, path: str, payload: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """The decoded answer. Raises ModelTrouble by what went wrong."""
        until = time.monotonic() + timeout_s
        late = threading.Event()
        guard = threading.Timer(timeout_s, self._shut, (late,))
        guard.daemon = True
        guard.start()
        try:
            return self._exchange(path, json.dumps(payload).encode(), until)
        except (OSError, http.client.HTTPException) as error:
            if late.is_set() or isinstance(error, TimeoutError):
                raise TimedOut(f"{self.host} did not answer within {timeout_s:.0f} s.") from error
            raise ServerFailed(
                f"The connection to {self.host} failed ({type(error).__name__})."
            ) from error
        except ModelTrouble as trouble:
            if late.is_set():  # an answer that was shut off in the middle looks like a bad one
                raise TimedOut(f"{self.host} did not answer within {timeout_s:.0f} s.") from trouble
            raise
        finally:
            guard.cancel()

    def cancel(self) -> None:
        self._ended = True
        self._shut(None)

    def _shut(self, late: threading.Event | None) -> None:
        if late is not None:
            late.set()
        with self._lock:
            if self._open is not None:
                try:
                    self._open.shutdown(socket.SHUT_RDWR)
                except OSError:
                    return  # it is closed already, which is what was wanted

    def _exchange(self, path: str, body: bytes, until: float) -> dict[str, Any]:
        if self._ended:
            raise ServerFailed("memfold is ending.")
        left = max(until - time.monotonic(), 0.001)
        made: http.client.HTTPConnection
        if self._https:
            context = ssl.create_default_context()
            made = http.client.HTTPSConnection(self.host, self._port, timeout=left, context=context)
        else:
            made = http.client.HTTPConnection(self.host, self._port, timeout=left)
        try:
            made.connect()
            with self._lock:
                self._open = made.sock
            made.request("POST", self._path + path, body, self._headers)
            answer = made.getresponse()
            raw = self._body(answer)
        finally:
            with self._lock:
                self._open = None
            made.close()
        if answer.status != 200:
            raise self._trouble(answer.status, dict(_lower(answer.getheaders())), raw)
        return self._decoded(raw)

    def _body(self, answer: http.client.HTTPResponse) -> bytes:
        parts: list[bytes] = []
        size = 0
        while chunk := answer.read1(_CHUNK):
            size += len(chunk)
            if size > MAX_REPLY_BYTES:
                raise BadReply(f"{self.host} answered with more than {MAX_REPLY_BYTES:,} bytes.")
            parts.append(chunk)
        length = answer.getheader("content-length", "")
        if length.isdigit() and size < int(length):
            raise ServerFailed(f"{self.host} closed the connection in the middle of its answer.")
        return b"".join(parts)

    def _decoded(self, raw: bytes) -> dict[str, Any]:
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise BadReply(f"{self.host} did not answer in JSON.") from error
        if not isinstance(value, dict):
            raise BadReply(f"{self.host} did not answer with a JSON object.")
        return value

    def _trouble(self, status: int, headers: Mapping[str, str], raw: bytes) -> ModelTrouble:
        said = raw[:4_000].decode("utf-8", "replace").lower()
        wait = retry_after_s(headers)
        told = f"{self.host} answered with status {status}"
        if status == 402 or any(mark in said for mark in _QUOTA):
            return QuotaSpent(f"{told}: the account's credit is used up.", retry_after_s=wait)
        if status == 429:
            return RateLimited(f"{told}: too many calls for now.", retry_after_s=wait)
        if status in {401, 403}:
            return AuthFailed(f"{told}: the key is missing or not accepted.")
        if status >= 500 or status in {408, 409}:
            return ServerFailed(f"{told}.", retry_after_s=wait)
        return Rejected(f"{told}: it does not accept the call; check the model's name.")


def _lower(headers: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    return ((name.lower(), value) for name, value in headers)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """What the server asks for, in seconds; None where it does not or makes no sense."""
    given = headers.get("retry-after", "") or ""
    try:
        seconds = float(given)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(given).timestamp() - time.time()
        except (TypeError, ValueError):
            return None
    return min(seconds, _MOST_WAIT_S) if seconds >= 0 else None
