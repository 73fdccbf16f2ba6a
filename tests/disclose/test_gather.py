"""Selection for the startup index: near duplicates once. Source: spec of layer 1, "Selection"."""

from __future__ import annotations

import pytest
from entries import entry

from memfold.disclose.gather import once_each


def test_equal_titles_are_shown_once_the_newest_with_a_count() -> None:
    rows = [entry(3, "Fix the Parser"), entry(2, "Other"), entry(1, "fix the  parser!")]
    assert [(one.id, one.seen_count) for one in once_each(rows)] == [(3, 2), (2, 1)]


def test_titles_that_differ_in_one_of_many_words_are_near_duplicates() -> None:
    long = "the retry loop of the uploader gives up after the first refused connection"
    assert len(once_each([entry(2, long), entry(1, long + " again")])) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bump the library from version 1.2 to 1.3", "Bump the library from version 1.3 to 1.4"),
        ("Fix parser", "Fix lexer"),
        ("!!!", "???"),
    ],
)
def test_other_facts_are_kept_apart(one: str, other: str) -> None:
    assert len(once_each([entry(2, one), entry(1, other)])) == 2


def test_the_same_words_of_another_type_are_another_fact() -> None:
    assert (
        len(once_each([entry(2, "Retry", type_="bugfix"), entry(1, "Retry", type_="decision")]))
        == 2
    )
