"""The HTTP door's routes for looking after memory as a whole: copies of it."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memfold.serve.talk import object_of


class Keeping(Protocol):
    """What these routes need of the house."""

    def back_up(self, path: str) -> dict[str, Any]: ...


def keeping_routes(rooms: Keeping) -> list[Route]:
    async def backup(request: Request) -> Response:
        path = str((await object_of(request)).get("path", ""))
        return JSONResponse(await asyncio.to_thread(rooms.back_up, path))

    return [Route("/backup", backup, methods=["POST"])]
