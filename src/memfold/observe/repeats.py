"""The same fact said again in a session: known by its words, numbers and names, not their order."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from memfold.observe.builtin.titles import stems
from memfold.records import Draft, Observation

_SAME = 0.75  # of all words of both
_NAMES = re.compile(r"`[^`]+`|\d[\d.]*|\b\w+_\w+\b|\b[\w-]+\.[a-z]{1,5}\b")
_NOT = re.compile(
    r"\b(?:not?|never|without|no longer|cannot|\w+n't|reverted)\b|不|没|沒|ない|ません", re.I
)


def as_known(draft: Draft, earlier: Iterable[Observation]) -> Draft:
    """The draft under the title and type by which its session already has the fact.

    The store then strengthens that observation. A draft that says something new comes back as it
    is: other names or numbers, or a "not" in one of the two, make it another fact.
    """
    for one in earlier:
        known = one.draft
        if known.observer == draft.observer and same_fact(draft.title, known.title):
            return replace(draft, title=known.title, type=known.type)
    return draft


def same_fact(one: str, other: str) -> bool:
    """Whether two titles state one fact."""
    first, second = set(stems(one)), set(stems(other))
    if len(first) < 3 or len(second) < 3:
        return first == second and one.casefold() == other.casefold()
    if set(_NAMES.findall(one)) ^ set(_NAMES.findall(other)):
        return False
    if bool(_NOT.search(one)) != bool(_NOT.search(other)):
        return False
    return len(first & second) >= _SAME * len(first | second)
