"""A long statement within a title: what is left is whole, and holds the fact."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.observe.builtin.clauses import LONGEST, fitted
from memfold.observe.builtin.titles import title_of


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "The bug is in the cleanup at pool.py:12 — `close()` runs before the last query has come back",
            "`close()` runs before the last query has come back",
        ),
        (
            "Missing Checks: The reader takes a frame of any length and copies it into a fixed buffer",
            "The reader takes a frame of any length and copies it into a fixed buffer",
        ),
        (
            "The parser attempts to read the header in one piece, but it fails on headers that are "
            "split over two packets from a slow peer",
            "The parser fails on headers that are split over two packets from a slow peer",
        ),
        (
            "Replaced the hand-written retry loop of the uploader, the downloader, the indexer and "
            "the mirror (all four had drifted apart) with one helper",
            "Replaced the hand-written retry loop of the uploader, the downloader, the indexer and "
            "the mirror with one helper",
        ),
        ("We have now written a small guide for new people", "Wrote a small guide for new people"),
        ("Added a lock: it is taken before the file is read", "Added a lock: it is taken before the file is read"),
    ],
)  # fmt: skip
def test_the_fact_stays(said: str, title: str) -> None:
    assert title_of(said) == title


WORDS = st.sampled_from(
    ["the", "pool", "leaks", "`a/b.py`", "so", "but", "it", "fails,", "and", "(twice)", "which", "with", "—", "because", "“x”"]
)  # fmt: skip


@given(st.lists(WORDS, min_size=1, max_size=60).map(" ".join))
def test_what_is_left_is_short_and_whole(text: str) -> None:
    kept = fitted(text)
    assert len(kept) <= LONGEST
    assert kept.count("`") % 2 == 0
    said = {word.strip(",") for word in text.lower().replace("a/b.py", "b.py").split()}
    assert {word.strip(",") for word in kept.lower().replace("a/b.py", "b.py").split()} <= said
