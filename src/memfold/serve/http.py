"""The HTTP door: hooks, the command line's routes and MCP, over whatever socket is listened on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from memfold.errors import InvalidInput, MemfoldError
from memfold.records import Caller, Entry, Project, ToolReply
from memfold.serve.hook_door import HookDoor, HookRooms
from memfold.serve.keeping import Keeping, keeping_routes
from memfold.serve.refusals import NEUTRAL, failure_text
from memfold.serve.talk import LOST, object_of, said, streamed
from memfold.serve.turnstile import Turnstile

log = logging.getLogger(__name__)


class Rooms(HookRooms, Keeping, Protocol):
    """What the door needs of the house behind it."""

    def gate_log(self, limit: int) -> dict[str, Any]: ...
    def find_symbols(self, wish: Mapping[str, Any]) -> Iterator[dict[str, Any]]: ...
    def context(self, cwd: str, host: str) -> str: ...
    def directory_index(self, folder: str) -> dict[str, Any]: ...
    def caller(
        self, *, cwd: str, host: str = "", session: str = "", project: str = ""
    ) -> Caller: ...
    def call(self, name: str, args: Mapping[str, Any], caller: Caller) -> ToolReply: ...
    def import_sessions(self, host: str, path: str) -> Iterator[dict[str, Any]]: ...
    def import_source(self, source: str, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]: ...
    def follow(self, host: str, path: str) -> dict[str, Any]: ...
    def collect(self, days: int | None, *, dry_run: bool) -> Iterator[dict[str, Any]]: ...
    def reobserve(
        self, since_ms: int, project: str, *, dry_run: bool, anew: bool
    ) -> Iterator[dict[str, Any]]: ...
    def observer(self, calls: int) -> dict[str, Any]: ...
    def forget(self, wish: Mapping[str, Any]) -> Iterator[dict[str, Any]]: ...
    def status(self, *, check: bool = False) -> dict[str, Any]: ...
    def probe_from(self, nonce: str) -> str | None: ...
    def verify(self, *, fix: bool) -> list[dict[str, Any]]: ...
    def pin(self, given: str, cwd: str, project: str, *, on: bool) -> dict[str, Any]: ...
    def pins(self, cwd: str, project: str) -> list[Entry]: ...
    def why(self, given: str, cwd: str, project: str) -> dict[str, Any]: ...
    def projects(self) -> list[dict[str, Any]]: ...
    def merge(self, names: list[str], into: str) -> Project: ...
    def rename(self, name: str, to: str) -> Project: ...
    def stop(self) -> None: ...


class HttpDoor:
    """Requests translated in, answers translated out; decides nothing."""

    def __init__(
        self,
        rooms: Rooms,
        mcp: ASGIApp,
        clock: Callable[[], int],
        turnstile: Turnstile | None = None,
    ) -> None:
        self._rooms = rooms
        self._mcp = mcp
        self._hooks = HookDoor(rooms, clock, turnstile or Turnstile())

    def app(self) -> Starlette:
        routes = [
            *self._hooks.routes(),
            Route("/gate", self.gate_log),
            Route("/symbols", self.symbols, methods=["POST"]),
            Route("/health", self.health),
            Route("/context", self.context),
            Route("/directory", self.directory),
            Route("/tool/{name}", self.tool, methods=["POST"]),
            Route("/import", self.imports, methods=["POST"]),
            Route("/import/{source}", self.import_source, methods=["POST"]),
            Route("/follow", self.follow, methods=["POST"]),
            Route("/gc", self.collect, methods=["POST"]),
            Route("/reobserve", self.reobserve, methods=["POST"]),
            Route("/observer", self.observer),
            Route("/forget", self.forget, methods=["POST"]),
            Route("/status", self.status),
            Route("/probe", self.probe),
            Route("/verify", self.verify, methods=["POST"]),
            Route("/pins", self.pins),
            Route("/why", self.why),
            Route("/pin", self.pin, methods=["POST"]),
            Route("/projects", self.projects),
            Route("/projects/merge", self.merge, methods=["POST"]),
            Route("/projects/rename", self.rename, methods=["POST"]),
            *keeping_routes(self._rooms),
            Route("/stop", self.stop, methods=["POST"]),
            Route("/mcp", self._mcp),
        ]
        return Starlette(routes=routes, exception_handlers={MemfoldError: refused, Exception: lost})

    async def health(self, _request: Request) -> Response:
        return JSONResponse({"ok": True})

    async def context(self, request: Request) -> Response:
        cwd, host = request.query_params.get("cwd", ""), request.query_params.get("host", "")
        if not cwd:
            raise InvalidInput("`cwd` is missing.", "Name the directory.")
        text = await asyncio.to_thread(self._rooms.context, cwd, host)
        return Response(text.encode("utf-8", "replace"), media_type="text/plain")

    async def directory(self, request: Request) -> Response:
        """The index of one directory, for its CLAUDE.md."""
        folder = request.query_params.get("folder", "")
        if not folder.startswith("/"):
            raise InvalidInput("`folder` must be an absolute path.", "Name the directory.")
        return JSONResponse(await asyncio.to_thread(self._rooms.directory_index, folder))

    async def tool(self, request: Request) -> Response:
        """One MCP tool as data. A refusal of the contract is an answer, not an HTTP error."""
        given = await object_of(request)
        args = given.get("args", {})
        if not isinstance(args, dict):
            raise InvalidInput("`args` must be an object.")
        reply = await asyncio.to_thread(self._call, request.path_params["name"], args, given)
        return JSONResponse(reply)

    def _call(self, name: str, args: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
        try:
            caller = self._rooms.caller(
                cwd=str(given.get("cwd", "")),
                host=str(given.get("host", "")),
                session=str(given.get("session", "")),
            )
            reply = self._rooms.call(name, args, caller)
        except MemfoldError as error:
            return {"text": failure_text(error), "is_error": True, "code": error.code}
        except Exception:
            log.exception("tool %s failed", name)
            return {"text": NEUTRAL, "is_error": True, "code": "internal"}
        return {
            "text": reply.text,
            "is_error": False,
            "code": None,
            "entries": [entry_data(entry) for entry in reply.entries],
            "cursor": reply.cursor,
            "step": reply.step,
        }

    async def imports(self, request: Request) -> Response:
        """Progress as lines of JSON, the result last."""
        given = await object_of(request)
        lines = self._rooms.import_sessions(str(given.get("host", "")), str(given.get("path", "")))
        return await streamed(lines)

    async def import_source(self, request: Request) -> Response:
        """Another memory or a repository's history taken in; told as an import is."""
        given = await object_of(request)
        lines = self._rooms.import_source(request.path_params["source"], given)
        return await streamed(lines)

    async def follow(self, request: Request) -> Response:
        """What was appended to one session file."""
        given = await object_of(request)
        host, path = str(given.get("host", "")), str(given.get("path", ""))
        return JSONResponse(await asyncio.to_thread(self._rooms.follow, host, path))

    async def collect(self, request: Request) -> Response:
        """Old evidence retired, or what would go; told as an import is."""
        given = await object_of(request)
        days, dry_run = given.get("days"), given.get("dry_run", False)
        if not isinstance(dry_run, bool):
            raise InvalidInput("`dry_run` must be true or false.")
        if days is not None and (not isinstance(days, int) or isinstance(days, bool)):
            raise InvalidInput("`days` must be a whole number of days.", "Give 0 to keep all.")
        return await streamed(self._rooms.collect(days, dry_run=dry_run))

    async def reobserve(self, request: Request) -> Response:
        """Old evidence observed again; told as an import is."""
        given = await object_of(request)
        since_ms = given.get("since_ms", 0)
        if not isinstance(since_ms, int) or isinstance(since_ms, bool) or since_ms < 0:
            raise InvalidInput("`since_ms` must be a moment in milliseconds.", "0 is for all.")
        lines = self._rooms.reobserve(
            since_ms,
            str(given.get("project", "")),
            dry_run=given.get("dry_run") is True,
            anew=given.get("anew") is True,
        )
        return await streamed(lines)

    async def observer(self, request: Request) -> Response:
        """Who observes, what waits and what it cost."""
        given = request.query_params.get("calls", "10")
        if not given.isdigit() or int(given) > 1_000:
            raise InvalidInput("`calls` must be 0 to 1000.")
        return JSONResponse(await asyncio.to_thread(self._rooms.observer, int(given)))

    async def symbols(self, request: Request) -> Response:
        """Symbols of a workspace; told as an import is."""
        return await streamed(self._rooms.find_symbols(await object_of(request)))

    async def gate_log(self, request: Request) -> Response:
        """What the gate decided."""
        limit = request.query_params.get("limit", "20")
        if not limit.isdigit() or int(limit) > 1_000:
            raise InvalidInput("`limit` must be 0 to 1000.")
        return JSONResponse(await asyncio.to_thread(self._rooms.gate_log, int(limit)))

    async def forget(self, request: Request) -> Response:
        """What a person wants gone, or what would go; told as an import is."""
        return await streamed(self._rooms.forget(await object_of(request)))

    async def probe(self, request: Request) -> Response:
        """Whether a probe came into the store, and from which host."""
        nonce = request.query_params.get("nonce", "")
        host = await asyncio.to_thread(self._rooms.probe_from, nonce)
        return JSONResponse({"stored": host is not None, "host": host or ""})

    async def status(self, request: Request) -> Response:
        check = request.query_params.get("check") == "1"
        return JSONResponse(await asyncio.to_thread(self._rooms.status, check=check))

    async def verify(self, request: Request) -> Response:
        """Work state against its log, a project at a time."""
        given = await object_of(request)
        fix = given.get("fix", False) is True
        return JSONResponse({"projects": await asyncio.to_thread(self._rooms.verify, fix=fix)})

    async def pin(self, request: Request) -> Response:
        """One observation pinned, or with ``on`` false no longer."""
        given = await object_of(request)
        wanted, on = str(given.get("id", "")), given.get("on", True) is not False
        cwd, project = str(given.get("cwd", "")), str(given.get("project", ""))
        return JSONResponse(await asyncio.to_thread(self._rooms.pin, wanted, cwd, project, on=on))

    async def pins(self, request: Request) -> Response:
        cwd = request.query_params.get("cwd", "")
        project = request.query_params.get("project", "")
        pinned = await asyncio.to_thread(self._rooms.pins, cwd, project)
        return JSONResponse({"pins": [entry_data(entry) for entry in pinned]})

    async def why(self, request: Request) -> Response:
        """The rules and the evidence behind one observation."""
        wanted = [request.query_params.get(name, "") for name in ("id", "cwd", "project")]
        return JSONResponse(await asyncio.to_thread(self._rooms.why, *wanted))

    async def projects(self, _request: Request) -> Response:
        return JSONResponse({"projects": await asyncio.to_thread(self._rooms.projects)})

    async def merge(self, request: Request) -> Response:
        given = await object_of(request)
        names = [str(name) for name in given.get("names") or []]
        into = str(given.get("into", ""))
        project = await asyncio.to_thread(self._rooms.merge, names, into)
        return JSONResponse({"id": project.id, "name": project.name})

    async def rename(self, request: Request) -> Response:
        given = await object_of(request)
        name, to = str(given.get("name", "")), str(given.get("to", ""))
        project = await asyncio.to_thread(self._rooms.rename, name, to)
        return JSONResponse({"id": project.id, "name": project.name})

    async def stop(self, _request: Request) -> Response:
        self._rooms.stop()
        return JSONResponse({"stopping": True})


def entry_data(entry: Entry) -> dict[str, Any]:
    """An entry for programs."""
    return {
        "id": entry.ref,
        "kind": entry.kind,
        "project": entry.project,
        "session": entry.session,
        "host": entry.host,
        "title": entry.title,
        "type": entry.type,
        "at": entry.at_ms,
        "read_tokens": entry.read_tokens,
        "superseded_by": entry.superseded_by,
    }


async def refused(_request: Request, error: Exception) -> Response:
    """A MemfoldError as HTTP."""
    assert isinstance(error, MemfoldError)  # noqa: S101  # registered for this class alone
    return JSONResponse({"error": said(error)}, status_code=error.status)


async def lost(_request: Request, error: Exception) -> Response:
    """Anything else: the cause goes to the log, never to the client."""
    log.error("a request failed", exc_info=error)
    return JSONResponse({"error": LOST}, status_code=500)
