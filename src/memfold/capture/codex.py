"""Codex's hook payloads as events: Claude Code's keys, results as plain text.

Source: the real binary, version 0.171.0, and captured payloads.
"""

from __future__ import annotations

import re
from typing import Any

from memfold.capture.payload import Common, Payload, Reader, reply, text_of, tool_use
from memfold.capture.shared_events import compacted, ended, reported, started, stopped
from memfold.capture.transcripts.codex import HOST, typed_text
from memfold.records import Event, PromptGiven

# What a shell call says before its output; a call that failed is a PostToolUse like any other.
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)", re.MULTILINE)
_NOTIFY = "agent-turn-complete"  # of the older `notify` program


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events that are not ours to keep."""
    name = text_of(payload, "hook_event_name", "type") or event
    session = text_of(payload, "session_id", "thread-id")
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": received_at_ms,
        "cwd": text_of(payload, "cwd"),
        "agent": text_of(payload, "agent_id"),
        "agent_type": text_of(payload, "agent_type"),
        "transcript": text_of(payload, "transcript_path"),
    }
    return reported(_READERS, name, payload, common)


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


def _subagent_stopped(payload: Payload, common: Common) -> tuple[Event, ...]:
    return reply(common, text_of(payload, "last_assistant_message")) if common["agent"] else ()


# Passed over: PreToolUse (PostToolUse says the same with the result), PermissionRequest,
# SubagentStart, Interrupt, preModelRequest.
_STOPPED = stopped("last_assistant_message", "last-assistant-message")
_READERS: dict[str, Reader] = {
    "SessionStart": started("source"),
    "UserPromptSubmit": _prompt,
    "PostToolUse": _tool,
    "Stop": _STOPPED,
    _NOTIFY: _STOPPED,
    "SubagentStop": _subagent_stopped,
    "PreCompact": compacted("trigger"),
    "PostCompact": compacted("trigger"),
    "SessionEnd": ended("reason"),
}
