"""Codex's session files (rollouts of 0.39 to 0.140) as events.

Each line is ``{"timestamp", "type", "payload"}``. Calls and their outputs are ``response_item``s
joined by call id; what the user typed and the agent said come as ``event_msg``s.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memfold.capture.tools import files_of, is_ours
from memfold.capture.transcripts.lines import Reading, as_dict, as_text, json_lines, moment_ms
from memfold.records import Compacted, Event, PromptGiven, ReplyGiven, ToolUsed, TurnEnded

HOST = "codex"
_CALLS = {"function_call", "custom_tool_call", "local_shell_call", "web_search_call"}
_OUTPUTS = {"function_call_output", "custom_tool_call_output"}
_EXIT = re.compile(r"(?:exited with code|exit code:?|\"exit_code\":)\s*(-?\d+)", re.IGNORECASE)
_REQUEST = re.compile(r"## My request for Codex:\s*", re.IGNORECASE)


def read(path: Path, start: int, reading: Reading, *, whole: bool) -> Iterator[Event]:
    """Events of a file from a byte offset on, in its order."""
    run = _File(path, reading)
    if start:
        # The session's id and directory stand at the head of the file.
        head = Reading()
        for line in json_lines(path, 0, head, whole=False):
            if line.get("type") == "session_meta":
                run.meta(as_dict(line.get("payload")))
                break
    for line in json_lines(path, start, reading, whole=whole):
        yield from run.line(line)
    if whole:
        yield from run.end()
    else:
        run.leave_open()


class _File:
    def __init__(self, path: Path, reading: Reading) -> None:
        self._reading = reading
        self._session = path.stem[-36:]
        self._cwd = self._branch = ""
        self._waiting: dict[str, ToolUsed] = {}
        self._starts: dict[str, int] = {}
        self._at_ms = int(path.stat().st_mtime * 1000)
        self._open_turn = False

    def meta(self, payload: dict[str, Any]) -> None:
        self._session = as_text(payload.get("id")) or self._session
        self._cwd = as_text(payload.get("cwd")) or self._cwd
        self._branch = as_text(as_dict(payload.get("git")).get("branch"))

    def line(self, line: dict[str, Any]) -> Iterator[Event]:
        self._at_ms = moment_ms(line.get("timestamp"), self._at_ms)
        payload = as_dict(line.get("payload"))
        kind, what = line.get("type"), payload.get("type")
        if kind == "session_meta":
            self.meta(payload)
        elif kind == "turn_context":
            self._cwd = as_text(payload.get("cwd")) or self._cwd
        elif kind == "compacted":
            yield Compacted(**self._common(), summary=as_text(payload.get("message")))
        elif kind == "event_msg":
            yield from self._event(what, payload)
        elif kind == "response_item" and what in _CALLS:
            self._call(str(what), payload)
        elif kind == "response_item" and what in _OUTPUTS:
            yield from self._output(payload)
        elif kind == "response_item" and what == "message" and payload.get("role") == "assistant":
            yield from self._said(_message_text(payload.get("content")))

    def end(self) -> Iterator[Event]:
        yield from self._waiting.values()
        self._waiting.clear()
        if self._open_turn:
            yield TurnEnded(**self._common())

    def leave_open(self) -> None:
        for key in self._waiting:
            self._reading.offset = min(self._reading.offset, self._starts[key])

    def _common(self) -> dict[str, Any]:
        return {
            "host": HOST,
            "session": self._session,
            "at_ms": self._at_ms,
            "cwd": self._cwd,
            "branch": self._branch,
        }

    def _event(self, what: Any, payload: dict[str, Any]) -> Iterator[Event]:
        if what == "user_message":
            text = _REQUEST.split(as_text(payload.get("message")))[-1].strip()
            if text:
                if self._open_turn:
                    yield TurnEnded(**self._common())
                self._open_turn = True
                yield PromptGiven(**self._common(), text=text)
        elif what == "agent_message":
            yield from self._said(as_text(payload.get("message")))
        elif what in {"task_complete", "turn_aborted"}:
            yield from self._said(as_text(payload.get("last_agent_message")))
            self._open_turn = False
            yield TurnEnded(**self._common())

    def _said(self, text: str) -> Iterator[Event]:
        if text.strip():
            yield ReplyGiven(**self._common(), text=text)

    def _call(self, what: str, payload: dict[str, Any]) -> None:
        tool = as_text(payload.get("name")) or what.removesuffix("_call")
        key = as_text(payload.get("call_id")) or as_text(payload.get("id"))
        self._reading.tool_uses += 1
        if not key:
            key = f"line:{self._reading.line_start}"
        if is_ours(tool) or as_text(payload.get("namespace")) == "mcp__memfold":
            self._reading.skipped["memfold's own tool"] += 1
            return
        given = payload.get("arguments", payload.get("input", payload.get("action")))
        given = _decoded(given)
        read_, changed = files_of(tool, given)
        self._open_turn = True
        self._starts[key] = self._reading.line_start
        self._waiting[key] = ToolUsed(
            **self._common(),
            key=key,
            tool=tool,
            input=given,
            response=None,
            ok=what == "web_search_call",
            files_read=read_,
            files_changed=changed,
        )

    def _output(self, payload: dict[str, Any]) -> Iterator[Event]:
        call = self._waiting.pop(as_text(payload.get("call_id")), None)
        if call is None:
            return
        output = _decoded(payload.get("output"))
        if isinstance(output, dict) and isinstance(output.get("output"), str):
            code = as_dict(output.get("metadata")).get("exit_code")
            response: Any = output["output"]
        else:
            response = output if isinstance(output, str) else _message_text(output) or output
            found = _EXIT.search(response[:400]) if isinstance(response, str) else None
            code = int(found.group(1)) if found else None
        ok = code in (None, 0)
        yield ToolUsed(
            **{**self._common(), "cwd": call.cwd},
            key=call.key,
            tool=call.tool,
            input=call.input,
            response=response,
            ok=ok,
            files_read=call.files_read,
            files_changed=call.files_changed if ok else (),
        )


def _decoded(value: Any) -> Any:
    """Arguments and outputs come as JSON in a string, as plain text, or decoded."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _message_text(content: Any) -> str:
    if not isinstance(content, list):
        return as_text(content)
    return "\n".join(
        as_text(part.get("text")) or "[image]" for part in content if isinstance(part, dict)
    )
