"""The MCP door: the SDK's streamable HTTP inside the daemon, loaded on the first MCP request.

Importing the SDK takes 0.7 s and 25 MB, so a daemon that only serves hooks never does it. The
import runs in a thread; the event loop keeps answering hooks meanwhile.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import urllib.parse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from memfold.errors import MemfoldError
from memfold.records import Caller, ToolReply
from memfold.serve import handshake
from memfold.serve.refusals import NEUTRAL, failure_text
from memfold.serve.tools import INSTRUCTIONS, TOOLS
from memfold.serve.unread import leave_unread

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult
    from starlette.types import Message, Receive, Scope, Send

log = logging.getLogger(__name__)


class Tools(Protocol):
    """The toolbox, or what stands before it."""

    def call(self, name: str, args: Mapping[str, Any], caller: Caller) -> ToolReply: ...


class FindCaller(Protocol):
    """Who calls, from what the client says about itself; blocks on git and the store."""

    def __call__(self, *, cwd: str, host: str, session: str, project: str) -> Caller: ...


def header_value(raw: str) -> str:
    """A path or id from a header: percent-escapes undone, bytes read as a file name.

    ``raw`` is as Starlette gives it (latin-1), so plain UTF-8 bytes are understood too.
    """
    return os.fsdecode(urllib.parse.unquote_to_bytes(raw.encode("latin-1", "replace")))


class McpDoor:
    """An ASGI application for ``/mcp``. ``close`` ends it with the daemon."""

    def __init__(self, toolbox: Tools, find_caller: FindCaller) -> None:
        self._toolbox = toolbox
        self._find_caller = find_caller
        self._task: asyncio.Task[StreamableHTTPSessionManager] | None = None
        self._serving: asyncio.Task[None] | None = None
        self._ending = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        loading = self.loading()
        if not loading.done() and scope["method"] == "POST":
            body, receive = await _body(receive)
            headers = {key.decode(): value.decode("latin-1") for key, value in scope["headers"]}
            reply = handshake.answer(headers, body)
            if reply is not None:
                await _send_json(send, reply)
                return
        # Shielded: a client that goes away must not stop the import others wait for.
        manager = await asyncio.shield(loading)
        await manager.handle_request(scope, receive, send)

    def loading(self) -> asyncio.Task[StreamableHTTPSessionManager]:
        """The one import of the SDK, under way or done; begun anew if it failed."""
        task = self._task
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = self._task = asyncio.create_task(self._start())
            task.add_done_callback(_log_failure)
        return task

    async def close(self) -> None:
        self._ending.set()
        if self._task is not None and not self._task.done():
            await asyncio.wait({self._task})  # an import cannot be broken off
        if self._serving is not None:
            await self._serving

    async def _start(self) -> StreamableHTTPSessionManager:
        manager = await asyncio.to_thread(self._build)
        started = asyncio.Event()

        async def serve() -> None:
            # The manager's task group must be left by the task that entered it.
            async with manager.run():
                started.set()
                await self._ending.wait()

        self._serving = asyncio.create_task(serve())
        await started.wait()
        return manager

    def _build(self) -> StreamableHTTPSessionManager:
        # Late: 0.7 s and 25 MB that a daemon without MCP clients never pays.
        leave_unread("mcp", "mcp.server")
        from mcp.server.lowlevel import Server
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
        from mcp.server.transport_security import TransportSecuritySettings
        from mcp_types import CallToolResult, ListToolsResult

        listing = ListToolsResult.model_validate(
            {"tools": [handshake.listed(tool) for tool in TOOLS]}
        )

        async def list_tools(_ctx: ServerRequestContext[Any], _params: object) -> ListToolsResult:
            return listing

        async def call_tool(
            ctx: ServerRequestContext[Any], params: CallToolRequestParams
        ) -> CallToolResult:
            headers: Mapping[str, str] = ctx.request.headers if ctx.request is not None else {}
            text, is_error = await asyncio.to_thread(
                self._answer, params.name, params.arguments or {}, headers
            )
            return CallToolResult.model_validate(
                {"content": [{"type": "text", "text": text}], "isError": is_error}
            )

        server: Server[Any] = Server(
            handshake.NAME,
            version=handshake.version(),
            instructions=INSTRUCTIONS,
            on_list_tools=list_tools,
            on_call_tool=call_tool,
        )
        return StreamableHTTPSessionManager(
            server,
            json_response=True,
            stateless=True,
            # Host and Origin are checked once for all routes, in serve/http.py.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

    def _answer(
        self, name: str, args: Mapping[str, Any], headers: Mapping[str, str]
    ) -> tuple[str, bool]:
        """(text for the agent, is it an error). Runs in a worker thread."""
        try:
            caller = self._find_caller(
                cwd=header_value(headers.get("x-memfold-cwd", "")),
                host=header_value(headers.get("x-memfold-host", "")),
                session=header_value(headers.get("x-memfold-session", "")),
                project=header_value(headers.get("x-memfold-project", "")),
            )
            return self._toolbox.call(name, args, caller).text, False
        except MemfoldError as error:
            return failure_text(error), True
        except Exception:
            # The agent gets one neutral sentence: a cause may quote stored text or paths.
            log.exception("tool %s failed", name)
            return NEUTRAL, True


def _log_failure(task: asyncio.Task[StreamableHTTPSessionManager]) -> None:
    if not task.cancelled() and (error := task.exception()):
        log.error("the MCP SDK could not be loaded", exc_info=error)


async def _body(receive: Receive) -> tuple[bytes, Receive]:
    """The request's body, and a ``receive`` that gives it again.

    Stops at 64 KB: a longer request is none of those answered without the SDK.
    """
    parts: list[Message] = []
    size, more = 0, True
    while more and size <= 65_536:
        part = await receive()
        parts.append(part)
        size += len(part.get("body", b""))
        more = part["type"] == "http.request" and part.get("more_body", False)
    body = b"".join(part.get("body", b"") for part in parts)

    async def again() -> Message:
        return parts.pop(0) if parts else await receive()

    return body, again


async def _send_json(send: Send, reply: object) -> None:
    body = json.dumps(reply, separators=(",", ":")).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
