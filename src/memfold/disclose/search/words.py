"""The words of a question, and how many of them a text has.

The words are those the store finds by; words of five or more letters match on their first five,
so that "renaming" finds "renamed".
"""

from __future__ import annotations

from memfold.store.words import STOP_WORDS, asked_words

_PREFIX = 5
# Words of questions about past work that say nothing about which work.
_ASKING = STOP_WORDS | {"else", "ever", "find", "found", "last", "make", "see", "show", "tell"}
_ASKING |= {"use", "used", "want", "work"}


def stems(text: str) -> frozenset[str]:
    """The words of a text as they are compared."""
    return frozenset(word[:_PREFIX] for word in asked_words(text))


def telling(query: str) -> frozenset[str]:
    """The query's words without those that say nothing; all of them where none is left."""
    words = asked_words(query)
    return frozenset(word[:_PREFIX] for word in words if word not in _ASKING) or stems(query)


def without_stop_words(query: str) -> str:
    """The query as it was, stop words dropped; empty where nothing is left."""
    return " ".join(part for part in query.split() if not set(asked_words(part)) <= STOP_WORDS)
