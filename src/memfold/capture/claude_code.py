"""Claude Code's hook payloads as events.

Most of its 34 events say nothing that others do not say better: PreToolUse and PostToolBatch
repeat PostToolUse, MessageDisplay repeats the transcript, Notification and the Permission, Model,
Config, Worktree and Elicitation events are about the program and not about the work.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from memfold.capture.tools import files_of, is_ours
from memfold.records import (
    Compacted,
    Event,
    PromptGiven,
    ReplyGiven,
    SessionEnded,
    SessionStarted,
    ToolUsed,
    TurnEnded,
)

HOST = "claude-code"
Payload = Mapping[str, Any]
Common = dict[str, Any]


def events_from_hook(payload: Payload, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events and shapes that are not ours to keep."""
    name = _text(payload, "hook_event_name", "hookEventName")
    session = _text(payload, "session_id", "sessionId")
    reader = _READERS.get(name)
    if reader is None or not session:
        return ()
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": received_at_ms,
        "cwd": _text(payload, "cwd"),
        "agent": _text(payload, "agent_id"),
        "agent_type": _text(payload, "agent_type"),
        "transcript": _text(payload, "transcript_path", "transcriptPath"),
    }
    return reader(payload, common)


def is_prompt(text: str) -> bool:
    """Whether the user typed this; background agents' notices come as prompts too."""
    bare = text.strip()
    return bool(bare) and not bare.startswith(("<task-notification>", "<system-reminder>"))


def _started(payload: Payload, common: Common) -> tuple[Event, ...]:
    return (SessionStarted(**common, source=_text(payload, "source") or "startup"),)


def _prompt(payload: Payload, common: Common) -> tuple[Event, ...]:
    text = _text(payload, "prompt")
    if not is_prompt(text):
        return ()
    return (PromptGiven(**common, text=text, prompt_key=_text(payload, "prompt_id")),)


def _tool(payload: Payload, common: Common) -> tuple[Event, ...]:
    return _tool_use(payload, common, payload.get("tool_response"), ok=True)


def _tool_failed(payload: Payload, common: Common) -> tuple[Event, ...]:
    return _tool_use(payload, common, payload.get("error"), ok=False)


def _tool_use(payload: Payload, common: Common, response: Any, *, ok: bool) -> tuple[Event, ...]:
    tool = _text(payload, "tool_name", "toolName")
    if not tool or is_ours(tool):
        return ()
    given = payload.get("tool_input", payload.get("toolInput"))
    key = _text(payload, "tool_use_id", "tool_call_id", "toolUseId")
    read, changed = files_of(tool, given)
    duration = payload.get("duration_ms")
    return (
        ToolUsed(
            **common,
            key=key or content_key(tool, given, response),
            tool=tool,
            input=given,
            response=response,
            ok=ok,
            duration_ms=duration if isinstance(duration, int) else None,
            files_read=read,
            files_changed=changed if ok else (),
        ),
    )


def _stopped(payload: Payload, common: Common) -> tuple[Event, ...]:
    # Events of one instant in their order: the words, then the end.
    return (*_reply(payload, common), TurnEnded(**common))


def _reply(payload: Payload, common: Common) -> tuple[Event, ...]:
    text = _text(payload, "last_assistant_message")
    return (ReplyGiven(**common, text=text),) if text.strip() else ()


def _subagent_stopped(payload: Payload, common: Common) -> tuple[Event, ...]:
    # An empty type is the summariser of a compaction: its message is not the agent's work.
    return _reply(payload, common) if common["agent_type"] else ()


def _compacting(payload: Payload, common: Common) -> tuple[Event, ...]:
    summary = _text(payload, "compact_summary")
    return (Compacted(**common, trigger=_text(payload, "trigger"), summary=summary),)


def _ended(payload: Payload, common: Common) -> tuple[Event, ...]:
    return (SessionEnded(**common, reason=_text(payload, "reason")),)


_READERS: dict[str, Callable[[Payload, Common], tuple[Event, ...]]] = {
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


def content_key(tool: str, given: Any, response: Any) -> str:
    """A tool use's id where the host gives none: the same call and result are one."""
    text = json.dumps([tool, given, response], sort_keys=True, default=str)
    return "sha:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _text(payload: Payload, *keys: str) -> str:
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str) and value:
            return value
    return ""
