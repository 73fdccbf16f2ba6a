"""Stored text is data: it cannot break a line or imitate our frame (spec/00 promise 5)."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from memfold import display

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=400)


@given(ANY_TEXT, st.integers(4, 300))
def test_one_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    line = display.one_line(text, limit)
    assert len(line.encode("utf-8")) <= limit
    assert len(line.splitlines()) <= 1
    assert not any(unicodedata.category(c) in {"Cc", "Cs"} for c in line)
    assert "\u202e" not in line


@given(ANY_TEXT)
def test_block_keeps_line_breaks_and_nothing_else_that_controls(text: str) -> None:
    shown = display.block(text)
    assert all(c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cs"} for c in shown)
    assert display.block(shown) == shown


def test_a_cut_line_ends_in_an_ellipsis() -> None:
    assert display.one_line("word " * 100, 20) == "word word word wo…"


def test_bidirectional_overrides_are_removed() -> None:
    assert display.one_line("safe\u202etxt.exe\u2066x") == "safetxt.exex"


def test_line_separators_become_blanks() -> None:
    assert display.one_line("a\u2028b\r\nc\x85d\x0be") == "a b c d e"


def test_emoji_joined_by_a_joiner_stay_whole() -> None:
    assert display.one_line("👩\u200d💻 ok") == "👩\u200d💻 ok"
