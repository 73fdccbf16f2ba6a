"""What an extension in pi reports, as events: the names of its own lifecycle events.

Source: payloads of other programs' extensions.
"""

from __future__ import annotations

from memfold.capture.payload import (
    Common,
    Payload,
    Reader,
    moment_of,
    part,
    plain_result,
    reply,
    text_of,
    tool_use,
)
from memfold.capture.shared_events import compacted, ended, prompted, reported, started, stopped
from memfold.records import Event

HOST = "pi"


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events that are not ours to keep."""
    session = text_of(payload, "session_id", "sessionId")
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": moment_of(payload.get("timestamp"), received_at_ms),
        "cwd": text_of(payload, "cwd") or text_of(part(payload, "systemPromptOptions"), "cwd"),
        "transcript": text_of(payload, "session_file"),
    }
    return reported(_READERS, text_of(payload, "hook_event_name", "type") or event, payload, common)


def _tool(payload: Payload, common: Common) -> tuple[Event, ...]:
    return tool_use(
        common,
        text_of(payload, "tool_name", "toolName"),
        payload.get("input", payload.get("args")),
        plain_result(payload.get("content", payload.get("result"))),
        key=text_of(payload, "tool_call_id", "toolCallId"),
        ok=not (payload.get("is_error") or payload.get("isError")),
    )


def _said(payload: Payload, common: Common) -> tuple[Event, ...]:
    message = part(payload, "message")
    if message.get("role") != "assistant":
        return ()
    content = message.get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    spoken = [b for b in blocks if isinstance(b, dict) and b.get("type") == "text"]
    return reply(common, "\n".join(text_of(block, "text") for block in spoken))


# Passed over: tool_call and tool_execution_... (tool_result says the same with the result),
# turn_start, turn_end, agent_start, and agent_end, after which the agent may still go on.
_READERS: dict[str, Reader] = {
    "session_start": started("reason"),
    "before_agent_start": prompted("prompt"),
    "tool_result": _tool,
    "message_end": _said,
    "agent_settled": stopped(),
    "session_compact": compacted(summary="summary"),
    "session_shutdown": ended("reason"),
}
