"""The hooks' part of the HTTP door: events are taken in, starts and reads are answered."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Protocol

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from memfold.capture.intake import Taken
from memfold.errors import BadPayload, Busy, MemfoldError
from memfold.serve.turnstile import Turnstile
from memfold.wire import MAX_BODY_BYTES

BODY_S = 30.0  # a hook sends its payload at once
GATE_S = 0.2  # a read waits no longer for the gate
LOOK_S = 2.0  # after a hook was sent away: it has spooled by then
SETTLE_S = 1.0  # how long session start waits for what the last session left to observe


class HookRooms(Protocol):
    """What hooks need of the house behind the door."""

    def take_hook(self, host: str, body: bytes, at_ms: int) -> Taken: ...
    def settle(self, timeout_s: float) -> bool: ...
    def after(self, taken: Taken) -> None: ...
    def look_at_spool(self) -> None: ...
    def session_context(self, taken: Taken) -> str: ...
    def gate(self, host: str, body: bytes, wanted: Callable[[], bool]) -> bytes: ...


class HookDoor:
    """One host's event a request."""

    def __init__(self, rooms: HookRooms, clock: Callable[[], int], turnstile: Turnstile) -> None:
        self._rooms = rooms
        self._clock = clock
        self._turnstile = turnstile
        self._look: asyncio.TimerHandle | None = None

    def routes(self) -> tuple[Route, ...]:
        return (
            Route("/hook/{host:path}", self.hook, methods=["POST"]),
            Route("/gate/{host}", self.gate, methods=["POST"]),
        )

    async def hook(self, request: Request) -> Response:
        """A host's event. Answered once it is committed; refused with 503 where no more fit in."""
        given = request.headers.get("content-length", "")
        size = int(given) if given.isdigit() else MAX_BODY_BYTES
        if size > MAX_BODY_BYTES:
            raise TooLarge(f"A hook payload may have up to {MAX_BODY_BYTES:,} bytes.")
        try:
            with self._turnstile.entered(size):
                return await self._take(request)
        except Busy:
            self._look_soon()
            raise

    def _look_soon(self) -> None:
        """Who was sent away spools; no later hook may come to have that looked at."""
        if self._look is None:
            self._look = asyncio.get_running_loop().call_later(LOOK_S, self._look_now)

    def _look_now(self) -> None:
        self._look = None
        self._rooms.look_at_spool()

    async def _take(self, request: Request) -> Response:
        try:
            async with asyncio.timeout(BODY_S):
                body = await _bounded_body(request)
        except (ClientDisconnect, TimeoutError):
            return Response(status_code=408)  # whoever rang is gone, or holds room for nothing
        host = request.path_params["host"]
        at_ms = self._moment(request.headers.get("x-memfold-at", ""))
        taken = await asyncio.to_thread(self._rooms.take_hook, host, body, at_ms)
        answer = b""
        if taken.wants_context:
            answer = await asyncio.to_thread(self._context_of, taken)
        self._rooms.after(taken)
        return Response(answer, media_type="text/plain")

    async def gate(self, request: Request) -> Response:
        """What a host is told before its agent reads a file; nothing where that takes too long."""
        gone = threading.Event()
        try:
            async with asyncio.timeout(GATE_S):
                body = await _bounded_body(request)
                host = request.path_params["host"]
                answer = await asyncio.to_thread(
                    self._rooms.gate, host, body, lambda: not gone.is_set()
                )
        except (ClientDisconnect, TimeoutError, MemfoldError):
            answer = b""  # the read goes on
        finally:
            gone.set()
        return Response(answer, media_type="application/json" if answer else "text/plain")

    def _context_of(self, taken: Taken) -> bytes:
        self._rooms.settle(SETTLE_S)
        return self._rooms.session_context(taken).encode("utf-8", "replace")

    def _moment(self, given: str) -> int:
        return int(given) if given.isdigit() else self._clock()


class TooLarge(BadPayload):
    """A body over the limit."""

    status = 413


async def _bounded_body(request: Request) -> bytes:
    """The body; it may come without a length. Raises TooLarge."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY_BYTES:
            raise TooLarge(f"A hook payload may have up to {MAX_BODY_BYTES:,} bytes.")
        parts.append(part)
    return b"".join(parts)
