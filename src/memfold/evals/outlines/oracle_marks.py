"""A file judged by its own marks: `//= method run, field size` at the end of a symbol's line.

For languages that no program at hand reads. A person wrote the marks; they name kind and name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from memfold.evals.outlines.oracles import Expected, Told

_MARK = re.compile(
    r"(?://|--|#|/\*|<!--) ?= (?P<symbols>[a-z]+ \S.*?)\s*(?:\*/|-->)?$", re.MULTILINE
)
# A comma ends a symbol where a kind follows: a selector may hold commas.
_BETWEEN = re.compile(
    r", (?=(?:block|case|class|constant|enum|field|function|interface|media|method|property"
    r"|rule|supports|variable) )"
)


@dataclass(frozen=True, slots=True)
class MarksOracle:
    """Reads what a person wrote into the file."""

    @property
    def title(self) -> str:
        return "marks in the file"

    def told(self, _path: Path, text: str, _language: str) -> Told:
        told = Told()
        for found in _MARK.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            for one in _BETWEEN.split(found["symbols"]):
                kind, _, name = one.partition(" ")
                told.expected.append(Expected(name, kind, line))
        return told


def has_marks(text: str) -> bool:
    """Whether a person marked the symbols of the file."""
    return _MARK.search(text) is not None
