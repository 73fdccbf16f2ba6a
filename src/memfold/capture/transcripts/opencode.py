"""OpenCode's sessions as events: what ``opencode export`` writes, or its storage folder.

An export is one JSON object with ``info`` and ``messages``. In the storage folder a session is
``session/<project>/<id>.json``, its messages are ``message/<id>/*.json`` and their parts
``part/<message>/*.json``; ids sort by time. A session that names a parent is a subagent's.
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
)
from memfold.capture.transcripts.story import Story, shares
from memfold.records import Event

HOST = "opencode"
_ENDED = {"completed", "error"}


def read(path: Path, _start: int, reading: Reading, *, whole: bool) -> Iterator[Event]:
    """Events of a session; always all of them, for it is no file that only grows."""
    document = json_document(path, reading, whole=whole)
    stored = "messages" not in document
    info = document if stored else as_dict(document.get("info"))
    story = Story(HOST, path, reading, session=as_text(info.get("id")))
    story.cwd = as_text(info.get("directory"))
    parent = as_text(info.get("parentID"))
    if parent:
        story.session, story.agent = parent, story.session
    messages = _stored(path, reading) if stored else iter(as_list(document.get("messages")))
    for message in messages:
        told = as_dict(message)
        yield from _message(story, as_dict(told.get("info")), as_list(told.get("parts")), whole)
    end = reading.offset
    yield from story.end(whole=whole)
    reading.offset = end


def _stored(path: Path, reading: Reading) -> Iterator[dict[str, Any]]:
    """Messages of a session in the storage folder, one in memory at a time."""
    if len(path.parents) < 3 or path.parents[1].name != "session":
        return
    root, end = path.parents[2], reading.offset
    for file in sorted((root / "message" / path.stem).glob("*.json")):
        info = json_document(file, reading, whole=True)
        parts = sorted((root / "part" / file.stem).glob("*.json"))
        yield {"info": info, "parts": [json_document(part, reading, whole=True) for part in parts]}
    reading.offset = end


def _message(story: Story, info: dict[str, Any], parts: list[Any], whole: bool) -> Iterator[Event]:
    story.moment(as_dict(info.get("time")).get("created"))
    told = [as_dict(part) for part in parts]
    if info.get("role") == "user":
        typed = [p for p in told if p.get("type") == "text" and not p.get("synthetic")]
        text = "\n".join(as_text(part.get("text")) for part in typed)
        yield from story.prompt(text, as_text(info.get("id")))
        return
    if info.get("role") != "assistant":
        return
    if info.get("summary") is True:
        yield from story.compacted("\n".join(as_text(part.get("text")) for part in told))
        return
    usage = as_dict(info.get("tokens"))
    tokens = sum(as_count(usage.get(name)) for name in ("input", "output", "reasoning"))
    tokens += as_count(as_dict(usage.get("cache")).get("write"))
    calls = [part for part in told if part.get("type") == "tool"]
    prices = iter(shares(tokens, len(calls)))
    for part in told:
        if part.get("type") == "text" and not part.get("synthetic"):
            yield from story.reply(as_text(part.get("text")))
        elif part.get("type") == "tool":
            yield from _tool(story, part, next(prices), whole)


def _tool(story: Story, part: dict[str, Any], tokens: int, whole: bool) -> Iterator[Event]:
    state = as_dict(part.get("state"))
    status = state.get("status")
    if status not in _ENDED and not whole:
        return  # still under way
    key = as_text(part.get("callID")) or as_text(part.get("id"))
    if not story.call(key, as_text(part.get("tool")), state.get("input"), tokens=tokens):
        return
    if status not in _ENDED:
        return
    spent = as_dict(state.get("time"))
    began, ended = as_count(spent.get("start")), as_count(spent.get("end"))
    story.moment(ended)
    response: Any = state.get("output") if status == "completed" else state.get("error")
    diff = as_text(as_dict(state.get("metadata")).get("diff"))
    if diff:
        response = {"output": response, "diff": diff}
    took = ended - began if 0 < began <= ended else None
    yield from story.result(key, response, ok=status == "completed", duration_ms=took)
