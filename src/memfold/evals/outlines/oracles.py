"""What other readers of source find in a file: whom an outline is judged by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Expected:
    """One symbol as an oracle tells it."""

    name: str
    kind: str  # the oracle's own word
    line: int  # from 1


@dataclass(slots=True)
class Told:
    """What an oracle told of a file."""

    expected: list[Expected] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)  # why it is no symbol -> how many
    unread: str = ""  # why the oracle could not read the file


class Oracle(Protocol):
    """Someone who knows a language, and is not us."""

    @property
    def title(self) -> str:
        """Its name and version, for a reader of the table."""

    def told(self, path: Path, text: str, language: str) -> Told:
        """The symbols of the file. ``text``: what is in it, with line feeds only."""


def oracles() -> Mapping[str, Oracle]:
    """Language -> who judges it on this machine; a language without anyone is not in it."""
    from memfold.evals.outlines import (  # they import this file
        oracle_acorn,
        oracle_ctags,
        oracle_python,
    )

    found: dict[str, Oracle] = {"python": oracle_python.PythonOracle()}
    ctags = oracle_ctags.on_this_machine()
    if ctags is not None:
        found |= dict.fromkeys(ctags.languages, ctags)
    acorn = oracle_acorn.on_this_machine()
    if acorn is not None:
        found["javascript"] = acorn
    return found
