"""Qwen Code's hook payloads as events: Claude Code's events, Gemini CLI's tools.

Source: the real binary, version 0.24.4.
"""

from __future__ import annotations

from memfold.capture.claude_code import is_prompt
from memfold.capture.gemini_cli import worked
from memfold.capture.payload import (
    Common,
    Payload,
    Reader,
    moment_of,
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

HOST = "qwen-code"


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events that are not ours to keep."""
    session = text_of(payload, "session_id")
    reader = _READERS.get(text_of(payload, "hook_event_name") or event)
    if reader is None or not session:
        return ()
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": moment_of(payload.get("timestamp"), received_at_ms),
        "cwd": text_of(payload, "cwd"),
        "agent": text_of(payload, "agent_id"),
        "agent_type": text_of(payload, "agent_type"),
        "transcript": text_of(payload, "transcript_path"),
    }
    return reader(payload, common)


def _started(payload: Payload, common: Common) -> tuple[Event, ...]:
    return (SessionStarted(**common, source=text_of(payload, "source") or "startup"),)


def _prompt(payload: Payload, common: Common) -> tuple[Event, ...]:
    # After each round of tools the event comes again with an empty prompt. ``prompt_id`` counts
    # turns, not prompts.
    text = text_of(payload, "submitted_prompt", "prompt")
    return (PromptGiven(**common, text=text),) if is_prompt(text) else ()


def _tool(payload: Payload, common: Common) -> tuple[Event, ...]:
    response = payload.get("tool_response")
    return tool_use(
        common,
        text_of(payload, "tool_name"),
        payload.get("tool_input"),
        plain_result(response),
        # The model's own id stands in the transcript too; the other is made for hooks.
        key=text_of(payload, "tool_call_id", "tool_use_id"),
        ok=worked(response),
        duration_ms=payload.get("duration_ms"),
    )


def _tool_failed(payload: Payload, common: Common) -> tuple[Event, ...]:
    return tool_use(
        common,
        text_of(payload, "tool_name"),
        payload.get("tool_input"),
        payload.get("error"),
        key=text_of(payload, "tool_call_id", "tool_use_id"),
        ok=False,
        duration_ms=payload.get("duration_ms"),
    )


def _stopped(payload: Payload, common: Common) -> tuple[Event, ...]:
    return (*reply(common, text_of(payload, "last_assistant_message")), TurnEnded(**common))


def _subagent_stopped(payload: Payload, common: Common) -> tuple[Event, ...]:
    said = text_of(payload, "last_assistant_message")
    return reply(common, said) if common["agent_type"] else ()


def _compacting(payload: Payload, common: Common) -> tuple[Event, ...]:
    summary = text_of(payload, "compact_summary")
    return (Compacted(**common, trigger=text_of(payload, "trigger"), summary=summary),)


def _ended(payload: Payload, common: Common) -> tuple[Event, ...]:
    return (SessionEnded(**common, reason=text_of(payload, "reason")),)


# Passed over: PreToolUse, StopFailure, SubagentStart, Notification, PermissionRequest.
_READERS: dict[str, Reader] = {
    "SessionStart": _started,
    "UserPromptSubmit": _prompt,
    "PostToolUse": _tool,
    "PostToolUseFailure": _tool_failed,
    "Stop": _stopped,
    "SubagentStop": _subagent_stopped,
    "PreCompact": _compacting,
    "PostCompact": _compacting,
    "SessionEnd": _ended,
}
