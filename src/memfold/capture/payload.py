"""Reading a hook's payload, whatever a host put where: texts, times, keys, tool uses."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from memfold.capture.tools import files_of, is_ours
from memfold.errors import BadPayload
from memfold.records import Event, ReplyGiven, ToolUsed

Payload = Mapping[str, Any]
Common = dict[str, Any]  # what all events of one payload share
Reader = Callable[[Payload, Common], tuple[Event, ...]]
_LATEST_MS = 253_402_300_799_000  # the year 9999
_TEXT_KEYS = ("text", "output", "llmContent", "textResultForLlm", "content")
_DEEPEST = 6  # wrappers around a result's text


def text_of(payload: Payload, *keys: str) -> str:
    """The first of these keys that holds a text; else ''. Half a surrogate pair becomes ``?``."""
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str) and value:
            # JSON may hold what no file and no database takes.
            return value if value.isascii() else value.encode("utf-8", "replace").decode()
    return ""


def part(payload: Payload, key: str) -> Payload:
    """An object inside the payload; an empty one where there is none."""
    value = payload.get(key)
    return value if isinstance(value, Mapping) else {}


def whole_ms(value: Any) -> int | None:
    """A finite number: JSON as Python reads it also knows NaN and Infinity."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if math.isfinite(value) else None


def moment_of(value: Any, otherwise: int) -> int:
    """A host's own time, as Unix ms or as ISO 8601, in Unix ms; else ``otherwise``."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
            return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
        except (ValueError, OverflowError):
            return otherwise
    at_ms = whole_ms(value)
    return at_ms if at_ms is not None and 0 < at_ms <= _LATEST_MS else otherwise


def decoded(value: Any) -> Any:
    """Arguments as data: some hosts put them into a string of JSON."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def plain_result(value: Any, depth: int = 0) -> Any:
    """A result's text, out of the lists and objects that hosts wrap it in; else the value."""
    if depth < _DEEPEST and isinstance(value, list) and value:
        parts = [plain_result(one, depth + 1) for one in value]
        return "\n".join(parts) if all(isinstance(one, str) for one in parts) else value
    if depth < _DEEPEST and isinstance(value, Mapping):
        inner: Any = part(part(value, "functionResponse"), "response") or value
        for key in _TEXT_KEYS:
            if inner.get(key):
                found = plain_result(inner[key], depth + 1)
                return found if isinstance(found, str) else value
    return value


def content_key(tool: str, given: Any, response: Any) -> str:
    """A tool use's id where the host gives none: the same call and result are one.

    Raises BadPayload for values nested beyond reason.
    """
    try:
        text = json.dumps([tool, given, response], sort_keys=True, default=str)
    except RecursionError as error:
        raise BadPayload("A tool call is nested too deeply.") from error
    return "sha:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def tool_use(
    common: Common,
    tool: str,
    given: Any,
    response: Any,
    *,
    key: str = "",
    ok: bool = True,
    duration_ms: Any = None,
) -> tuple[Event, ...]:
    """The call as an event; nothing where it has no name, or is memfold's own tool.

    ``key``: the host's id of the call; without one its content is its id.
    """
    if not tool or is_ours(tool):
        return ()
    read, changed = files_of(tool, given)
    return (
        ToolUsed(
            **common,
            key=key or content_key(tool, given, response),
            tool=tool,
            input=given,
            response=response,
            ok=ok,
            duration_ms=whole_ms(duration_ms),
            files_read=read,
            files_changed=changed if ok else (),
        ),
    )


def reply(common: Common, text: str) -> tuple[Event, ...]:
    """What the agent said; nothing where it said nothing."""
    return (ReplyGiven(**common, text=text),) if text.strip() else ()
