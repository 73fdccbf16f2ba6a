"""SpecStory's Markdown histories (of any agent) as events.

A speaker stands alone on a line, ``_**User (time)**_`` or ``_**Agent (model time)**_``; tool calls
stand in ``<tool-use>``. It is a rendering: inputs are what it shows of them, ids there are none.
Keys are made from the content; where there is no time each part comes a millisecond after the
last. Files are written anew as a session goes on, so they are always read from the head.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memfold.capture.transcripts.lines import MAX_LINE_BYTES, Reading
from memfold.capture.transcripts.places import file_folder
from memfold.capture.transcripts.story import Story
from memfold.capture.transcripts.typed import prompt_text
from memfold.records import Event

HOST = "specstory"
_SESSION = re.compile(r"^<!-- .{1,60} Session ([\w.:-]{1,100}) \(([^)]{1,40})\) -->$")
_SPEAKER = re.compile(r"^_\*\*(User|Agent|Assistant)(?: \(([^)]{0,200})\))?\*\*_$")
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ)\s*$")
_OLD_TITLE = re.compile(r"\((\d\d)/(\d\d)/(\d{4}), (\d\d:\d\d:\d\d)\)\s*$")
_TOOL = re.compile(r'^<tool-use data-tool-type="([^"]{0,40})" data-tool-name="([^"]{0,200})">')
_TOOL_END = "</details></tool-use>"
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_RETOLD = re.compile(r"^Tool use: \*\*", re.MULTILINE)
_CODE = re.compile(r"(?<!`)`([^`\n]{1,20000})`(?!`)")
_FENCE = re.compile(r"^(`{3,})[^\n`]*\n(.*?)^\1\s*$", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"^(?:Exit code|Process exited with code|Exit code:) (-?\d+)", re.MULTILINE)
_UPDATED = re.compile(r"^The file (/\S.*?) has been (?:updated|created)")


def read(path: Path, _start: int, reading: Reading, *, whole: bool) -> Iterator[Event]:
    """Events of a history; always all of it."""
    run = _History(path, reading)
    with path.open("rb") as file:
        while raw := file.readline(MAX_LINE_BYTES):
            reading.line_start = reading.offset
            reading.offset += len(raw)
            if b"\0" in raw:
                reading.bad_lines += 1
                continue
            line = raw.decode("utf-8", "replace").removeprefix("\ufeff").rstrip("\r\n")
            yield from run.line(line)
    yield from run.end(whole=whole)


class _History:
    def __init__(self, path: Path, reading: Reading) -> None:
        self._reading = reading
        self._story = Story(HOST, path, reading, cwd=_directory(path, reading))
        self._speaker = ""  # empty before the first
        self._said: list[str] = []
        self._tool = ("", "")  # (type, name) of the call being read

    def line(self, line: str) -> Iterator[Event]:
        if self._tool[1]:
            if line.strip() == _TOOL_END:
                yield from self._used()
            else:
                self._said.append(line)
        elif found := _SPEAKER.match(line):
            yield from self._told()
            self._speaker = found[1]
            self._next_moment(found[2] or "")
        elif self._speaker not in ("", "User") and (found := _TOOL.match(line)):
            yield from self._told()
            self._tool = (found[1], found[2] or "tool")
        elif self._speaker:
            self._said.append(line)
        else:
            self._head(line)

    def end(self, *, whole: bool) -> Iterator[Event]:
        if self._tool[1] and whole:
            yield from self._used(cut=True)
        if whole or (self._said and not self._said[-1].strip()):
            yield from self._told()
        if whole:
            yield from self._story.stopped()

    def _head(self, line: str) -> None:
        story = self._story
        if found := _SESSION.match(line):
            story.session = found[1]
            self._next_moment(found[2])
        elif found := _OLD_TITLE.search(line):
            day, month, year, clock = found.groups()
            story.moment(f"{year}-{month}-{day} {clock}Z")

    def _next_moment(self, told: str) -> None:
        found = _STAMP.search(told)
        before = self._story.at_ms
        self._story.at_ms = before + 1
        if found:
            self._story.moment(found[1])

    def _told(self) -> Iterator[Event]:
        """What was said since the last mark."""
        text, self._said = "\n".join(self._said).strip(), []
        text = text.removesuffix("\n---").strip() if text != "---" else ""
        story = self._story
        if self._speaker == "User":
            typed = prompt_text(text)
            if typed:
                yield from story.prompt(typed, story.content_key("prompt", typed))
            return
        said = _THINKING.sub("", text).strip()
        if retold := len(_RETOLD.findall(said)):
            # A session that was resumed from another agent's tells its calls over as text.
            self._reading.tool_uses += retold
            self._reading.skipped["told over from another session"] += retold
            return
        yield from story.reply(said)

    def _used(self, *, cut: bool = False) -> Iterator[Event]:
        text, self._said = "\n".join(self._said), []
        (kind, name), self._tool = self._tool, ("", "")
        given, response, ok = _call_of(kind, text)
        story = self._story
        key = story.content_key(name, given, response)
        if story.call(key, name, given):
            yield from story.result(key, response, ok=ok and not cut)


def _call_of(kind: str, text: str) -> tuple[dict[str, Any], str, bool]:
    """(input, response, ok) as far as the rendering shows them."""
    fence = _FENCE.search(text)
    shown = text[: fence.start()] if fence else text
    response = fence[2].rstrip("\n") if fence else text.partition("</summary>")[2].strip()
    codes = _CODE.findall(shown)
    given: dict[str, Any] = {}
    updated = _UPDATED.match(response)
    if kind == "shell" and codes:
        given["command"] = codes[-1]
    elif kind in ("read", "write"):
        path = codes[0] if codes else updated[1] if updated else ""
        given |= {"file_path": path} if path else {}
    if kind == "write" and fence and fence[0].startswith("```diff"):
        given["diff"] = response
    words = shown.partition("</summary>")[2].strip()
    if words and "command" not in given and "file_path" not in given:
        given["shown"] = words
    exited = _EXIT.search(response[:500])
    return given, response, not exited or exited[1] == "0"


def _directory(path: Path, reading: Reading) -> str:
    """SpecStory writes into ``.specstory/history`` of the project."""
    place = path.absolute()
    if place.parent.name == "history" and place.parent.parent.name == ".specstory":
        return str(place.parent.parent.parent)
    return file_folder(path, reading)
