"""Cursor's hook payloads as events. Source: captured payloads of 2026.07, and its documentation."""

from __future__ import annotations

from memfold.capture.claude_code import is_prompt
from memfold.capture.payload import (
    Common,
    Payload,
    Reader,
    plain_result,
    reply,
    text_of,
    tool_use,
)
from memfold.records import (
    Compacted,
    Event,
    PromptGiven,
    SessionEnded,
    SessionStarted,
    TurnEnded,
)

HOST = "cursor"


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events that are not ours to keep."""
    session = text_of(payload, "conversation_id", "session_id")
    reader = _READERS.get(text_of(payload, "hook_event_name") or event)
    if reader is None or not session:
        return ()
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": received_at_ms,
        "cwd": text_of(payload, "cwd") or _workspace(payload),
        "transcript": text_of(payload, "transcript_path"),
    }
    return reader(payload, common)


def _workspace(payload: Payload) -> str:
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else ""
    return first if isinstance(first, str) else ""


def _started(_payload: Payload, common: Common) -> tuple[Event, ...]:
    return (SessionStarted(**common),)


def _prompt(payload: Payload, common: Common) -> tuple[Event, ...]:
    text = text_of(payload, "prompt")
    return (PromptGiven(**common, text=text),) if is_prompt(text) else ()


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


def _said(payload: Payload, common: Common) -> tuple[Event, ...]:
    return reply(common, text_of(payload, "text"))


def _stopped(_payload: Payload, common: Common) -> tuple[Event, ...]:
    return (TurnEnded(**common),)


def _compacting(payload: Payload, common: Common) -> tuple[Event, ...]:
    return (Compacted(**common, trigger=text_of(payload, "trigger")),)


def _ended(payload: Payload, common: Common) -> tuple[Event, ...]:
    return (SessionEnded(**common, reason=text_of(payload, "reason")),)


# Passed over: preToolUse and the before... events (postToolUse says the same with the result);
# afterFileEdit, afterShellExecution and afterMCPExecution, whose calls come as postToolUse with
# an id; afterAgentThought; subagentStart and subagentStop.
_READERS: dict[str, Reader] = {
    "sessionStart": _started,
    "beforeSubmitPrompt": _prompt,
    "postToolUse": _tool,
    "postToolUseFailure": _tool_failed,
    "afterAgentResponse": _said,
    "stop": _stopped,
    "preCompact": _compacting,
    "sessionEnd": _ended,
}
