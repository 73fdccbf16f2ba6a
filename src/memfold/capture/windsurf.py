"""Windsurf's hook payloads as events. Source: its documentation, and payloads of other programs."""

from __future__ import annotations

import posixpath
from typing import Any

from memfold.capture.payload import (
    Common,
    Payload,
    Reader,
    content_key,
    moment_of,
    part,
    plain_result,
    reply,
    text_of,
    tool_use,
)
from memfold.capture.shared_events import is_prompt, reported
from memfold.records import Event, PromptGiven, TurnEnded

HOST = "windsurf"


def events_of(payload: Payload, event: str, received_at_ms: int) -> tuple[Event, ...]:
    """What one payload reports; nothing for events that are not ours to keep."""
    session = text_of(payload, "trajectory_id")
    common: Common = {
        "host": HOST,
        "session": session,
        "at_ms": moment_of(payload.get("timestamp"), received_at_ms),
        "cwd": _place(payload),
    }
    return reported(_READERS, text_of(payload, "agent_action_name") or event, payload, common)


def _place(payload: Payload) -> str:
    """The directory: what the event names, else that of the file it is about."""
    info = part(payload, "tool_info")
    named = text_of(payload, "cwd") or text_of(info, "cwd", "root_workspace_path")
    file = text_of(info, "file_path")
    return named or (posixpath.dirname(file) if file.startswith("/") else "")


def _prompt(payload: Payload, common: Common) -> tuple[Event, ...]:
    text = text_of(part(payload, "tool_info"), "user_prompt")
    return (PromptGiven(**common, text=text),) if is_prompt(text) else ()


def _call(
    payload: Payload, common: Common, tool: str, given: Any, response: Any
) -> tuple[Event, ...]:
    # No id: the moment, which a replay repeats, tells two equal calls apart.
    key = content_key(tool, given, [response, payload.get("timestamp")])
    return tool_use(common, tool, given, response, key=key)


def _read(payload: Payload, common: Common) -> tuple[Event, ...]:
    return _call(payload, common, "read_code", dict(part(payload, "tool_info")), None)


def _wrote(payload: Payload, common: Common) -> tuple[Event, ...]:
    return _call(payload, common, "write_code", dict(part(payload, "tool_info")), None)


def _ran(payload: Payload, common: Common) -> tuple[Event, ...]:
    info = part(payload, "tool_info")
    given = {"command": text_of(info, "command_line"), "cwd": text_of(info, "cwd")}
    return _call(payload, common, "run_command", given, info.get("output"))


def _mcp(payload: Payload, common: Common) -> tuple[Event, ...]:
    info = part(payload, "tool_info")
    tool = text_of(info, "mcp_tool_name")
    name = f"mcp__{text_of(info, 'mcp_server_name')}__{tool}" if tool else ""
    response = plain_result(info.get("mcp_result"))
    return _call(payload, common, name, info.get("mcp_tool_arguments"), response)


def _answered(payload: Payload, common: Common) -> tuple[Event, ...]:
    said = text_of(part(payload, "tool_info"), "response")
    return (*reply(common, said), TurnEnded(**common))


# Passed over: the pre_... events but the prompt's (post_... says the same with the result),
# post_setup_worktree, and post_cascade_response_with_transcript, which repeats the reply.
_READERS: dict[str, Reader] = {
    "pre_user_prompt": _prompt,
    "post_read_code": _read,
    "post_write_code": _wrote,
    "post_run_command": _ran,
    "post_mcp_tool_use": _mcp,
    "post_cascade_response": _answered,
}
