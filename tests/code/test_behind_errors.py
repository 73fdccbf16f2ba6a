"""A damaged line costs what it stands in; what begins further down is still listed, on its line."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.code import macros, stretches
from memfold.code.languages import LANGUAGES, language_of
from memfold.code.outline import outline
from memfold.code.stretches import Stretch
from memfold.evals.outlines.outline import stands

SAMPLES = sorted((Path(__file__).parent / "samples").iterdir())
# Layout says nothing in JSON and HTML; a fence that does not end holds the rest of a Markdown file.
WITH_LAYOUT = [one for one in SAMPLES if language_of(one.name) not in stretches.WITHOUT]
JUNK = ("(((", "{{ [", "}}}", ")", "if (", "<<<<<<< ours", "}")


def last_row_of_the_damage(lines: list[str], row: int, ends: list[int]) -> int:
    """The row of the last line of what the line ``row`` stands in: an item at the top, up to a
    blank line with a line at the left of the page below it."""
    last = max([row, *ends])
    while last < len(lines) - 1:
        if not lines[last].strip() and lines[last + 1][:1].strip():
            break
        last += 1
    return last


@given(st.sampled_from(WITH_LAYOUT), st.data())
@settings(max_examples=400, deadline=None)
def test_what_begins_after_the_damaged_item_is_listed(sample: Path, data: st.DataObject) -> None:
    language, lines = language_of(sample.name), sample.read_text("utf-8").split("\n")
    row = data.draw(st.integers(1 if language == "php" else 0, len(lines) - 1), "row")
    junk = data.draw(st.sampled_from((None, *JUNK)), "junk")  # None: the line is taken out
    damaged = lines[:row] + ([] if junk is None else [junk]) + lines[row + (junk is None) :]
    moved = -1 if junk is None else 1

    before = outline("\n".join(lines).encode(), language)
    after = outline("\n".join(damaged).encode(), language)

    tops = [one.end_line - 1 for one in before.symbols
            if one.depth == 0 and one.first_line <= row + 1 <= one.end_line]  # fmt: skip
    last = last_row_of_the_damage(lines, row, tops)
    expected = {(o.name, o.line + moved) for o in before.symbols if o.first_line > last + 1}
    assert expected <= {(one.name, one.line) for one in after.symbols}
    assert [one for one in after.symbols if not stands(one, damaged)] == []


@given(st.sampled_from(SAMPLES), st.data())
@settings(max_examples=300, deadline=None)
def test_a_symbol_is_listed_once_however_a_file_is_damaged(
    sample: Path, data: st.DataObject
) -> None:
    lines = sample.read_text("utf-8").split("\n")
    for _ in range(data.draw(st.integers(1, 4), "how often")):
        row = data.draw(st.integers(0, len(lines) - 1), "row")
        lines[row : row + 1] = data.draw(st.sampled_from(([], *([one] for one in JUNK))), "junk")
        if not lines:
            return
    seen = outline("\n".join(lines).encode(), language_of(sample.name))
    for (name, line), count in Counter((one.name, one.line) for one in seen.symbols).items():
        assert count <= max(1, lines[line - 1].count(name)), (name, line)
    for one in seen.symbols:
        if one.parent is not None:
            assert seen.symbols[one.parent].end_line >= one.end_line


def test_an_unclosed_function_ends_before_the_next() -> None:
    source = "int a(void)\n{\n    if (1) {\n}\n\nint b(void)\n{\n    return 1;\n}\n\nint c;\n"
    seen = outline(source.encode(), "c")
    assert [(one.name, one.line, one.end_line, one.depth) for one in seen.symbols] == [
        ("a", 1, 4, 0), ("b", 6, 9, 0), ("c", 11, 11, 0),
    ]  # fmt: skip
    assert seen.broken


def test_what_stands_in_a_block_that_cannot_be_read_is_found_one_step_to_the_right() -> None:
    source = (
        "if [[ $x =~ ^(\\$(\\{[!#]?)?)$ ]]; then\n"
        "    one()\n    {\n        true\n    }\n\n    two() { true; }\nfi\n"
    )
    names = [(one.name, one.line) for one in outline(source.encode(), "bash").symbols]
    assert {("one", 2), ("two", 7)} <= set(names)


def test_macros_that_are_no_c_hide_nothing() -> None:
    source = (
        "struct request {\n  REQUEST_FIELDS\n};\n\nPRIVATE_TYPES\n\n"
        "API_EXTERN int start(int a,\n    int b);\n\n"
        "struct handle {\n  FIELDS(a)\n  int size;\n};\n"
        "API_EXTERN void stop(void);\n"
    )
    found = [(one.name, one.kind, one.line) for one in outline(source.encode(), "c").symbols]
    assert found == [
        ("request", "struct", 1), ("start", "prototype", 7), ("handle", "struct", 10),
        ("size", "field", 12), ("stop", "prototype", 14),
    ]  # fmt: skip


def test_nothing_is_read_out_of_a_comment() -> None:
    source = (
        "int a(void)\n{\n    if (1) {\n}\n\n/* As in:\nint example(int x);\n*/\n"
        "int b(void)\n{\n    return 1;\n}\n"
    )
    names = [(one.name, one.line) for one in outline(source.encode(), "c").symbols]
    assert names == [("a", 1), ("b", 9)]


@given(st.text(alphabet="AB_(), \n#{};x\\", max_size=200))
def test_without_macros_every_byte_keeps_its_place(text: str) -> None:
    without = macros.without(text.encode())
    assert len(without) == len(text)
    assert all(
        a == b or (b == ord(" ") and a != ord("\n"))
        for a, b in zip(text.encode(), without, strict=True)
    )


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"vue", "svelte"}))
def test_stretches_follow_each_other_to_the_end(language: str) -> None:
    text = (Path(__file__).parent / "samples" / next(
        one.name for one in SAMPLES if language_of(one.name) == language
    )).read_bytes()  # fmt: skip
    found = list(stretches.stretches(text, language, Stretch(0, len(text), 0)))
    assert all(a.end == b.start for a, b in pairwise(found))
    assert all(text.count(b"\n", 0, one.start) == one.row for one in found)
    assert not found or found[-1].end == len(text)
    assert all(not text[one.start : one.start + 1].isspace() for one in found)


def test_the_time_for_recovery_is_bounded() -> None:
    """Thousands of stretches with an error each: what there was time for is listed."""
    source = b"".join(b"function f%d() {\n  ] = ; @ )\n}\n\n" % number for number in range(3_000))
    seen = outline(source, "javascript")
    assert seen.broken
    assert ("f0", 1) in [(one.name, one.line) for one in seen.symbols[:2]]
