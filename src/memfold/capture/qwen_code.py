"""Qwen Code's hook payloads as events: Claude Code's events, Gemini CLI's tools.

Source: the real binary, version 0.24.4.
"""

from __future__ import annotations

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
from memfold.capture.shared_events import compacted, ended, is_prompt, reported, started, stopped
from memfold.records import Event, PromptGiven

HOST = "qwen-code"


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events that are not ours to keep."""
    session = text_of(payload, "session_id")
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": moment_of(payload.get("timestamp"), received_at_ms),
        "cwd": text_of(payload, "cwd"),
        "agent": text_of(payload, "agent_id"),
        "agent_type": text_of(payload, "agent_type"),
        "transcript": text_of(payload, "transcript_path"),
    }
    return reported(_READERS, text_of(payload, "hook_event_name") or event, payload, common)


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


def _subagent_stopped(payload: Payload, common: Common) -> tuple[Event, ...]:
    said = text_of(payload, "last_assistant_message")
    return reply(common, said) if common["agent_type"] else ()


# Passed over: PreToolUse, StopFailure, SubagentStart, Notification, PermissionRequest.
_READERS: dict[str, Reader] = {
    "SessionStart": started("source"),
    "UserPromptSubmit": _prompt,
    "PostToolUse": _tool,
    "PostToolUseFailure": _tool_failed,
    "Stop": stopped("last_assistant_message"),
    "SubagentStop": _subagent_stopped,
    "PreCompact": compacted("trigger", "compact_summary"),
    "PostCompact": compacted("trigger", "compact_summary"),
    "SessionEnd": ended("reason"),
}
