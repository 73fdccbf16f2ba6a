"""What a plugin in OpenClaw reports, as events: the names of its own plugin hooks.

It names no directory by itself: without one nothing is kept, for memory belongs to a project.
Source: payloads of other programs' plugins.
"""

from __future__ import annotations

from memfold.capture.claude_code import is_prompt
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
from memfold.records import Compacted, Event, PromptGiven, SessionEnded, SessionStarted, TurnEnded

HOST = "openclaw"


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events that are not ours to keep."""
    session = text_of(payload, "session_id", "sessionId", "session_key", "sessionKey")
    reader = _READERS.get(text_of(payload, "hook_type") or event)
    if reader is None or not session:
        return ()
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": moment_of(payload.get("timestamp"), received_at_ms),
        "cwd": text_of(payload, "cwd", "workspace_dir", "workspaceDir"),
    }
    return reader(payload, common)


def _started(_payload: Payload, common: Common) -> tuple[Event, ...]:
    return (SessionStarted(**common),)


def _prompt(payload: Payload, common: Common) -> tuple[Event, ...]:
    text = text_of(payload, "prompt")
    return (PromptGiven(**common, text=text),) if is_prompt(text) else ()


def _tool(payload: Payload, common: Common) -> tuple[Event, ...]:
    error = payload.get("error")
    return tool_use(
        common,
        text_of(payload, "tool", "toolName"),
        payload.get("args", payload.get("params")),
        plain_result(error or payload.get("result")),
        key=text_of(payload, "tool_call_id", "toolCallId"),
        ok=not error,
        duration_ms=payload.get("duration_ms", payload.get("durationMs")),
    )


def _ended_turn(payload: Payload, common: Common) -> tuple[Event, ...]:
    return (*reply(common, text_of(payload, "last_message")), TurnEnded(**common))


def _compacting(_payload: Payload, common: Common) -> tuple[Event, ...]:
    return (Compacted(**common),)


def _ended(_payload: Payload, common: Common) -> tuple[Event, ...]:
    return (SessionEnded(**common),)


# Passed over: before_tool_call (after_tool_call says the same with the result), the messages of
# its channels, and what is about its gateway.
_READERS: dict[str, Reader] = {
    "session_start": _started,
    "before_agent_start": _prompt,
    "after_tool_call": _tool,
    "agent_end": _ended_turn,
    "before_compaction": _compacting,
    "session_end": _ended,
}
