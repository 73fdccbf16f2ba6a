"""Copilot CLI's hook payloads as events.

A payload does not name its event: the hook's argument does. Nor does a finished tool call name
its id: the content is the key. Source: payloads captured from 1.0.6x.
"""

from __future__ import annotations

from typing import Any

from memfold.capture.payload import (
    Common,
    Payload,
    Reader,
    content_key,
    decoded,
    moment_of,
    part,
    plain_result,
    text_of,
    tool_use,
)
from memfold.capture.shared_events import compacted, ended, prompted, reported, stopped
from memfold.records import Event, SessionStarted

HOST = "copilot-cli"
_SOURCES = {"new": "startup"}


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events that are not ours to keep."""
    name = text_of(payload, "hookType", "hook_event_name", "hookEventName") or event
    payload = part(payload, "input") if "hookType" in payload else payload
    session = text_of(payload, "sessionId", "session_id")
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": moment_of(payload.get("timestamp"), received_at_ms),
        "cwd": text_of(payload, "cwd"),
        "transcript": text_of(payload, "transcriptPath", "transcript_path"),
    }
    return reported(_READERS, name[:1].lower() + name[1:], payload, common)


def _started(payload: Payload, common: Common) -> tuple[Event, ...]:
    source = text_of(payload, "source") or "startup"
    return (SessionStarted(**common, source=_SOURCES.get(source, source)),)


def _tool(payload: Payload, common: Common) -> tuple[Event, ...]:
    tool = text_of(payload, "toolName", "tool_name")
    given = decoded(payload.get("toolArgs", payload.get("tool_input")))
    result: Any = payload.get("toolResult", payload.get("tool_result", payload.get("error")))
    kind = text_of(part({"result": result}, "result"), "resultType", "result_type")
    plain = plain_result(result)
    return tool_use(
        common,
        tool,
        given,
        plain,
        key=content_key(tool, given, plain),
        ok=kind in ("", "success") and "error" not in payload,
        duration_ms=payload.get("duration"),
    )


# Passed over: preToolUse (postToolUse says the same with the result), errorOccurred,
# notification, permissionRequest, subagentStart, subagentStop.
_READERS: dict[str, Reader] = {
    "sessionStart": _started,
    "userPromptSubmitted": prompted("prompt"),
    "userPromptSubmit": prompted("prompt"),
    "postToolUse": _tool,
    "postToolUseFailure": _tool,
    "agentStop": stopped(),
    "stop": stopped(),
    "preCompact": compacted("trigger"),
    "sessionEnd": ended("reason"),
}
