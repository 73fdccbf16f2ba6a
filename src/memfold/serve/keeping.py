"""The HTTP door's routes for memory as a whole: copies of it, out and in."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memfold.errors import InvalidInput
from memfold.serve.talk import object_of, streamed


class Keeping(Protocol):
    """What these routes need of the house."""

    def back_up(self, path: str) -> dict[str, Any]: ...
    def export(self, path: str) -> Iterator[dict[str, Any]]: ...
    def import_export(self, path: str) -> Iterator[dict[str, Any]]: ...


def keeping_routes(rooms: Keeping) -> list[Route]:
    async def backup(request: Request) -> Response:
        path = str((await object_of(request)).get("path", ""))
        return JSONResponse(await asyncio.to_thread(rooms.back_up, path))

    async def export(request: Request) -> Response:
        return await streamed(rooms.export(path_of(await object_of(request))))

    async def import_export(request: Request) -> Response:
        return await streamed(rooms.import_export(path_of(await object_of(request))))

    return [
        Route("/backup", backup, methods=["POST"]),
        Route("/export", export, methods=["POST"]),
        Route("/import-memfold", import_export, methods=["POST"]),
    ]


def path_of(given: dict[str, Any]) -> str:
    """Raises InvalidInput."""
    path = given.get("path")
    if not isinstance(path, str) or not path.startswith("/"):
        raise InvalidInput("`path` must be an absolute path.", "Name the file.")
    return path
