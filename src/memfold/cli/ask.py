"""What commands say to the daemon, which is started where it is needed."""

from __future__ import annotations

import fcntl
import http.client
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from memfold import wire
from memfold.errors import DaemonUnavailable, MemfoldError
from memfold.hook import launch

ANSWER_S = 120.0  # a person waits for a large answer; Ctrl-C ends it
IMPORT_S = 900.0  # between two lines of progress: one huge file, or observing what was taken in
START_S = 15.0  # a slow disk or a migration; usually 0.3 s
END_S = 20.0  # the daemon finishes what it is doing
_GLANCE_S = 0.005


class Refused(MemfoldError):
    """The daemon's own refusal, worded there."""

    def __init__(self, code: str, message: str, next_step: str) -> None:
        super().__init__(message, next_step)
        self.code = code


def home() -> Path:
    """The data directory."""
    return Path(wire.home())


def absolute(path: str) -> str:
    """As the daemon must get it: it runs in another directory."""
    return str(Path(path).expanduser().absolute())


def quoted(part: str) -> str:
    """One part of a route."""
    return quote(part, safe="")


def get(path: str, **query: str) -> Any:
    return _decoded(*_exchange("GET", _with(path, query)))


def get_bytes(path: str, **query: str) -> bytes:
    status, body = _exchange("GET", _with(path, query))
    if status >= 400:
        raise _refusal(status, body)
    return body


def post(path: str, payload: Any) -> Any:
    """The decoded answer. Raises Refused with the daemon's own words."""
    return _decoded(*_exchange("POST", path, json.dumps(payload).encode()))


def stream(path: str, payload: Any, *, again: bool = True) -> Iterator[dict[str, Any]]:
    """Lines of JSON as they come. Raises Refused, also in the middle."""
    body = json.dumps(payload).encode()
    ensure_running()
    try:
        peer = wire.send("POST", path, body, timeout_s=IMPORT_S)
        with socket.socket(fileno=peer.detach()) as held:
            held.settimeout(IMPORT_S)  # a detached socket has forgotten that it may wait
            answer = http.client.HTTPResponse(held, method="POST")
            answer.begin()
            if answer.status >= 400:
                said = answer.read()
                if again and _is_unknown(answer.status, said) and _made_room():
                    yield from stream(path, payload, again=False)
                    return
                raise _refusal(answer.status, said)
            for line in answer:
                told = json.loads(line)
                if "error" in told:
                    raise _refusal(answer.status, line)
                yield told
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise DaemonUnavailable(
            "The daemon broke off.", "Run the command again; what it did so far is kept."
        ) from error


def is_running() -> bool:
    try:
        return wire.request("GET", "/health", timeout_s=ANSWER_S)[0] == 200
    except wire.NoDaemon:
        return False
    except OSError as error:
        raise _silent() from error


def ensure_running() -> None:
    """The daemon answers when this returns. Raises DaemonUnavailable."""
    if is_running():
        return
    try:
        launch.start(str(home()), sys.executable)
    except OSError as error:
        raise DaemonUnavailable(
            f"The daemon could not be started in {home()} ({error.strerror or error}).",
            "Make the data directory writable, or point MEMFOLD_HOME at another.",
        ) from error
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        if is_running():
            return
        time.sleep(_GLANCE_S)  # until its socket is there; nothing tells of it earlier
    raise DaemonUnavailable(
        "The daemon was started but does not listen.", f"Read {home() / 'daemon.log'}."
    )


def stop() -> bool:
    """The daemon is gone when this returns; False when none ran. Raises DaemonUnavailable."""
    try:
        wire.request("POST", "/stop", timeout_s=ANSWER_S)
    except wire.NoDaemon:
        return False
    except OSError as error:
        raise _silent() from error
    lock = os.open(home() / wire.LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        until = time.monotonic() + END_S
        while time.monotonic() < until:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_GLANCE_S)  # its lock is let go of as its process ends
            else:
                return True
    finally:
        os.close(lock)
    raise DaemonUnavailable("The daemon does not end.", f"Read {home() / 'daemon.log'}.")


def _exchange(method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
    try:
        status, answer = wire.request(method, path, body, timeout_s=ANSWER_S)
        if not _is_unknown(status, answer) or not _made_room():
            return status, answer
    except wire.NoDaemon:
        ensure_running()
    except OSError as error:
        raise _silent() from error
    try:
        return wire.request(method, path, body, timeout_s=ANSWER_S)
    except OSError as error:
        raise _silent() from error


def _is_unknown(status: int, answer: bytes) -> bool:
    """Whether there is no such route; our own refusals are JSON."""
    return status in {404, 405} and not answer.startswith(b"{")


def _made_room() -> bool:
    """Whether a daemon of an older memfold was replaced by one of this."""
    try:
        its = str(json.loads(wire.request("GET", "/status", timeout_s=ANSWER_S)[1])["version"])
    except wire.NoDaemon:
        its = ""  # it is gone already
    except (OSError, ValueError, KeyError) as error:
        raise _silent() from error
    if wire.numbers(its) >= wire.numbers(wire.VERSION):
        return False
    stop()
    ensure_running()
    return True


def _silent() -> DaemonUnavailable:
    return DaemonUnavailable(
        "The daemon does not answer.", f"Run `memfold stop`; {home() / 'daemon.log'} may say why."
    )


def _with(path: str, query: dict[str, str]) -> str:
    return f"{path}?{urlencode(query, errors='surrogateescape')}" if query else path


def _decoded(status: int, body: bytes) -> Any:
    if status >= 400:
        raise _refusal(status, body)
    try:
        return json.loads(body)
    except ValueError as error:
        raise _silent() from error


def _refusal(status: int, body: bytes) -> Refused:
    try:
        said = json.loads(body)["error"]
        return Refused(str(said["code"]), str(said["message"]), str(said["next_step"]))
    except (ValueError, KeyError, TypeError):
        log = home() / "daemon.log"
        return Refused("internal", f"The daemon answered with status {status}.", f"Read {log}.")
