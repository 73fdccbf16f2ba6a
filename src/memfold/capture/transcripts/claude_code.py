"""Claude Code's session files (versions 1.0 to 2.1) as events.

One JSON object a line. An assistant message is spread over several lines with one message id
and repeats its usage on each; a tool's result comes in a later user line. Subagents stand in
files of their own (``<session>/subagents/agent-<id>.jsonl``) or, before 2.0, as sidechain lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memfold.capture.claude_code import HOST, is_prompt
from memfold.capture.tools import files_of, is_ours
from memfold.capture.transcripts.lines import Reading, as_dict, as_text, json_lines, moment_ms
from memfold.records import Event, PromptGiven, ReplyGiven, ToolUsed, TurnEnded

_NOISE = ("<local-command-", "<command-message>", "<bash-", "Caveat: ", "[Request interrupted")
_COMMAND = re.compile(r"<command-name>\s*(/?[^<]*?)\s*</command-name>")
_ARGS = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_IDE = re.compile(r"<ide_[a-z_]+>.*?</ide_[a-z_]+>", re.DOTALL)
IMAGE = "[image]"


def read(path: Path, start: int, reading: Reading, *, whole: bool) -> Iterator[Event]:
    """Events of a file from a byte offset on, in its order."""
    run = _File(path, reading)
    for line in json_lines(path, start, reading, whole=whole):
        yield from run.line(line)
    if whole:
        yield from run.end()
    else:
        run.leave_open()


class _File:
    def __init__(self, path: Path, reading: Reading) -> None:
        self._reading = reading
        self._waiting: dict[str, ToolUsed] = {}  # calls whose result has not come
        self._agent = path.stem.removeprefix("agent-") if path.stem.startswith("agent-") else ""
        self._summariser = self._agent.startswith("acompact")
        self._starts: dict[str, int] = {}  # where the lines of those calls begin
        self._priced: set[str] = set()  # message ids whose usage was given out
        self._last: Event | None = None
        self._at_ms = int(path.stat().st_mtime * 1000)

    def line(self, line: dict[str, Any]) -> Iterator[Event]:
        self._at_ms = moment_ms(line.get("timestamp"), self._at_ms)
        session = as_text(line.get("sessionId"))
        if line.get("type") not in {"user", "assistant"} or not session or self._summariser:
            return
        agent = as_text(line.get("agentId")) or self._agent
        if not agent and line.get("isSidechain"):
            agent = "sidechain"
        common: dict[str, Any] = {
            "host": HOST,
            "session": session,
            "at_ms": self._at_ms,
            "cwd": as_text(line.get("cwd")),
            "agent": agent,
            "branch": as_text(line.get("gitBranch")),
        }
        message = as_dict(line.get("message"))
        if line["type"] == "assistant":
            yield from self._assistant(message, common)
        else:
            yield from self._user(line, message, common)

    def end(self) -> Iterator[Event]:
        """Calls without a result, and the end of the last turn."""
        yield from self._waiting.values()
        self._waiting.clear()
        if self._last is not None and not self._last.agent:
            last = self._last
            yield TurnEnded(host=HOST, session=last.session, at_ms=last.at_ms, cwd=last.cwd)

    def leave_open(self) -> None:
        """Calls still under way are read again next time, together with their results."""
        for key in self._waiting:
            self._reading.offset = min(self._reading.offset, self._starts[key])

    def _assistant(self, message: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        if message.get("model") == "<synthetic>":  # the program's own notice, not the agent
            return
        work = self._work_tokens(message)
        for block in _blocks(message.get("content")):
            kind = block.get("type")
            if kind == "text" and as_text(block.get("text")).strip():
                yield self._kept(ReplyGiven(**common, text=block["text"]))
            elif kind == "tool_use":
                self._call(block, common, work)
                work = 0  # a message's usage goes to its first call, once

    def _work_tokens(self, message: dict[str, Any]) -> int:
        usage, number = as_dict(message.get("usage")), as_text(message.get("id"))
        calls = any(b.get("type") == "tool_use" for b in _blocks(message.get("content")))
        if not calls or number in self._priced:
            return 0
        self._priced.add(number)
        names = ("input_tokens", "output_tokens", "cache_creation_input_tokens")
        figures = [usage.get(name) for name in names]
        return sum(figure for figure in figures if isinstance(figure, int))

    def _call(self, block: dict[str, Any], common: dict[str, Any], work: int) -> None:
        tool, key = as_text(block.get("name")), as_text(block.get("id"))
        if key in self._waiting:
            return
        self._reading.tool_uses += 1
        if not tool or not key:
            self._reading.skipped["no name or id"] += 1
            return
        if is_ours(tool):
            self._reading.skipped["memfold's own tool"] += 1
            return
        read_, changed = files_of(tool, block.get("input"))
        self._starts[key] = self._reading.line_start
        self._waiting[key] = ToolUsed(
            **common,
            key=key,
            tool=tool,
            input=block.get("input"),
            response=None,
            ok=False,
            work_tokens=work,
            files_read=read_,
            files_changed=changed,
        )

    def _user(
        self, line: dict[str, Any], message: dict[str, Any], common: dict[str, Any]
    ) -> Iterator[Event]:
        content = message.get("content")
        for block in _blocks(content):
            if block.get("type") == "tool_result":
                yield from self._result(line, block, common)
        text = prompt_text(content)
        if line.get("isMeta") or line.get("isCompactSummary") or common["agent"] or not text:
            return
        if self._last is not None and not self._last.agent:
            previous = self._last
            yield TurnEnded(
                host=HOST, session=previous.session, at_ms=previous.at_ms, cwd=previous.cwd
            )
        key = as_text(line.get("promptId"))
        yield self._kept(PromptGiven(**common, text=text, prompt_key=key))

    def _result(
        self, line: dict[str, Any], block: dict[str, Any], common: dict[str, Any]
    ) -> Iterator[Event]:
        call = self._waiting.pop(as_text(block.get("tool_use_id")), None)
        if call is None:
            return  # of a call before our offset, or of one that is not kept
        full = line.get("toolUseResult")
        response = full if isinstance(full, dict) else result_text(block.get("content"))
        ok = not block.get("is_error")
        yield self._kept(
            ToolUsed(
                **{**common, "cwd": call.cwd or common["cwd"]},
                key=call.key,
                tool=call.tool,
                input=call.input,
                response=_without_images(response),
                ok=ok,
                work_tokens=call.work_tokens,
                files_read=call.files_read,
                files_changed=call.files_changed if ok else (),
            )
        )

    def _kept(self, event: Event) -> Event:
        self._last = event
        return event


def _blocks(content: Any) -> list[dict[str, Any]]:
    if not isinstance(content, list):
        return [{"type": "text", "text": content}] if isinstance(content, str) else []
    return [block for block in content if isinstance(block, dict)]


def prompt_text(content: Any) -> str:
    """What the user typed, or ''. A slash command is its name and arguments."""
    parts: list[str] = []
    for block in _blocks(content):
        if block.get("type") == "text":
            parts.append(_IDE.sub("", _REMINDER.sub("", as_text(block.get("text")))).strip())
        elif block.get("type") == "image":
            parts.append(IMAGE)
    text = "\n".join(part for part in parts if part).strip()
    command = _COMMAND.search(text)
    if command:
        args = _ARGS.search(text)
        said = args.group(1) if args else ""
        return f"{command.group(1)} {said}".strip() if said else ""
    if text == IMAGE or text.startswith(_NOISE) or not is_prompt(text):
        return ""
    return text


def result_text(content: Any) -> Any:
    """A tool result's text, images replaced by a mark."""
    if not isinstance(content, list):
        return content
    parts = [
        as_text(block.get("text")) if block.get("type") == "text" else IMAGE
        for block in _blocks(content)
    ]
    return "\n".join(parts)


def _without_images(response: Any) -> Any:
    if isinstance(response, dict) and response.get("type") == "image":
        return {"type": "image", "file": IMAGE}
    return response
