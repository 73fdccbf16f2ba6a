"""Whether two texts are about the same matter, by the words they share."""

from __future__ import annotations

from memfold.store.words import STOP_WORDS, asked_words

SHARED = 0.4  # of the words of the shorter text: docs/decisions/0014-search-ranks-passages.md
_MAX_CHARS = 20_000  # of each text: what comes after says no more about its matter
_SHORTEST = 4  # letters; shorter words stand in every text


def about_the_same(one: str, other: str) -> bool:
    """Whether so many of their telling words are the same that both speak of one matter."""
    words, others = _telling(one), _telling(other)
    fewer = min(len(words), len(others))
    return fewer > 0 and len(words & others) >= SHARED * fewer


def _telling(text: str) -> frozenset[str]:
    return frozenset(
        word
        for word in asked_words(text[:_MAX_CHARS])
        if word not in STOP_WORDS and (len(word) >= _SHORTEST or not word.isascii())
    )
