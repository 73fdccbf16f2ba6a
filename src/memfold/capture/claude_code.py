"""Claude Code's hook payloads as events.

Nine of its 34 events (version 2.1.332) are kept; ``NOT_KEPT`` says why the others are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memfold.capture.payload import Common, Payload, Reader, reply, text_of, tool_use
from memfold.capture.shared_events import compacted, ended, is_prompt, reported, started
from memfold.records import Event, PromptGiven, TurnEnded

HOST = "claude-code"
VSCODE = "vscode-copilot"  # runs the hooks of Claude Code's settings, with keys in camelCase


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events and shapes that are not ours to keep."""
    name = text_of(payload, "hook_event_name", "hookEventName") or event
    session = text_of(payload, "session_id", "sessionId")
    common: Common = {
        "host": HOST if "session_id" in payload else VSCODE,
        "session": session,
        "at_ms": received_at_ms,
        "cwd": text_of(payload, "cwd"),
        "agent": text_of(payload, "agent_id"),
        "agent_type": text_of(payload, "agent_type"),
        "transcript": text_of(payload, "transcript_path", "transcriptPath"),
    }
    return reported(_READERS, name, payload, common)


def _prompt(payload: Payload, common: Common) -> tuple[Event, ...]:
    text = text_of(payload, "prompt")
    if not is_prompt(text):
        return ()
    return (PromptGiven(**common, text=text, prompt_key=text_of(payload, "prompt_id")),)


def _tool(payload: Payload, common: Common) -> tuple[Event, ...]:
    return _tool_use(payload, common, payload.get("tool_response"), ok=True)


def _tool_failed(payload: Payload, common: Common) -> tuple[Event, ...]:
    response = payload.get("error", payload.get("tool_response"))
    return _tool_use(payload, common, response, ok=False)


def _tool_use(payload: Payload, common: Common, response: Any, *, ok: bool) -> tuple[Event, ...]:
    return tool_use(
        common,
        text_of(payload, "tool_name", "toolName"),
        payload.get("tool_input", payload.get("toolInput")),
        response,
        key=text_of(payload, "tool_use_id", "tool_call_id", "toolUseId"),
        ok=ok,
        duration_ms=payload.get("duration_ms"),
    )


def _stopped(payload: Payload, common: Common) -> tuple[Event, ...]:
    # While a subagent works in the background, the turn goes on: its end wakes the agent up, and
    # a second Stop follows. A shell in the background may run for ever and holds up nothing.
    tasks = payload.get("background_tasks")
    at_work = isinstance(tasks, list) and any(map(_is_working_subagent, tasks))
    ended = () if at_work else (TurnEnded(**common),)
    return (*_reply(payload, common), *ended)  # events of one instant in their order


def _is_working_subagent(task: Any) -> bool:
    return (
        isinstance(task, Mapping)
        and task.get("type") == "subagent"
        and task.get("status") == "running"
    )


def _reply(payload: Payload, common: Common) -> tuple[Event, ...]:
    return reply(common, text_of(payload, "last_assistant_message"))


def _subagent_stopped(payload: Payload, common: Common) -> tuple[Event, ...]:
    # An empty type is the summariser of a compaction: its message is not the agent's work.
    return _reply(payload, common) if common["agent_type"] else ()


_READERS: dict[str, Reader] = {
    "SessionStart": started("source"),
    "UserPromptSubmit": _prompt,
    "PostToolUse": _tool,
    "PostToolUseFailure": _tool_failed,
    "Stop": _stopped,
    "SubagentStop": _subagent_stopped,
    "PreCompact": compacted("trigger", "compact_summary"),
    "PostCompact": compacted("trigger", "compact_summary"),
    "SessionEnd": ended("reason"),
}


NOT_KEPT = {
    "PreToolUse": "PostToolUse says the same, with the result",
    "PostToolBatch": "repeats its PostToolUse events",
    "MessageDisplay": "the text is in the transcript and in Stop, whole",
    "UserPromptExpansion": "UserPromptSubmit gives what was typed",
    "SubagentStart": "its tool uses carry the subagent's id and type",
    "StopFailure": "a failure of the model's service, not of the work",
    "TaskCreated": "the tool that made the task is captured",
    "TaskCompleted": "the tool that ended the task is captured",
    "TeammateIdle": "nothing happened",
    "PermissionRequest": "asked before the call; PostToolUse says whether it ran",
    "PermissionDenied": "nothing ran",
    "Elicitation": "a question of an MCP server",
    "ElicitationResult": "its answer is in the tool's response",
    "Notification": "tells the user to look",
    "InstructionsLoaded": "files that every session loads",
    "Setup": "about the program",
    "PreModelSwitch": "about the program",
    "PostModelSwitch": "about the program",
    "ConfigChange": "about the program",
    "PreSkillShellCommand": "part of how a skill's text is made",
    "CwdChanged": "every event names its directory",
    "DirectoryAdded": "every event names its directory",
    "FileChanged": "not a deed of the agent",
    "WorktreeCreate": "every event names its directory",
    "WorktreeRemove": "every event names its directory",
}
