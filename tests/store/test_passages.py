"""Passages: bounded, in order, nothing of the text lost that is within the limit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.store.passages import MOST_PASSAGES, PASSAGE_CHARS, passages

_LINES = st.lists(
    st.one_of(
        st.text(st.characters(exclude_characters="\n"), max_size=60),
        st.integers(600, 3_000).map(lambda size: "x" * size),
        st.integers(100, 700).map(lambda count: "word " * count),
    ),
    max_size=20,
)


@settings(max_examples=500, deadline=None)
@given(_LINES)
def test_passages_hold_every_word_in_order(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = passages(text)
    assert found
    assert all(len(passage) <= PASSAGE_CHARS for passage in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_lines_stay_whole_where_they_fit() -> None:
    lines = [f"line {number} " + "a" * 200 for number in range(10)]
    assert {line for passage in passages("\n".join(lines)) for line in passage.split("\n")} == set(
        lines
    )


def test_a_text_without_end_has_an_end() -> None:
    found = passages("word " * 500_000)
    assert len(found) == MOST_PASSAGES
    assert passages("") == [""]
