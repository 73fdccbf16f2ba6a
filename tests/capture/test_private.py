"""`<private>` text is never stored, however it is nested, cut or spread (spec/70 Privacy)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.capture.private import strip_ours, strip_private
from memfold.capture.redact import clipped, redact_json
from memfold.capture.scrub import scrub
from memfold.records import Compacted, PromptGiven, ReplyGiven, SessionEnded, ToolUsed


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a  c"),
        ("a <private>b\nmore\n</private> c", "a  c"),
        ("a <private>b <private>c</private> d</private> e", "a  e"),
        ("a <private>never closed", "a "),
        ("a </private> b", "a  b"),
        ("< PRIVATE >x</Private>y", "y"),
        ('a <private why="client">b</private> c', "a  c"),
        ("```\n<private>b\n```\n</private>c", "```\nc"),
        ("a <private/> b", "a "),
        ("<privateer>b</privateer>", "<privateer>b</privateer>"),
        ("no tags < here >", "no tags < here >"),
    ],
)
def test_private_parts_are_removed(text: str, kept: str) -> None:
    assert strip_private(text)[0] == kept


OPENS = ('<private why="x">', "<PRIVATE>", "< private\n>", "<private/>")


@given(
    st.lists(
        st.sampled_from(["<private>", "</private>", "secret", " ", "open", *OPENS]), max_size=12
    )
)
def test_nothing_inside_an_open_tag_survives(parts: list[str]) -> None:
    depth, outside = 0, []
    for part in parts:
        if part == "<private>" or part in OPENS:
            depth += 1
        elif part == "</private>":
            depth = max(depth - 1, 0)
        elif not depth:
            outside.append(part)
    assert strip_private("".join(parts))[0] == "".join(outside)


# Tags and words in fields of one tool input; a word is marked where the tags before it say so.
PIECES = st.lists(
    st.lists(st.sampled_from(["<private>", "</private>", "word"]), max_size=6), max_size=5
)


@given(PIECES, st.booleans())
def test_nothing_marked_survives_over_fields(fields: list[list[str]], as_list: bool) -> None:
    """A state machine of nested tags: what is inside up to the last tag that closes is gone."""
    marks = [tag for field in fields for tag in field]
    depth, marked, at = 0, [False] * len(marks), 0
    closes = max((i for i, tag in enumerate(marks) if tag == "</private>"), default=-1)
    texts: list[list[str]] = []
    for field in fields:
        named = []
        for tag in field:
            if tag == "word":
                marked[at] = depth > 0 and at < closes
                named.append(f"word{at}.")
            else:
                depth = max(depth - 1, 0) if tag == "</private>" else depth + 1
                named.append(tag)
            at += 1
        texts.append(named)
    whole = ["".join(named) for named in texts]
    value: Any = whole if as_list else {f"f{n}": {"deep": [one]} for n, one in enumerate(whole)}
    clean = str(redact_json(value)[0])
    for number, tag in enumerate(marks):
        if tag == "word" and marked[number]:
            assert f"word{number}." not in clean, (fields, clean)


def test_what_memfold_showed_is_not_captured_again() -> None:
    assert strip_ours("a <memfold-context>x\ny</memfold-context> b") == "a  b"
    assert strip_ours("a <memfold-context>cut off") == "a "
    inner = "<memfold-context>x<memfold-context>y</memfold-context>z</memfold-context>"
    assert strip_ours(f"a {inner} b") == "a  b"


COMMON: dict[str, Any] = {"host": "h", "session": "s", "at_ms": 1}


def test_a_wholly_private_prompt_marks_its_turn() -> None:
    event, _ = scrub(PromptGiven(**COMMON, text="<private>all of it</private>"), 1000)
    assert isinstance(event, PromptGiven)
    assert (event.private, event.text) == (True, "")


def test_a_partly_private_prompt_is_kept_without_that_part() -> None:
    event, _ = scrub(PromptGiven(**COMMON, text="fix <private>x</private> now"), 1000)
    assert isinstance(event, PromptGiven)
    assert (event.private, event.text) == (False, "fix  now")


def test_every_text_of_an_event_is_scrubbed() -> None:
    key = "ghp_" + "Ab3dEf6h" * 5
    texts = [
        scrub(ReplyGiven(**COMMON, text=f"used {key}"), 1000)[0],
        scrub(Compacted(**COMMON, summary=f"used {key}"), 1000)[0],
        scrub(
            ToolUsed(
                **COMMON,
                key="k",
                tool="Bash",
                input={"command": f"curl -H {key}", key: [key]},
                response=[f"<private>{key}</private>", {"deep": [key]}],
            ),
            1000,
        )[0],
    ]
    assert key not in repr(texts)
    assert repr(texts).count("[redacted:github-token]") == 6


def test_other_events_pass_unchanged() -> None:
    event = SessionEnded(**COMMON, reason="other")
    assert scrub(event, 10)[0] is event


def test_a_long_text_loses_its_middle_at_blanks() -> None:
    text = "word " * 40_000
    short = clipped(text, 1_000)
    assert len(short) < 10_000
    assert "characters dropped]" in short
    assert short.startswith("word word")
    assert clipped("x" * 100_000, 1_000).count("x") > 9_000
