"""The daemon's event loop: doors on sockets, a clean end, and nothing that ticks."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from memfold import wire
from memfold.backlog import now_ms
from memfold.daemon import BACKLOG
from memfold.front import Front
from memfold.observing import IDLE_MS
from memfold.serve.guard import Guard
from memfold.serve.handover import HandOver
from memfold.serve.http import HttpDoor
from memfold.serve.secret_file import secret

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from memfold.serve.mcp import McpDoor

log = logging.getLogger(__name__)
_LOOKS_S = (3.0, 30.0)  # after the start
_END_S = 5  # how long requests under way may take after the end was asked for


class McpLater:
    """The MCP door, made when somebody first knocks: tools and protocol are not for hooks."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self._door: McpDoor | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._door is None:
            from memfold.serve.mcp import McpDoor  # late: 20 ms of every cold start

            self._door = McpDoor(self._front, self._front.caller)
        await self._door(scope, receive, send)

    async def close(self) -> None:
        if self._door is not None:
            await self._door.close()


class Server(uvicorn.Server):
    """uvicorn without its ten wake-ups a second: it sleeps until it is told to end."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ended = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def main_loop(self) -> None:
        self._loop = asyncio.get_running_loop()
        if not self.should_exit:
            await self._ended.wait()

    def end(self) -> None:
        """Ask for the end, from any thread."""
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._ended.set)

    def handle_exit(self, sig: int, frame: object) -> None:  # noqa: ARG002  # uvicorn calls it
        self.end()


def run(home: Path, listener: socket.socket, front: Front) -> int:
    """Serve until stopped. The exit code."""
    return asyncio.run(_run(home, listener, front))


async def _run(home: Path, listener: socket.socket, front: Front) -> int:
    loop = asyncio.get_running_loop()
    sweep: list[asyncio.TimerHandle] = []

    def touched() -> None:
        """Something was captured: if nothing more comes, its turn ends by itself."""
        loop.call_soon_threadsafe(wind_up)

    def wind_up() -> None:
        if sweep:
            sweep.pop().cancel()
        sweep.append(loop.call_later(IDLE_MS / 1000 + 1, front.sweep))

    front.on_touch = touched
    wind_up()  # for what was captured before this loop ran
    mcp = McpLater(front)
    door = HttpDoor(front, mcp, now_ms)
    token = home / "token"
    app = Guard(HandOver(door.app(), front.seen_version), lambda: secret(token).hex())
    config = uvicorn.Config(
        app,
        loop="asyncio",
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=_END_S,
    )
    # A hook that waited in vain for a cold daemon spools after the first look; no later one may
    # ring for hours. Two looks, not a poll.
    for delay_s in _LOOKS_S:
        loop.call_later(delay_s, front.look_at_spool)
    server = Server(config)
    front.on_stop = server.end
    opening = asyncio.create_task(asyncio.to_thread(_open, front))
    sockets = [listener]
    front.port = _add_tcp(home, sockets)
    _leave_hint(front.port)
    log.info("version %s serves %s", wire.VERSION, home)
    await server.serve(sockets=sockets)
    Path(wire.SOCKET).unlink(missing_ok=True)  # before the end, so that nobody meets a dying one
    await opening
    await mcp.close()
    await asyncio.to_thread(front.close)
    log.info("ended")
    return 0


def _open(front: Front) -> None:
    try:
        front.house  # noqa: B018  # opening it is the point: the first hook need not wait
    except Exception:
        log.exception("the store is not open yet")


def _add_tcp(home: Path, sockets: list[socket.socket]) -> int:
    """Listen on loopback where a port is set; the port, or 0."""
    from memfold import settings  # late: only to read one number here

    try:
        port = settings.load(home).number("tcp_port")
        if not port:
            return 0
        tcp = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        tcp.bind(("127.0.0.1", port))
    except OSError as error:
        log.warning("port %d is taken or refused (%s); http hooks do not arrive", port, error)
        return 0
    except Exception:
        log.exception("settings cannot be read")
        return 0
    tcp.listen(BACKLOG)
    sockets.append(tcp)
    return port


def _leave_hint(port: int) -> None:
    """A file that tells people which process this is; nothing depends on it."""
    hint = {"pid": os.getpid(), "version": wire.VERSION, "port": port}
    Path("daemon.json").write_text(json.dumps(hint), "utf-8")
