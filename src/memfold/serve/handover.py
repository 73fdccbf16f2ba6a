"""An older daemon makes room: any caller of a newer memfold, answered or refused, is told of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_GLANCE = "/health"  # asked before something else, which must still find this daemon


class HandOver:
    """An ASGI layer that reads each caller's version once it has its answer."""

    def __init__(self, app: ASGIApp, seen: Callable[[str, str], None]) -> None:
        self._app = app
        self._seen = seen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        finally:
            if scope["type"] == "http" and scope["path"] != _GLANCE:
                headers = dict(scope["headers"])
                self._seen(
                    headers.get(b"x-memfold-version", b"").decode("latin-1"),
                    headers.get(b"x-memfold-protocol", b"").decode("latin-1"),
                )
