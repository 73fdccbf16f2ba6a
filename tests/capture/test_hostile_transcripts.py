"""Whatever a session file holds, its reader raises nothing but the house's errors."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import host_sessions as samples
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memfold.capture.transcripts.find import reader_of
from memfold.capture.transcripts.lines import Reading
from memfold.errors import MemfoldError
from memfold.records import Event, PromptGiven, ReplyGiven, ToolUsed

DEEP = 2_000
HUGE = 10 * 1024 * 1024
FORMS: list[tuple[str, str, Callable[[], Any]]] = [
    ("claude-code", "a.jsonl", samples.claude_code),
    ("codex", "a.jsonl", samples.codex),
    ("gemini-cli", "a.jsonl", samples.gemini_lines),
    ("gemini-cli", "a.json", samples.gemini_document),
    ("copilot-cli", "a.jsonl", samples.copilot),
    ("copilot-cli", "a.json", samples.copilot_timeline),
    ("opencode", "ses_1.json", samples.opencode_export),
    ("cursor", "a.jsonl", samples.cursor),
    ("windsurf", "a.jsonl", samples.windsurf),
    ("pi", "a.jsonl", samples.pi),
    ("specstory", "a.md", lambda: samples.SPECSTORY),
]
IDS = [f"{host}{Path(name).suffix}" for host, name, _ in FORMS]
JSON_LINES = [form for form in FORMS if form[1].endswith(".jsonl")]
ODD = ['null', 'true', '0', '-1', '1e300', '1' + '0' * 40, '""', '"x"', '"\\ud800"', '"\\u0000"',
       '[]', '{}', '[[]]', '[null]', '{"a": []}', '["x", {}, 3]', '{"text": {}}', '[{"type": 1}]',
       '"2026-05-04T09:00:00Z"', '"0001-01-01T00:00:00+14:00"']  # fmt: skip


def text_of(told: Any) -> str:
    if isinstance(told, str):
        return told
    return samples.lines_of(told) if isinstance(told, list) else json.dumps(told)


def taken(host: str, path: Path, *, whole: bool = True) -> tuple[list[Event], Reading]:
    """What a reader tells; a house error counts as an answer too. All texts must be texts."""
    reading = Reading()
    events: list[Event] = []
    try:
        events.extend(reader_of(host)(path, 0, reading, whole=whole))
    except MemfoldError:
        return events, reading
    for event in events:
        assert isinstance(event.session, str)
        assert isinstance(event.cwd, str)
        assert isinstance(event.branch, str)
        assert isinstance(event.at_ms, int)
        if isinstance(event, (PromptGiven, ReplyGiven)):
            assert isinstance(event.text, str)
        if isinstance(event, ToolUsed):
            assert isinstance(event.tool, str)
            assert isinstance(event.key, str)
            assert isinstance(event.work_tokens, int)
    return events, reading


@pytest.mark.parametrize(("host", "name", "make"), FORMS, ids=IDS)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 2**32))
def test_wrong_types_anywhere(
    host: str, name: str, make: Callable[[], Any], tmp_path: Path, seed: int
) -> None:
    """One to four places of a good file hold something else."""
    chance = random.Random(seed)
    told = json.loads(json.dumps(make()))
    if isinstance(told, str):
        told = _damaged_text(told, chance)
    for _ in range(chance.randint(1, 4)):
        places = list(_places(told))
        if places:
            holder, at = chance.choice(places)
            holder[at] = json.loads(chance.choice(ODD))
    path = tmp_path / name
    path.write_bytes(text_of(told).encode("utf-8", "surrogatepass"))
    for whole in (True, False):
        taken(host, path, whole=whole)


def _places(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        own: list[tuple[Any, Any]] = [(value, key) for key in value]
        return own + [place for inner in value.values() for place in _places(inner)]
    if isinstance(value, list):
        own = [(value, at) for at in range(len(value))]
        return own + [place for inner in value for place in _places(inner)]
    return []


def _damaged_text(text: str, chance: random.Random) -> str:
    """Markdown with some lines gone, doubled or changed."""
    lines = text.split("\n")
    for _ in range(chance.randint(1, 6)):
        odd = ["", "```", chance.choice(lines), "\0", "<think>", "_**User**_", "\ud800"]
        lines[chance.randrange(len(lines))] = chance.choice(odd)
    return "\n".join(lines)


@pytest.mark.parametrize(("host", "name", "make"), FORMS, ids=IDS)
def test_cut_anywhere(host: str, name: str, make: Callable[[], Any], tmp_path: Path) -> None:
    raw = text_of(make()).encode()
    path = tmp_path / name
    for end in sorted({0, 1, 2, *random.Random(7).sample(range(len(raw)), 40), len(raw) - 1}):
        path.write_bytes(raw[:end])
        for whole in (True, False):
            _, reading = taken(host, path, whole=whole)
            assert reading.offset <= end
            assert reading.bad_lines <= 1


@pytest.mark.parametrize(("host", "name", "make"), FORMS, ids=IDS)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\n\n\n",
        b"\xff\xfe\x00\x01" * 500,
        b"\0" * 5_000,
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20,
        b"[" * DEEP + b"]" * DEEP,
        b'{"a":' * DEEP + b"1" + b"}" * DEEP,
        b'{"type":"user","message":' + b"[" * DEEP + b"]" * DEEP + b"}",
        b'"only a text"',
        b"9" * 6_000,
        b"NaN",
        b'{"a": "' + b"x" * HUGE + b'"}\n',
        b"y" * HUGE,
    ],
    ids=["empty", "blank", "binary", "nul", "png", "list", "nested", "inside", "text", "digits",
         "nan", "huge", "huge-text"],
)  # fmt: skip
def test_files_that_are_something_else(
    host: str, name: str, make: object, body: bytes, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(body)
    for whole in (True, False):
        events, reading = taken(host, path, whole=whole)
        assert not any(isinstance(event, ToolUsed) for event in events)
        assert reading.offset <= len(body)


@pytest.mark.parametrize(("host", "name", "make"), JSON_LINES, ids=[form[0] for form in JSON_LINES])
def test_bad_lines_are_counted_and_hide_nothing(
    host: str, name: str, make: Callable[[], Any], tmp_path: Path
) -> None:
    lines = text_of(make()).splitlines()
    bad = ["not json", "[1, 2]", '"x"', "\0\0", '{"a": ' * DEEP, "{" + "x" * 100]
    mixed = [each for at, line in enumerate(lines) for each in (line, bad[at % len(bad)])]
    path = tmp_path / name
    path.write_text("\n".join(mixed) + "\n", "utf-8")
    events, reading = taken(host, path)
    assert reading.bad_lines == len(lines)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    assert [type(e) for e in events] == [type(e) for e in taken(host, path)[0]]


@pytest.mark.parametrize(("host", "name", "make"), FORMS, ids=IDS)
def test_a_byte_order_mark_and_windows_line_ends_change_nothing(
    host: str, name: str, make: Callable[[], Any], tmp_path: Path
) -> None:
    path = tmp_path / name
    text = text_of(make())
    path.write_bytes(text.encode())
    plain = [type(e) for e in taken(host, path)[0]]
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    events, reading = taken(host, path)
    assert [type(e) for e in events] == plain
    assert reading.bad_lines == 0


@pytest.mark.parametrize(("host", "name", "make"), FORMS, ids=IDS)
def test_lone_surrogates_reach_the_events(
    host: str, name: str, make: Callable[[], Any], tmp_path: Path
) -> None:
    """A host may write half a pair: as an escape in JSON, as bytes that are no UTF-8."""
    path = tmp_path / name
    text = text_of(make()).replace("run empty", "run \\ud83d empty" if name[-2:] != "md" else "x")
    raw = text.encode().replace(b"run x", b"run \xed\xa0\xbd empty")
    path.write_bytes(raw)
    events, reading = taken(host, path)
    assert sum(isinstance(event, PromptGiven) for event in events) == 1
    assert reading.bad_lines == 0
