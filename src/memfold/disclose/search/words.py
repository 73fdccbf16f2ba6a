"""The words of a question, and how many of them a text has.

Words of five or more letters match on their first five: "renaming" finds "renamed". Text without
blanks between words (Chinese, Japanese, Thai) is taken two characters at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_PREFIX = 5
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_STOP_WORDS = """
a about after again all already also an and any are as at be because been before being but by
can could did do does doing done else ever find for found from get had has have how i if in
into is it its just last let make me more my no not of on one or our out over please say see
should show so some tell than that the their them then there these they this those to up us
use used want was we were what when where which who why will with work worked would yes you
your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def stems(text: str) -> frozenset[str]:
    """The words of a text as they are compared."""
    found: set[str] = set()
    for word in _WORD.findall(text):
        for run in _UNSPACED.findall(word):
            found.update(run[at : at + 2] for at in range(max(len(run) - 1, 1)))
        rest = _UNSPACED.sub(" ", word)
        for part in rest.split():
            whole = part.casefold()
            found.add(whole[:_PREFIX])
            found.update(piece.casefold()[:_PREFIX] for piece in _CAMEL.split(part))
    return frozenset(found)


def telling(query: str) -> frozenset[str]:
    """The query's words without those that say nothing; all of them where none is left."""
    kept = [word for word in _WORD.findall(query) if word.casefold() not in STOP_WORDS]
    return stems(" ".join(kept)) or stems(query)


def without_stop_words(query: str) -> str:
    """The query as it was, stop words dropped; empty where nothing is left."""
    return " ".join(part for part in query.split() if not set(_words(part)) <= STOP_WORDS)


def _words(part: str) -> Iterable[str]:
    return (word.casefold() for word in _WORD.findall(part))
