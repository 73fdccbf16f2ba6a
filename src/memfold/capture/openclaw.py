"""What a plugin in OpenClaw reports, as events: the names of its own plugin hooks.

It names no directory by itself: without one nothing is kept, for memory belongs to a project.
Source: payloads of other programs' plugins.
"""

from __future__ import annotations

from memfold.capture.payload import (
    Common,
    Payload,
    Reader,
    moment_of,
    plain_result,
    text_of,
    tool_use,
)
from memfold.capture.shared_events import compacted, ended, prompted, reported, started, stopped
from memfold.records import Event

HOST = "openclaw"


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events that are not ours to keep."""
    session = text_of(payload, "session_id", "sessionId", "session_key", "sessionKey")
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": moment_of(payload.get("timestamp"), received_at_ms),
        "cwd": text_of(payload, "cwd", "workspace_dir", "workspaceDir"),
    }
    return reported(_READERS, text_of(payload, "hook_type") or event, payload, common)


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


# Passed over: before_tool_call (after_tool_call says the same with the result), the messages of
# its channels, and what is about its gateway.
_READERS: dict[str, Reader] = {
    "session_start": started(),
    "before_agent_start": prompted("prompt"),
    "after_tool_call": _tool,
    "agent_end": stopped("last_message"),
    "before_compaction": compacted(),
    "session_end": ended(),
}
