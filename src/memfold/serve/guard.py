"""Who may knock on the TCP door: the token's holder, from this machine, not from a web page.

The Unix socket needs no token: its file belongs to one user (0600). On TCP every request needs
the bearer token; a Host that is not ours (DNS rebinding) or a foreign Origin (a web page) is
refused before anything else is read.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

Refusal = tuple[int, bytes]
HOOKS_ONLY = ("/hook/", "/health")  # all that TCP serves


class Guard:
    """An ASGI layer around the application."""

    def __init__(self, app: ASGIApp, token: Callable[[], str]) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] != "lifespan" else None
        if refusal is None:
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        status, text = refusal
        headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(text))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": text})

    def _refusal(self, scope: Scope) -> Refusal | None:
        server = scope.get("server")
        port = server[1] if server else None
        if port is None:  # the Unix socket
            return None
        headers = {key.lower(): value for key, value in scope["headers"]}
        names = {f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode()}
        if headers.get(b"host", b"") not in names:
            return 421, b"This is not a host name of memfold."
        origin = headers.get(b"origin")
        if origin is not None and origin.removeprefix(b"http://") not in names:
            return 403, b"Web pages of other origins may not talk to memfold."
        wanted = b"Bearer " + self._token().encode()
        if not hmac.compare_digest(headers.get(b"authorization", b""), wanted):
            return 401, b"This needs memfold's token."
        if not str(scope["path"]).startswith(HOOKS_ONLY):
            return 404, b"TCP serves hooks only; use the command line."
        return None
