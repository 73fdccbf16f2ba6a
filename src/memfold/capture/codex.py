"""Codex's hook payloads as events: Claude Code's keys, results as plain text.

Source: the real binary, version 0.171.0, and captured payloads.
"""

from __future__ import annotations

import re
from typing import Any

from memfold.capture.payload import Common, Payload, Reader, reply, text_of, tool_use
from memfold.capture.transcripts.codex import HOST, typed_text
from memfold.records import (
    Compacted,
    Event,
    PromptGiven,
    SessionEnded,
    SessionStarted,
    TurnEnded,
)

# What a shell call says before its output; a call that failed is a PostToolUse like any other.
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)", re.MULTILINE)
_NOTIFY = "agent-turn-complete"  # of the older `notify` program


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events that are not ours to keep."""
    name = text_of(payload, "hook_event_name", "type") or event
    session = text_of(payload, "session_id", "thread-id")
    reader = _READERS.get(name)
    if reader is None or not session:
        return ()
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": received_at_ms,
        "cwd": text_of(payload, "cwd"),
        "agent": text_of(payload, "agent_id"),
        "agent_type": text_of(payload, "agent_type"),
        "transcript": text_of(payload, "transcript_path"),
    }
    return reader(payload, common)


def _started(payload: Payload, common: Common) -> tuple[Event, ...]:
    return (SessionStarted(**common, source=text_of(payload, "source") or "startup"),)


def _prompt(payload: Payload, common: Common) -> tuple[Event, ...]:
    # A turn's id is no prompt's id: what is typed while the agent works goes into the same turn.
    text = typed_text(text_of(payload, "prompt"), None)
    return (PromptGiven(**common, text=text),) if text else ()


def _tool(payload: Payload, common: Common) -> tuple[Event, ...]:
    response = payload.get("tool_response")
    return tool_use(
        common,
        text_of(payload, "tool_name"),
        payload.get("tool_input"),
        response,
        key=text_of(payload, "tool_use_id"),
        ok=_worked(response),
        duration_ms=payload.get("duration_ms"),
    )


def _worked(response: Any) -> bool:
    if not isinstance(response, str):
        return not (isinstance(response, dict) and response.get("isError"))
    found = _EXIT.search(response[:2_000].partition("\nOutput:")[0])
    return found is None or int(found[1]) == 0


def _stopped(payload: Payload, common: Common) -> tuple[Event, ...]:
    said = text_of(payload, "last_assistant_message", "last-assistant-message")
    return (*reply(common, said), TurnEnded(**common))


def _subagent_stopped(payload: Payload, common: Common) -> tuple[Event, ...]:
    return reply(common, text_of(payload, "last_assistant_message")) if common["agent"] else ()


def _compacting(payload: Payload, common: Common) -> tuple[Event, ...]:
    return (Compacted(**common, trigger=text_of(payload, "trigger")),)


def _ended(payload: Payload, common: Common) -> tuple[Event, ...]:
    return (SessionEnded(**common, reason=text_of(payload, "reason")),)


# Passed over: PreToolUse (PostToolUse says the same with the result), PermissionRequest,
# SubagentStart, Interrupt, preModelRequest.
_READERS: dict[str, Reader] = {
    "SessionStart": _started,
    "UserPromptSubmit": _prompt,
    "PostToolUse": _tool,
    "Stop": _stopped,
    _NOTIFY: _stopped,
    "SubagentStop": _subagent_stopped,
    "PreCompact": _compacting,
    "PostCompact": _compacting,
    "SessionEnd": _ended,
}
