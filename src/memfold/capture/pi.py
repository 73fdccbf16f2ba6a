"""What an extension in pi reports, as events: the names of its own lifecycle events.

Source: payloads of other programs' extensions.
"""

from __future__ import annotations

from memfold.capture.claude_code import is_prompt
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
from memfold.records import (
    Compacted,
    Event,
    PromptGiven,
    SessionEnded,
    SessionStarted,
    TurnEnded,
)

HOST = "pi"


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events that are not ours to keep."""
    session = text_of(payload, "session_id", "sessionId")
    reader = _READERS.get(text_of(payload, "hook_event_name", "type") or event)
    if reader is None or not session:
        return ()
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": moment_of(payload.get("timestamp"), received_at_ms),
        "cwd": text_of(payload, "cwd") or text_of(part(payload, "systemPromptOptions"), "cwd"),
        "transcript": text_of(payload, "session_file"),
    }
    return reader(payload, common)


def _started(payload: Payload, common: Common) -> tuple[Event, ...]:
    return (SessionStarted(**common, source=text_of(payload, "reason") or "startup"),)


def _prompt(payload: Payload, common: Common) -> tuple[Event, ...]:
    text = text_of(payload, "prompt")
    return (PromptGiven(**common, text=text),) if is_prompt(text) else ()


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


def _settled(_payload: Payload, common: Common) -> tuple[Event, ...]:
    return (TurnEnded(**common),)


def _compacted(payload: Payload, common: Common) -> tuple[Event, ...]:
    return (Compacted(**common, summary=text_of(payload, "summary")),)


def _ended(payload: Payload, common: Common) -> tuple[Event, ...]:
    return (SessionEnded(**common, reason=text_of(payload, "reason")),)


# Passed over: tool_call and tool_execution_... (tool_result says the same with the result),
# turn_start, turn_end, agent_start, and agent_end, after which the agent may still go on.
_READERS: dict[str, Reader] = {
    "session_start": _started,
    "before_agent_start": _prompt,
    "tool_result": _tool,
    "message_end": _said,
    "agent_settled": _settled,
    "session_compact": _compacted,
    "session_shutdown": _ended,
}
