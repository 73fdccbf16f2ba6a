"""Codex's session files (rollouts of 0.39 to 0.140) as events.

Each line is ``{"timestamp", "type", "payload"}``. Calls and their outputs are ``response_item``s
joined by call id; what the user typed and the agent said come as ``event_msg``s, the latter as
``response_item`` too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from memfold.capture.payload import decoded
from memfold.capture.tools import files_of, is_ours
from memfold.capture.transcripts.lines import (
    Reading,
    as_count,
    as_dict,
    as_text,
    json_lines,
    moment_ms,
)
from memfold.records import Compacted, Event, PromptGiven, ReplyGiven, ToolUsed, TurnEnded

HOST = "codex"
# Tuples: a broken file may hold a dict where a name belongs.
_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)", re.MULTILINE)
_IDE = "# Context from my IDE setup"
_REQUEST = "## My request for Codex:"


def read(path: Path, start: int, reading: Reading, *, whole: bool) -> Iterator[Event]:
    """Events of a file from a byte offset on, in its order."""
    run = _File(path, reading)
    if start:
        # The session's id and directory stand at the head of the file.
        for line in json_lines(path, 0, Reading(), whole=False):
            if line.get("type") == "session_meta":
                run.meta(as_dict(line.get("payload")))
                break
    for line in json_lines(path, start, reading, whole=whole):
        yield from run.line(line)
    if whole:
        yield from run.end()
    else:
        yield from run.flush()
        run.leave_open()


class _File:
    def __init__(self, path: Path, reading: Reading) -> None:
        self._reading = reading
        self._path = str(path)
        self._session = ""
        self._cwd = self._branch = ""
        self._waiting: dict[str, ToolUsed] = {}  # calls whose output has not come
        self._starts: dict[str, int] = {}
        self._done: list[ToolUsed] = []  # finished, their price may come in the next line
        self._unpaid: list[str] = []  # calls since the last price
        self._paid_ahead = 0  # a price that came before its calls (0.39)
        self._said: set[str] = set()  # in this turn
        self._at_ms = int(path.stat().st_mtime * 1000)
        self._open_turn = False

    def meta(self, payload: dict[str, Any]) -> None:
        """The first one names the session; a fork brings its parent's along with the history."""
        if self._session:
            return
        self._session = as_text(payload.get("id"))
        self._cwd = as_text(payload.get("cwd"))
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
            self._output(payload)
        elif kind == "response_item" and what == "message" and payload.get("role") == "assistant":
            yield from self._reply(_message_text(payload.get("content")))

    def end(self) -> Iterator[Event]:
        """Calls without an output, and the end of the last turn."""
        yield from self._turn_ended()

    def flush(self) -> Iterator[Event]:
        """Calls that are finished."""
        yield from self._done
        self._done.clear()

    def leave_open(self) -> None:
        """Calls still under way are read again next time, together with their outputs."""
        for key in self._waiting:
            self._reading.offset = min(self._reading.offset, self._starts[key])

    def _common(self) -> dict[str, Any]:
        return {
            "host": HOST,
            "session": self._session or self._path.removesuffix(".jsonl")[-36:],
            "at_ms": self._at_ms,
            "cwd": self._cwd,
            "branch": self._branch,
            "transcript": self._path,
        }

    def _event(self, what: Any, payload: dict[str, Any]) -> Iterator[Event]:
        if what == "user_message":
            text = typed_text(as_text(payload.get("message")), payload.get("images"))
            if text:
                yield from self._turn_ended()
                self._open_turn = True
                yield PromptGiven(**self._common(), text=text)
        elif what == "agent_message":
            yield from self._reply(as_text(payload.get("message")))
        elif what == "token_count":
            self._pay(as_dict(as_dict(payload.get("info")).get("last_token_usage")))
            yield from self.flush()
        elif what in ("task_complete", "turn_aborted"):
            yield from self._reply(as_text(payload.get("last_agent_message")))
            yield from self._turn_ended()

    def _turn_ended(self) -> Iterator[Event]:
        yield from self.flush()
        yield from (replace(call, files_changed=()) for call in self._waiting.values())
        self._waiting.clear()
        self._unpaid.clear()
        self._paid_ahead = 0
        self._said.clear()
        if self._open_turn:
            self._open_turn = False
            yield TurnEnded(**self._common())

    def _reply(self, text: str) -> Iterator[Event]:
        if text.strip() and text not in self._said:
            self._said.add(text)
            yield from self.flush()
            yield ReplyGiven(**self._common(), text=text)

    def _pay(self, usage: dict[str, Any]) -> None:
        """Give what a request cost to the calls it brought, each token once."""
        fresh = as_count(usage.get("input_tokens")) - as_count(usage.get("cached_input_tokens"))
        tokens = max(fresh, 0) + as_count(usage.get("output_tokens"))
        keys, self._unpaid = self._unpaid, []
        if not keys:
            self._paid_ahead += tokens
            return
        share, rest = divmod(tokens, len(keys))
        prices = {key: share + (1 if at < rest else 0) for at, key in enumerate(keys)}
        self._done = [_priced(call, prices.get(call.key, 0)) for call in self._done]
        for key in keys:
            if key in self._waiting:
                self._waiting[key] = _priced(self._waiting[key], prices[key])

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
        given = decoded(given)
        read_, changed = files_of(tool, given)
        self._open_turn = True
        self._starts[key] = self._reading.line_start
        call = ToolUsed(
            **self._common(),
            key=key,
            tool=tool,
            input=given,
            response=None,
            ok=what == "web_search_call",
            work_tokens=self._paid_ahead,
            files_read=read_,
            files_changed=changed,
        )
        if not self._paid_ahead:
            self._unpaid.append(key)
        self._paid_ahead = 0
        if what == "web_search_call":  # has no output line
            self._done.append(call)
        else:
            self._waiting[key] = call

    def _output(self, payload: dict[str, Any]) -> None:
        call = self._waiting.pop(as_text(payload.get("call_id")), None)
        if call is None:
            return
        response, code = _outcome(decoded(payload.get("output")))
        ok = code in (None, 0)
        self._done.append(
            replace(
                call,
                at_ms=self._at_ms,
                response=response,
                ok=ok,
                files_changed=call.files_changed if ok else (),
            )
        )


def _priced(call: ToolUsed, tokens: int) -> ToolUsed:
    return replace(call, work_tokens=call.work_tokens + tokens) if tokens else call


def _outcome(output: Any) -> tuple[Any, int | None]:
    """(what a call printed, its exit code where it says one)."""
    if isinstance(output, dict) and isinstance(output.get("output"), str):
        code = as_dict(output.get("metadata")).get("exit_code")
        return output["output"], code if isinstance(code, int) else None
    response = output if isinstance(output, str) else _message_text(output) or output
    if not isinstance(response, str):
        return response, None
    head = response[:2_000].partition("\nOutput:")[0]  # what follows is the command's own
    found = _EXIT.search(head)
    return response, int(found[1]) if found else None


def typed_text(message: str, images: Any) -> str:
    """What the user typed, without what an editor put around it; a mark for each picture."""
    text = message.strip()
    if text.startswith(_IDE):
        text = text.partition(_REQUEST)[2].strip()
    marks = "[image]" * len(images) if isinstance(images, list) else ""
    return f"{text}\n{marks}".strip() if text else ""


def _message_text(content: Any) -> str:
    if not isinstance(content, list):
        return as_text(content)
    return "\n".join(
        as_text(part.get("text")) or "[image]" for part in content if isinstance(part, dict)
    )
