"""How the HTTP door reads JSON and answers in lines of it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from memfold.errors import InvalidInput, MemfoldError

log = logging.getLogger(__name__)
LOST = {"code": "internal", "message": "memfold failed.", "next_step": "See daemon.log."}


async def object_of(request: Request) -> dict[str, Any]:
    """The body. Raises InvalidInput."""
    try:
        given = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise InvalidInput("The body is not JSON.") from error
    if not isinstance(given, dict):
        raise InvalidInput("The body must be a JSON object.")
    return given


async def streamed(lines: Iterator[dict[str, Any]]) -> Response:
    """Each as a line of JSON when it comes; a failure in the middle as the last line."""
    first = await asyncio.to_thread(next, lines, None)  # what is wrong is said at once
    return StreamingResponse(_ndjson(first, lines), media_type="application/x-ndjson")


async def _ndjson(
    first: dict[str, Any] | None, lines: Iterator[dict[str, Any]]
) -> AsyncIterator[bytes]:
    line = first
    while line is not None:
        yield json.dumps(line).encode() + b"\n"
        try:
            line = await asyncio.to_thread(next, lines, None)
        except MemfoldError as error:
            yield json.dumps({"error": said(error)}).encode() + b"\n"
            return
        except Exception:
            log.exception("a long answer broke off")
            yield json.dumps({"error": LOST}).encode() + b"\n"
            return


def said(error: MemfoldError) -> dict[str, Any]:
    """A refusal as data."""
    return {"code": error.code, "message": error.message, "next_step": error.next_step}
