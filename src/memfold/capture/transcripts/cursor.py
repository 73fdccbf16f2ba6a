"""Cursor's agent transcripts as events.

Lines ``{"role", "message": {"content": [...]}}`` in the shape of model messages. They hold no
times, no ids and no results of tools, and every kind of thinking as ``[REDACTED]``. A line's time
is the file's last change less a millisecond for each line after it; a prompt's and a call's key
is where its line begins, for the file only grows. A call is taken to have gone well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memfold.capture.transcripts.lines import (
    Reading,
    as_dict,
    as_list,
    as_text,
    json_lines,
    text_of,
)
from memfold.capture.transcripts.places import cursor_folder, file_folder, paths_in
from memfold.capture.transcripts.story import Story
from memfold.capture.transcripts.untimed import LineClock, first_lines
from memfold.records import Event

HOST = "cursor"
_QUERY = "<user_query>"
_HIDDEN = re.compile(r"^\[REDACTED\]$", re.MULTILINE)


def read(path: Path, start: int, reading: Reading, *, whole: bool) -> Iterator[Event]:
    """Events of a file from a byte offset on, in its order."""
    story = Story(HOST, path, reading)
    blocks = [block for line in first_lines(path) for block in _blocks(line)]
    paths = paths_in(block.get("input") for block in blocks)
    story.cwd = cursor_folder(path, paths) or file_folder(path, reading)
    clock = LineClock(path, start)
    for line in json_lines(path, start, reading, whole=whole):
        story.at_ms = clock.at_ms(reading.line_start)
        yield from _line(story, line, reading.line_start)
    yield from story.end(whole=whole)


def _blocks(line: dict[str, Any]) -> list[dict[str, Any]]:
    return [as_dict(b) for b in as_list(as_dict(line.get("message")).get("content"))]


def _line(story: Story, line: dict[str, Any], begin: int) -> Iterator[Event]:
    text = text_of(as_dict(line.get("message")).get("content"))
    if line.get("role") == "user":
        typed = text.partition(_QUERY)[2].partition("</user_query>")[0] if _QUERY in text else text
        yield from story.prompt(typed, f"line:{begin}")
    elif line.get("role") == "assistant":
        yield from story.reply(_HIDDEN.sub("", text))
        calls = [block for block in _blocks(line) if block.get("type") == "tool_use"]
        for at, block in enumerate(calls):
            key = as_text(block.get("id")) or f"line:{begin}:{at}"
            if story.call(key, as_text(block.get("name")), block.get("input")):
                yield from story.result(key, None, ok=True)
