"""Answers the hooks that wait while a cold daemon still imports its web server.

Most daemons are started by a session that begins and waits for its context. The house is ready
some 150 ms before uvicorn is; so until then the first hooks are answered here, by the same
functions. Whoever wants anything else is handed on to the server when it listens.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from contextlib import closing

from memfold import wire
from memfold.errors import MemfoldError
from memfold.front import Front

log = logging.getLogger(__name__)
FIRST_S = 0.05  # how soon the hook that started us rings, if one did
MOST_S = 1.0  # then the server must come, however many ring
READ_S = 5.0  # a hook sends its payload at once
SETTLE_S = 1.0
_STATUS = {200: "OK", 400: "Bad Request", 413: "Content Too Large", 503: "Service Unavailable"}


def answer_waiting(listener: socket.socket, front: Front) -> None:
    """Answer hooks until nobody waits. Never raises for what a caller sent."""
    until = time.monotonic() + MOST_S
    wait_s = FIRST_S
    while time.monotonic() < until:
        listener.settimeout(wait_s)
        try:
            peer, _ = listener.accept()
        except (TimeoutError, BlockingIOError):
            break
        peer.settimeout(READ_S)
        wait_s = 0.0
        try:
            head, body = _request(peer)
        except (OSError, ValueError) as error:
            log.info("a caller went away: %s", error)
            peer.close()
            continue
        if not head.startswith(b"POST /hook/"):
            threading.Thread(target=_hand_on, args=(peer, head + body), daemon=True).start()
            break
        with peer:
            _reply(peer, *_answer(front, head, body))
    listener.settimeout(None)


def _request(peer: socket.socket) -> tuple[bytes, bytes]:
    """(head with its blank line, body). Raises OSError, ValueError."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = peer.recv(65_536)
        if not part or len(data) > 1_000_000:
            raise ValueError("no whole request")
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(_header(head, b"content-length") or 0)
    parts, size = [body], len(body)
    while size < min(length, wire.MAX_BODY_BYTES + 1):
        part = peer.recv(1 << 20)
        if not part:
            raise ValueError("the request was cut off")
        parts.append(part)
        size += len(part)
    return head + b"\r\n\r\n", b"".join(parts)


def _header(head: bytes, name: bytes) -> str:
    for line in head.split(b"\r\n")[1:]:
        key, _, value = line.partition(b":")
        if key.strip().lower() == name:
            return value.strip().decode("latin-1")
    return ""


def _answer(front: Front, head: bytes, body: bytes) -> tuple[int, bytes]:
    host = head.split(b" ", 2)[1].removeprefix(b"/hook/").decode("latin-1")
    given = _header(head, b"x-memfold-at")
    at_ms = int(given) if given.isdigit() else time.time_ns() // 1_000_000
    if len(body) > wire.MAX_BODY_BYTES:
        return 413, b""
    try:
        taken = front.take_hook(host, body, at_ms)
        text = b""
        if taken.wants_context:
            front.settle(SETTLE_S)
            text = front.session_context(taken).encode("utf-8", "replace")
        front.after(taken)
    except MemfoldError as error:
        return error.status, b""
    except Exception:
        log.exception("a hook could not be taken")
        return 500, b""
    return 200, text


def _reply(peer: socket.socket, status: int, body: bytes) -> None:
    head = f"HTTP/1.1 {status} {_STATUS.get(status, 'Error')}\r\nContent-Length: {len(body)}\r\n"
    try:
        peer.sendall(
            head.encode() + b"Content-Type: text/plain\r\nConnection: close\r\n\r\n" + body
        )
    except OSError as error:
        log.info("a hook did not wait: %s", error)


def _hand_on(peer: socket.socket, request: bytes) -> None:
    """The request goes to the server through the front door, its answer back."""
    with peer:
        try:
            with closing(wire.connect(os.curdir, None)) as server:
                server.sendall(request)
                while part := server.recv(65_536):
                    peer.sendall(part)
        except OSError as error:
            log.info("a request could not be handed on: %s", error)
