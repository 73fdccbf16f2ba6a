"""The MCP door: the SDK's streamable HTTP inside the daemon, loaded on the first MCP request.

Importing the SDK takes 0.7 s and 65 MB, so a daemon that only serves hooks never does it. The
import runs in a thread; the event loop keeps answering hooks meanwhile.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import logging
import os
import urllib.parse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from memfold.errors import MemfoldError
from memfold.records import Caller
from memfold.serve.tools import INSTRUCTIONS, TOOLS, Tool, Toolbox

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult
    from starlette.types import Receive, Scope, Send

log = logging.getLogger(__name__)
NEUTRAL = "internal - memfold could not answer this call. The cause is in memfold's log; go on."


class FindCaller(Protocol):
    """Who calls, from what the client says about itself; blocks on git and the store."""

    def __call__(self, *, cwd: str, host: str, session: str, project: str) -> Caller: ...


def header_value(raw: str) -> str:
    """A path or id from a header: percent-escapes undone, bytes read as a file name.

    ``raw`` is as Starlette gives it (latin-1), so plain UTF-8 bytes are understood too.
    """
    return os.fsdecode(urllib.parse.unquote_to_bytes(raw.encode("latin-1", "replace")))


def failure_text(error: MemfoldError) -> str:
    """``code - message next_step``: clients and agents rely on the code coming first."""
    return f"{error.code} - {error.message} {error.next_step}".rstrip()


def listed(tool: Tool) -> dict[str, Any]:
    """The tool as ``tools/list`` shows it."""
    entry: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "annotations": {"readOnlyHint": tool.read_only, "openWorldHint": False},
    }
    if not tool.read_only:
        entry["annotations"]["destructiveHint"] = False
    if tool.pinned:
        entry["_meta"] = {"anthropic/alwaysLoad": True}
    return entry


class McpDoor:
    """An ASGI application for ``/mcp``. ``close`` ends it with the daemon."""

    def __init__(self, toolbox: Toolbox, find_caller: FindCaller) -> None:
        self._toolbox = toolbox
        self._find_caller = find_caller
        self._starting: asyncio.Task[StreamableHTTPSessionManager] | None = None
        self._serving: asyncio.Task[None] | None = None
        self._ending = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        manager = await self.warm()
        await manager.handle_request(scope, receive, send)

    async def warm(self) -> StreamableHTTPSessionManager:
        """Load the SDK if it is not; several callers wait for the one import."""
        failed = self._starting is not None and self._starting.done() and self._serving is None
        if self._starting is None or failed:
            self._starting = asyncio.create_task(self._start())
        return await asyncio.shield(self._starting)  # one client may leave, the others wait on

    async def close(self) -> None:
        self._ending.set()
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
        # Late: 0.7 s and 65 MB that a daemon without MCP clients never pays.
        from mcp.server.lowlevel import Server
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
        from mcp.server.transport_security import TransportSecuritySettings
        from mcp_types import CallToolResult, ListToolsResult

        listing = ListToolsResult.model_validate({"tools": [listed(tool) for tool in TOOLS]})

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
            "memfold",
            version=importlib.metadata.version("memfold"),
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
