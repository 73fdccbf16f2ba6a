"""Cursor's hook payloads as events. Source: captured payloads of 2026.07, and its documentation."""

from __future__ import annotations

from memfold.capture.payload import Common, Payload, Reader, plain_result, text_of, tool_use
from memfold.capture.shared_events import (
    compacted,
    ended,
    prompted,
    reported,
    said,
    started,
    stopped,
)
from memfold.records import Event

HOST = "cursor"


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events that are not ours to keep."""
    session = text_of(payload, "conversation_id", "session_id")
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": received_at_ms,
        "cwd": text_of(payload, "cwd") or _workspace(payload),
        "transcript": text_of(payload, "transcript_path"),
    }
    return reported(_READERS, text_of(payload, "hook_event_name") or event, payload, common)


def _workspace(payload: Payload) -> str:
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else ""
    return first if isinstance(first, str) else ""


def _tool(payload: Payload, common: Common) -> tuple[Event, ...]:
    return tool_use(
        common,
        text_of(payload, "tool_name"),
        payload.get("tool_input"),
        plain_result(payload.get("tool_output")),
        key=text_of(payload, "tool_use_id"),
        duration_ms=payload.get("duration"),
    )


def _tool_failed(payload: Payload, common: Common) -> tuple[Event, ...]:
    return tool_use(
        common,
        text_of(payload, "tool_name"),
        payload.get("tool_input"),
        text_of(payload, "error_message"),
        key=text_of(payload, "tool_use_id"),
        ok=False,
        duration_ms=payload.get("duration"),
    )


# Passed over: preToolUse and the before... events (postToolUse says the same with the result);
# afterFileEdit, afterShellExecution and afterMCPExecution, whose calls come as postToolUse with
# an id; afterAgentThought; subagentStart and subagentStop.
_READERS: dict[str, Reader] = {
    "sessionStart": started(),
    "beforeSubmitPrompt": prompted("prompt"),
    "postToolUse": _tool,
    "postToolUseFailure": _tool_failed,
    "afterAgentResponse": said("text"),
    "stop": stopped(),
    "preCompact": compacted("trigger"),
    "sessionEnd": ended("reason"),
}
