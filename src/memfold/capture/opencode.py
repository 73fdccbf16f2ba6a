"""What a plugin in OpenCode reports, as events: the names of its own hooks and bus events.

Source: the plugin types and bus of version 1.18.33, and payloads of other plugins.
"""

from __future__ import annotations

from memfold.capture.payload import (
    Common,
    Payload,
    Reader,
    decoded,
    part,
    plain_result,
    text_of,
    tool_use,
)
from memfold.capture.shared_events import (
    compacted,
    ended,
    is_prompt,
    reported,
    said,
    started,
    stopped,
)
from memfold.records import Event, PromptGiven

HOST = "opencode"
_IDS = ("sessionID", "sessionId", "session_id")


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events that are not ours to keep."""
    properties = part(payload, "properties")
    info = part(properties, "info")
    session = text_of(payload, *_IDS) or text_of(properties, *_IDS)
    if not session and not text_of(info, "sessionID"):
        session = text_of(info, "id")
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": received_at_ms,
        "cwd": text_of(payload, "cwd", "directory") or text_of(info, "directory"),
        "agent": session if text_of(info, "parentID") or text_of(payload, "parent") else "",
    }
    return reported(_READERS, text_of(payload, "hook_type", "type") or event, payload, common)


def _prompt(payload: Payload, common: Common) -> tuple[Event, ...]:
    parts = payload.get("parts")
    typed = text_of(payload, "prompt", "text")
    if not typed and isinstance(parts, list):
        # `synthetic` parts are what the program adds, such as the content of a file.
        shown = [p for p in parts if isinstance(p, dict) and not p.get("synthetic")]
        typed = "\n".join(text_of(p, "text") for p in shown if p.get("type") == "text").strip()
    key = text_of(payload, "messageID", "message_id")
    return (PromptGiven(**common, text=typed, prompt_key=key),) if is_prompt(typed) else ()


def _tool(payload: Payload, common: Common) -> tuple[Event, ...]:
    result = payload.get("result", payload.get("output"))
    failed = payload.get("error")
    return tool_use(
        common,
        text_of(payload, "tool"),
        decoded(payload.get("args")),
        plain_result(failed or result),
        key=text_of(payload, "callID", "call_id"),
        ok=not failed,
        duration_ms=payload.get("duration_ms"),
    )


# Passed over: tool.execute.before (after says the same with the result), session.error,
# session.updated, message and part updates (their text comes whole, as text.complete).
_READERS: dict[str, Reader] = {
    "session.created": started(),
    "chat.message": _prompt,
    "tool.execute.after": _tool,
    "experimental.text.complete": said("text"),
    "text.complete": said("text"),
    "session.idle": stopped(),
    "session.compacted": compacted(summary="summary"),
    "session.deleted": ended(),
}
