"""Windsurf's transcripts as events.

Lines ``{"type": T, "status", T: {...}}``: ``user_input``, ``planner_response``, and a line per
step whose type is the tool. They hold no times and no ids; see ``cursor.py`` for what stands in.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memfold.capture.transcripts.lines import Reading, as_dict, as_text, json_lines
from memfold.capture.transcripts.places import common_folder, file_folder, paths_in
from memfold.capture.transcripts.story import Story
from memfold.capture.transcripts.untimed import LineClock, first_lines
from memfold.records import Event

HOST = "windsurf"
_ANSWERS = {"output", "content", "exit_code", "user_rejected", "total_results", "results", "error"}


def read(path: Path, start: int, reading: Reading, *, whole: bool) -> Iterator[Event]:
    """Events of a file from a byte offset on, in its order."""
    story = Story(HOST, path, reading)
    story.cwd = _directory(path) or file_folder(path, reading)
    clock = LineClock(path, start)
    for line in json_lines(path, start, reading, whole=whole):
        story.at_ms = clock.at_ms(reading.line_start)
        yield from _line(story, line, f"line:{reading.line_start}")
    yield from story.end(whole=whole)


def _directory(path: Path) -> str:
    """Where the first command ran, else what the steps' paths have in common."""
    steps = [as_dict(line.get(as_text(line.get("type")))) for line in first_lines(path)]
    ran = next((place for step in steps if (place := as_text(step.get("cwd")))), "")
    return ran or common_folder(paths_in(steps))


def _line(story: Story, line: dict[str, Any], key: str) -> Iterator[Event]:
    kind = as_text(line.get("type"))
    step = as_dict(line.get(kind))
    if kind == "user_input":
        yield from story.prompt(as_text(step.get("user_response")), key)
    elif kind == "planner_response":
        yield from story.reply(as_text(step.get("response")))
    elif kind in line and kind not in ("status", "type"):
        given = {name: value for name, value in step.items() if name not in _ANSWERS}
        told = {name: value for name, value in step.items() if name in _ANSWERS}
        ok = (
            line.get("status") != "error"
            and step.get("exit_code") in (None, 0)
            and not step.get("user_rejected")
        )
        if story.call(key, kind, given):
            yield from story.result(key, told or None, ok=ok)
