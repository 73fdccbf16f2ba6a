"""Gemini CLI's chats as events: one JSON object (until 0.3x), or lines that are written again.

In both a message is ``{"id", "timestamp", "type", "content", "toolCalls", "tokens"}``. In lines a
message is written anew whenever its calls or figures change, so that it is told once no longer
message waits before it. ``$set.messages`` replaces what the model sees and ``$rewindTo`` what the
user does; both leave what was done as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memfold.capture.transcripts.lines import (
    Reading,
    as_count,
    as_dict,
    as_list,
    as_text,
    json_document,
    json_lines,
    text_of,
)
from memfold.capture.transcripts.places import file_folder, gemini_folder, paths_in
from memfold.capture.transcripts.story import Story, shares
from memfold.records import Event

HOST = "gemini-cli"
_ENDED = {"success", "error", "cancelled"}
_MOST_HEAD_LINES = 200  # of a file of lines, looked at for the directory


def read(path: Path, start: int, reading: Reading, *, whole: bool) -> Iterator[Event]:
    """Events of a file of lines from a byte offset on; of one JSON object always all of them."""
    run = _Chat(path, reading)
    if path.suffix == ".json":
        document = json_document(path, reading, whole=whole)
        end = reading.offset
        messages = [as_dict(each) for each in as_list(document.get("messages"))]
        run.head(document, messages)
        for message in messages:
            run.keep(message)
            yield from run.tell(but_last=False, whole=whole)
        yield from run.end(whole=whole)
        reading.offset = end if not run.open_calls else 0
        return
    lines: list[dict[str, Any]] = []
    for line in json_lines(path, 0, Reading(), whole=False):
        lines.append(line)
        if len(lines) == _MOST_HEAD_LINES:
            break
    run.head(lines[0] if lines else {}, lines)
    for line in json_lines(path, start, reading, whole=whole):
        again = as_dict(line.get("$set")).get("messages")
        for each in as_list(again) if again is not None else [line]:
            run.keep(as_dict(each))
        yield from run.tell(but_last=True, whole=whole)
    yield from run.tell(but_last=not whole, whole=whole)
    yield from run.end(whole=whole)


class _Chat:
    def __init__(self, path: Path, reading: Reading) -> None:
        self._path = path
        self._reading = reading
        self._story = Story(HOST, path, reading)
        self._kept: dict[str, tuple[int, dict[str, Any]]] = {}  # id -> (begin of line, message)
        self._told: set[str] = set()  # ids of messages and calls
        self.open_calls = False

    def head(self, head: dict[str, Any], messages: list[dict[str, Any]]) -> None:
        """What the file says of itself, and where it ran."""
        story = self._story
        story.session = as_text(head.get("sessionId")) or story.session
        story.moment(head.get("startTime"))
        calls = [as_dict(c) for m in messages for c in as_list(m.get("toolCalls"))]
        shown = (call.get("resultDisplay") for call in calls)  # names the file in full
        paths = paths_in([*(call.get("args") for call in calls), *shown])
        named = [as_text(place) for place in as_list(head.get("directories"))]
        story.cwd = (
            gemini_folder(self._path, as_text(head.get("projectHash")), paths)
            or next((place for place in named if place), "")
            or file_folder(self._path, self._reading)
        )
        parent = self._path.parent
        if head.get("kind") == "subagent" and parent.parent.name == "chats":
            story.session, story.agent = parent.name, story.session

    def keep(self, message: dict[str, Any]) -> None:
        key = as_text(message.get("id"))
        if key and message.get("type") in ("user", "gemini"):
            begin = self._kept.pop(key, (self._reading.line_start, {}))[0]
            self._kept[key] = (begin, message)

    def tell(self, *, but_last: bool, whole: bool) -> Iterator[Event]:
        """Messages that wait, in order; the last may still be written again."""
        for key in list(self._kept)[: -1 if but_last else None]:
            yield from self._message(*self._kept.pop(key)[1:], key, whole)

    def end(self, *, whole: bool) -> Iterator[Event]:
        if whole:
            yield from self._story.stopped()
        for begin, _ in self._kept.values():
            self._reading.offset = min(self._reading.offset, begin)

    def _message(self, message: dict[str, Any], key: str, whole: bool) -> Iterator[Event]:
        story = self._story
        story.moment(message.get("timestamp"))
        text = text_of(message.get("content"))
        if message.get("type") == "user":
            if key not in self._told:
                self._told.add(key)
                yield from story.prompt(text, key)
            return
        yield from story.reply(text)
        calls = [as_dict(call) for call in as_list(message.get("toolCalls"))]
        usage = as_dict(message.get("tokens"))
        fresh = as_count(usage.get("input")) - as_count(usage.get("cached"))
        tokens = max(fresh, 0) + as_count(usage.get("output")) + as_count(usage.get("thoughts"))
        for call, share in zip(calls, shares(tokens, len(calls)), strict=True):
            yield from self._call(call, share, whole)

    def _call(self, call: dict[str, Any], tokens: int, whole: bool) -> Iterator[Event]:
        story, status = self._story, call.get("status")
        key = as_text(call.get("id"))
        if key in self._told:
            return
        if status not in _ENDED and not whole:
            self.open_calls = True
            return  # its message is written again with the result
        if key:
            self._told.add(key)
        story.moment(call.get("timestamp"))
        if story.call(key, as_text(call.get("name")), call.get("args"), tokens=tokens):
            yield from story.result(key, _response(call), ok=status == "success")


def _response(call: dict[str, Any]) -> Any:
    """What the tool answered, with the difference it made to a file."""
    parts = []
    for part in as_list(call.get("result")):
        answer = as_dict(as_dict(part).get("functionResponse")).get("response")
        said = as_dict(answer).get("output", as_dict(answer).get("error", answer))
        parts.append(said if said is not None else as_text(as_dict(part).get("text")))
    response = parts[0] if len(parts) == 1 else "\n".join(as_text(part) for part in parts)
    diff = as_text(as_dict(call.get("resultDisplay")).get("fileDiff"))
    return {"output": response, "diff": diff} if diff else response
