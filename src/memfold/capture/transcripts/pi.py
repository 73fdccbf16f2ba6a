"""Pi's session files as events.

JSON lines that form a tree; read in the order they were written, branches that the user left
included, for what was done there was done. Line 1 (``session``) names id and directory.
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
    json_lines,
    text_of,
)
from memfold.capture.transcripts.story import Story, shares
from memfold.records import Event

HOST = "pi"
_PAID = ("input", "output", "cacheWrite")


def read(path: Path, start: int, reading: Reading, *, whole: bool) -> Iterator[Event]:
    """Events of a file from a byte offset on, in its order."""
    story = Story(HOST, path, reading, cwd="")
    if start:
        for line in json_lines(path, 0, Reading(), whole=False):
            _head(story, line)
            break
    for line in json_lines(path, start, reading, whole=whole):
        story.moment(line.get("timestamp"))
        kind = line.get("type")
        if kind == "session":
            _head(story, line)
        elif kind == "compaction":
            yield from story.compacted(as_text(line.get("summary")))
        elif kind == "message":
            yield from _message(story, as_dict(line.get("message")), as_text(line.get("id")))
    yield from story.end(whole=whole)


def _head(story: Story, line: dict[str, Any]) -> None:
    if line.get("type") == "session":
        story.session = as_text(line.get("id")) or story.session
        story.cwd = as_text(line.get("cwd"))


def _message(story: Story, message: dict[str, Any], key: str) -> Iterator[Event]:
    role, content = message.get("role"), message.get("content")
    if role == "user":
        yield from story.prompt(text_of(content), key)
    elif role == "assistant":
        yield from story.reply(text_of(content))
        calls = [b for b in as_list(content) if as_dict(b).get("type") == "toolCall"]
        usage = as_dict(message.get("usage"))
        tokens = sum(as_count(usage.get(name)) for name in _PAID)
        for block, share in zip(calls, shares(tokens, len(calls)), strict=True):
            given = block.get("arguments")
            story.call(as_text(block.get("id")), as_text(block.get("name")), given, tokens=share)
    elif role == "toolResult":
        response: Any = text_of(content)
        patch = as_text(as_dict(message.get("details")).get("patch"))
        if patch:
            response = {"output": response, "patch": patch}
        ok = not message.get("isError")
        yield from story.result(as_text(message.get("toolCallId")), response, ok=ok)
    elif role == "bashExecution" and key:  # typed by the user after an exclamation mark
        story.call(key, "bash", {"command": as_text(message.get("command"))})
        ok = message.get("exitCode") == 0
        yield from story.result(key, as_text(message.get("output")), ok=ok)
