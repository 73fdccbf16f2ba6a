"""Gemini CLI's hook payloads as events.

It names no id of a tool call: the content is the key, of a transcript's calls too (``rekeyed``).
Source: the real binary, version 0.61.0, and captured payloads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memfold.capture.payload import (
    Common,
    Payload,
    Reader,
    content_key,
    moment_of,
    plain_result,
    text_of,
    tool_use,
)
from memfold.capture.shared_events import ended, prompted, reported, started, stopped
from memfold.records import Event

HOST = "gemini-cli"
_FAILED = re.compile(r"^(?:Exit Code: (?!0\b)-?\d+|MCP tool '.{1,200}' reported tool error )", re.M)


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events that are not ours to keep."""
    session = text_of(payload, "session_id")
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": moment_of(payload.get("timestamp"), received_at_ms),
        "cwd": text_of(payload, "cwd"),
        "transcript": text_of(payload, "transcript_path"),
    }
    return reported(_READERS, text_of(payload, "hook_event_name") or event, payload, common)


def worked(response: Any) -> bool:
    """Whether a tool's response tells of success; it has no flag for it."""
    if isinstance(response, Mapping) and response.get("error"):
        return False
    text = plain_result(response)
    return not (isinstance(text, str) and _FAILED.search(text[-4_000:]))


def _tool(payload: Payload, common: Common) -> tuple[Event, ...]:
    tool, given = text_of(payload, "tool_name"), payload.get("tool_input")
    response = payload.get("tool_response")
    result = plain_result(response)
    return tool_use(
        common,
        tool,
        given,
        result,
        key=content_key(tool, given, result),
        ok=worked(response),
    )


# Passed over: BeforeTool (AfterTool says the same with the result), BeforeModel, AfterModel and
# BeforeToolSelection (the whole request each time), Notification, and PreCompress, which comes
# before every request whether anything is compressed or not.
_READERS: dict[str, Reader] = {
    "SessionStart": started("source"),
    "BeforeAgent": prompted("prompt"),
    "AfterTool": _tool,
    "AfterAgent": stopped("prompt_response"),
    "SessionEnd": ended("reason"),
}
