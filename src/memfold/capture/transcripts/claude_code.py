"""Claude Code's session files (versions 1.0 to 2.1) as events.

One JSON object a line. An assistant message is spread over several lines with one message id
and repeats its usage on each; a tool's result comes in a later user line. Subagents stand in
files of their own (``<session>/subagents/agent-<id>.jsonl``) or, before 2.0, as sidechain lines.
Which lines are prompts: ``typed.py``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from memfold.capture.claude_code import HOST
from memfold.capture.tools import files_of, is_ours
from memfold.capture.transcripts.lines import (
    Reading,
    as_count,
    as_dict,
    as_text,
    json_lines,
    moment_ms,
)
from memfold.capture.transcripts.typed import IMAGE, blocks_of, prompt_text
from memfold.records import Compacted, Event, PromptGiven, ReplyGiven, ToolUsed, TurnEnded

_PAID = ("input_tokens", "output_tokens", "cache_creation_input_tokens")


def read(path: Path, start: int, reading: Reading, *, whole: bool) -> Iterator[Event]:
    """Events of a file from a byte offset on, in its order."""
    run = _File(path, reading)
    for line in json_lines(path, start, reading, whole=whole):
        yield from run.line(line)
    if whole:
        yield from run.end()
    else:
        run.leave_open()


@dataclass(slots=True)
class _Message:
    """One message of the model: its lines share one id and one price."""

    tokens: int = 0
    keys: list[str] = field(default_factory=list)  # of its tool calls


class _File:
    def __init__(self, path: Path, reading: Reading) -> None:
        self._reading = reading
        self._path = str(path)
        self._waiting: dict[str, ToolUsed] = {}  # calls whose result has not come
        self._starts: dict[str, int] = {}  # where the lines of those calls begin
        self._messages: dict[str, _Message] = {}
        self._agent = path.stem.removeprefix("agent-") if path.stem.startswith("agent-") else ""
        self._summariser = self._agent.startswith("acompact")
        self._chains: dict[str, str] = {}  # uuid of a sidechain line -> its subagent
        self._queued: deque[str] = deque()  # typed while the agent was at work
        self._trigger = ""  # of the compaction whose summary comes next
        self._last: dict[str, Event] = {}  # session -> what the main agent or the user did last
        self._at_ms = int(path.stat().st_mtime * 1000)

    def line(self, line: dict[str, Any]) -> Iterator[Event]:
        self._at_ms = moment_ms(line.get("timestamp"), self._at_ms)
        session = as_text(line.get("sessionId"))
        if not session or self._summariser:
            return
        agent = as_text(line.get("agentId")) or self._agent or self._chain(line)
        common: dict[str, Any] = {
            "host": HOST,
            "session": session,
            "at_ms": self._at_ms,
            "cwd": as_text(line.get("cwd")),
            "agent": agent,
            "branch": as_text(line.get("gitBranch")),
            "transcript": "" if agent else self._path,
        }
        kind, message = line.get("type"), as_dict(line.get("message"))
        if kind == "assistant":
            yield from self._assistant(message, common)
        elif kind == "user":
            yield from self._user(line, message.get("content"), common)
        elif kind == "attachment" and not agent:
            yield from self._attached(as_dict(line.get("attachment")), common)
        elif kind == "queue-operation":
            yield from self._queue(line, common)
        elif line.get("subtype") == "compact_boundary":
            self._trigger = as_text(as_dict(line.get("compactMetadata")).get("trigger"))

    def end(self) -> Iterator[Event]:
        """Calls without a result, and the end of each session's last turn."""
        yield from self._given_up(None)
        for session in list(self._last):
            yield from self._turn_ended(session)

    def leave_open(self) -> None:
        """Calls still under way are read again next time, together with their results."""
        for key in self._waiting:
            self._reading.offset = min(self._reading.offset, self._starts[key])

    def _chain(self, line: dict[str, Any]) -> str:
        """The subagent of a sidechain line: the first line of its chain names it."""
        if not line.get("isSidechain"):
            return ""
        uuid, parent = as_text(line.get("uuid")), as_text(line.get("parentUuid"))
        agent = self._chains.get(parent) or f"sidechain-{(parent or uuid)[:8]}".rstrip("-")
        self._chains[uuid] = agent
        return agent

    def _assistant(self, message: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        if message.get("model") == "<synthetic>":  # the program's own notice, not the agent
            return
        for block in blocks_of(message.get("content")):
            kind = block.get("type")
            if kind == "text" and as_text(block.get("text")).strip():
                yield self._kept(ReplyGiven(**common, text=block["text"]))
            elif kind == "tool_use":
                self._call(block, message, common)
        self._share_out(message)

    def _call(self, block: dict[str, Any], message: dict[str, Any], common: dict[str, Any]) -> None:
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
            files_read=read_,
            files_changed=changed,
        )
        number = as_text(message.get("id")) or key
        self._messages.setdefault(number, _Message()).keys.append(key)

    def _share_out(self, message: dict[str, Any]) -> None:
        """Give what a message cost to its calls, each token once, in equal parts.

        A message grows over several lines, and its figures with it; what was handed on already
        keeps what it had.
        """
        known = self._messages.get(as_text(message.get("id")))
        usage = as_dict(message.get("usage"))
        if known is None or not usage:
            return
        known.tokens = max(known.tokens, sum(as_count(usage.get(name)) for name in _PAID))
        if not all(key in self._waiting for key in known.keys):
            return
        share, rest = divmod(known.tokens, len(known.keys))
        for at, key in enumerate(known.keys):
            tokens = share + (1 if at < rest else 0)
            self._waiting[key] = replace(self._waiting[key], work_tokens=tokens)

    def _user(self, line: dict[str, Any], content: Any, common: dict[str, Any]) -> Iterator[Event]:
        results = [b for b in blocks_of(content) if b.get("type") == "tool_result"]
        for block in results:
            full = line.get("toolUseResult") if len(results) == 1 else None
            yield from self._result(block, full, common)
        if line.get("isCompactSummary"):
            summary = "\n".join(as_text(block.get("text")) for block in blocks_of(content))
            yield Compacted(**common, trigger=self._trigger, summary=summary)
        elif not line.get("isMeta") and not common["agent"]:
            text = prompt_text(content)
            if text:
                yield from self._given_up(common["session"])
                yield from self._prompt(text, as_text(line.get("promptId")), common)

    def _prompt(self, text: str, key: str, common: dict[str, Any]) -> Iterator[Event]:
        yield from self._turn_ended(common["session"])
        yield self._kept(PromptGiven(**common, text=text, prompt_key=key))

    def _attached(self, attachment: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        """A prompt typed while the agent was at work, as the newest versions write it."""
        typed = attachment.get("commandMode") in (None, "", "prompt")
        if attachment.get("type") == "queued_command" and typed and not attachment.get("isMeta"):
            text = prompt_text(attachment.get("prompt"))
            if text:
                yield from self._prompt(text, "", common)

    def _queue(self, line: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        """The same before attachments: what is removed from the queue went into the turn.

        What is dequeued comes as a user line of its own, what is popped went back to the editor.
        """
        operation = line.get("operation")
        if operation == "enqueue":
            self._queued.append(as_text(line.get("content")))
        elif operation == "popAll":
            self._queued.clear()
        elif operation in ("dequeue", "remove") and self._queued:
            text = prompt_text(self._queued.popleft())
            if operation == "remove" and text and not line.get("reason") and text[0] != "/":
                last = self._last.get(common["session"])
                place = {"cwd": last.cwd, "branch": last.branch} if last else {}
                yield from self._prompt(text, "", common | place)

    def _result(self, block: dict[str, Any], full: Any, common: dict[str, Any]) -> Iterator[Event]:
        call = self._waiting.pop(as_text(block.get("tool_use_id")), None)
        if call is None:
            return  # of a call before our offset, or of one that is not kept
        response = full if isinstance(full, dict) else result_text(block.get("content"))
        took = as_count(as_dict(full).get("durationMs")) or as_count(
            as_dict(full).get("totalDurationMs")
        )
        ok = not block.get("is_error")
        yield self._kept(
            replace(
                call,
                at_ms=common["at_ms"],
                cwd=call.cwd or common["cwd"],
                response=_without_image(response),
                ok=ok,
                duration_ms=took or None,
                files_changed=call.files_changed if ok else (),
            )
        )

    def _given_up(self, session: str | None) -> Iterator[Event]:
        """Calls that will get no result any more: of the main agent of a session, or all."""
        for key, call in list(self._waiting.items()):
            if session is None or (call.session == session and not call.agent):
                del self._waiting[key]
                yield self._kept(replace(call, files_changed=()))

    def _turn_ended(self, session: str) -> Iterator[Event]:
        last = self._last.pop(session, None)
        if last is not None:
            yield TurnEnded(host=HOST, session=session, at_ms=last.at_ms, cwd=last.cwd)

    def _kept(self, event: Event) -> Event:
        if not event.agent:
            self._last[event.session] = event
        return event


def result_text(content: Any) -> Any:
    """A tool result's text; a block that is none leaves a mark such as ``[image]``."""
    if not isinstance(content, list):
        return content
    parts = []
    for block in blocks_of(content):
        kind = as_text(block.get("type"))
        name = as_text(block.get("tool_name"))
        parts.append(as_text(block.get("text")) if kind == "text" else name or f"[{kind}]")
    return "\n".join(parts)


def _without_image(response: Any) -> Any:
    if isinstance(response, dict) and response.get("type") == "image":
        return {"type": "image", "file": IMAGE}
    return response
