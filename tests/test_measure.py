"""Lengths in the units hosts count, and the one token estimate (spec/30, hosts.md 1.6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold import measure

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=300)


@pytest.mark.parametrize(
    ("text", "units"),
    [("", 0), ("abc", 3), ("…", 1), ("🎯", 2), ("e\u0301", 2), ("漢字", 2), ("\ud83d", 1)],
)
def test_utf16_units_count_as_a_javascript_host_does(text: str, units: int) -> None:
    """Claude Code's limit counts UTF-16 code units: an emoji is two (hosts.md 1.6)."""
    assert measure.utf16_units(text) == units


@given(ANY_TEXT, st.integers(0, 200))
def test_a_cut_in_utf16_fits_and_is_a_start_of_the_text(text: str, limit: int) -> None:
    cut = measure.cut_utf16(text, limit)
    assert measure.utf16_units(cut) <= limit
    assert text.startswith(cut)
    rest = text[len(cut) :]
    assert not rest or measure.utf16_units(cut + rest[0]) > limit


@given(ANY_TEXT, st.integers(0, 200))
def test_a_cut_in_utf8_fits_and_never_splits_a_character(text: str, limit: int) -> None:
    cut = measure.cut_utf8(text, limit)
    assert measure.utf8_bytes(cut) <= limit
    assert text.startswith(cut)
    rest = text[len(cut) :]
    assert not rest or measure.utf8_bytes(cut + rest[0]) > limit


@given(ANY_TEXT, ANY_TEXT)
def test_tokens_never_shrink_when_text_is_added(left: str, right: str) -> None:
    assert measure.tokens(left + right) >= max(measure.tokens(left), measure.tokens(right))


def test_four_ascii_characters_are_one_token() -> None:
    """spec/30 Prices: ceil(characters / 4) for mostly-ASCII text."""
    assert [measure.tokens("a" * n) for n in (0, 1, 4, 5, 400)] == [0, 1, 1, 2, 100]


def test_other_scripts_cost_more_per_character() -> None:
    """Chinese, Japanese and emoji take about a token a character or more."""
    assert measure.tokens("漢" * 10) == 10
    assert measure.tokens("д" * 10) == 5
    assert measure.tokens("🎯" * 3) == 6
