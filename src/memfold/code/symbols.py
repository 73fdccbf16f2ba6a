"""The nouns of reading code: a symbol, and the outline that lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Symbol(NamedTuple):  # thousands of a file: made and sent four times faster than a dataclass
    """One named thing of a file. Lines count from 1."""

    name: str
    kind: str  # class, function, method, heading, key, ...
    line: int  # where its name stands
    first_line: int  # with its decorators and leading comments
    end_line: int
    parent: int | None  # its place in Outline.symbols; always before this one
    scope: str  # names of what it is in, joined by dots; "" at the top
    depth: int  # 0 at the top
    signature: str  # one line, at most SIGNATURE_CHARS
    exported: bool
    doc: str  # first line of its documentation

    @property
    def path(self) -> str:
        """``Class.method``."""
        return f"{self.scope}.{self.name}" if self.scope else self.name


@dataclass(frozen=True, slots=True)
class Outline:
    """What is in a file, in the order it stands there."""

    language: str
    lines: int
    imports: tuple[str, ...]  # the first of them, see IMPORTS
    imports_more: int
    symbols: tuple[Symbol, ...]
    left_out: int  # symbols beyond the limits of number and depth
    broken: bool  # the grammar met errors; symbols inside them may be missing
    cut_short: str  # why not the whole file was looked at; "" when it was
