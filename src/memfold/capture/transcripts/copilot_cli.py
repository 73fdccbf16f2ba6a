"""GitHub Copilot CLI's sessions as events: event lines (0.0.342 on, 1.0), and the older timeline.

An event line is ``{"type", "data", "id", "timestamp"}``. The older form is one JSON object whose
``timeline`` holds prompts, replies and finished calls; it names no directory.
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
from memfold.capture.transcripts.places import common_folder, file_folder, paths_in
from memfold.capture.transcripts.story import Story, shares
from memfold.records import Event

HOST = "copilot-cli"
_BY_USER = (None, "", "user")


def read(path: Path, start: int, reading: Reading, *, whole: bool) -> Iterator[Event]:
    """Events of a file from a byte offset on; of the older form always all of them."""
    if path.suffix == ".json":
        yield from _timeline(path, reading, whole=whole)
        return
    story = Story(HOST, path, reading)
    if path.name == "events.jsonl":
        story.session = path.parent.name
    if start:
        for line in json_lines(path, 0, Reading(), whole=False):
            _head(story, line)
            break
    prices: dict[str, int] = {}
    for line in json_lines(path, start, reading, whole=whole):
        _head(story, line)
        story.moment(line.get("timestamp"))
        yield from _event(story, line, as_dict(line.get("data")), prices)
    yield from story.end(whole=whole)


def _head(story: Story, line: dict[str, Any]) -> None:
    if line.get("type") in ("session.start", "session.resume"):
        data = as_dict(line.get("data"))
        context = as_dict(data.get("context"))
        story.session = as_text(data.get("sessionId")) or story.session
        story.cwd = as_text(context.get("cwd")) or story.cwd
        story.branch = as_text(context.get("branch")) or story.branch


def _event(
    story: Story, line: dict[str, Any], data: dict[str, Any], prices: dict[str, int]
) -> Iterator[Event]:
    kind, key = line.get("type"), as_text(data.get("toolCallId"))
    story.agent = as_text(data.get("parentToolCallId"))
    if kind == "user.message" and data.get("source") in _BY_USER:
        yield from story.prompt(as_text(data.get("content")), as_text(line.get("id")))
    elif kind == "assistant.message":
        yield from story.reply(as_text(data.get("content")))
        asked = [as_text(as_dict(r).get("toolCallId")) for r in as_list(data.get("toolRequests"))]
        paid = as_count(data.get("outputTokens"))
        prices.update(zip(asked, shares(paid, len(asked)), strict=True))
    elif kind == "tool.execution_start":
        tool = as_text(data.get("toolName"))
        story.call(key, tool, data.get("arguments"), tokens=prices.pop(key, 0))
    elif kind == "tool.execution_complete":
        ok = data.get("success") is not False
        yield from story.result(key, _response(data), ok=ok)
    elif kind == "session.compaction_complete":
        yield from story.compacted(as_text(data.get("summaryContent")))
    elif kind in ("abort", "session.shutdown"):
        yield from story.stopped()
    story.agent = ""


def _response(data: dict[str, Any]) -> Any:
    result = data.get("result")
    if not isinstance(result, dict):
        return result if result is not None else as_dict(data.get("error")).get("message")
    said = text_of(result.get("content"))
    more = as_text(result.get("detailedContent"))
    return {"output": said, "detail": more} if more and more != said else said


def _timeline(path: Path, reading: Reading, *, whole: bool) -> Iterator[Event]:
    document = json_document(path, reading, whole=whole)
    told = [as_dict(each) for each in as_list(document.get("timeline"))]
    story = Story(HOST, path, reading, session=as_text(document.get("sessionId")))
    story.moment(document.get("startTime"))
    named = common_folder(paths_in(each.get("arguments") for each in told))
    story.cwd = named or file_folder(path, reading)
    for each in told:
        story.moment(each.get("timestamp"))
        kind = each.get("type")
        if kind == "user":
            yield from story.prompt(as_text(each.get("text")), as_text(each.get("id")))
        elif kind == "copilot":
            yield from story.reply(as_text(each.get("text")))
        elif kind == "tool_call_completed":
            key = as_text(each.get("callId")) or as_text(each.get("id"))
            result = as_dict(each.get("result"))
            story.call(key, as_text(each.get("name")), each.get("arguments"))
            ok = result.get("type") == "success"
            yield from story.result(key, result.get("log"), ok=ok)
    if whole:
        yield from story.stopped()
