"""Symbols and lines by name: the index for what is defined, the files for what they say."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memfold.code.index.words import Asked, words_of
from memfold.store.needs.symbols import Found, SymbolIndex, SymbolRow, Within

CONTENT_RANK = 7  # behind every way a symbol may fit
_MOST_FILES_READ = 60
_MOST_TOLD = 500  # files whose signatures are looked through
_MOST_LINES_A_FILE = 3
_LINE_CHARS = 200


@dataclass(frozen=True, slots=True)
class Hit:
    """A symbol, or a line of a file where ``symbol`` is None."""

    path: str
    line: int
    rank: int
    symbol: SymbolRow | None = None
    text: str = ""


class SymbolSearch:
    """Search in one workspace whose index is up to date."""

    def __init__(self, index: SymbolIndex, root: str, text: Callable[[bytes], str]) -> None:
        self._index = index
        self._root = root
        self._text = text

    def find(self, query: str, most: int, within: Within) -> tuple[Hit, ...]:
        """Best first, at most ``most``. A dotted name (`Pool.run`) is looked for in its parent."""
        parent, _, name = query.strip().replace("::", ".").rpartition(".")
        asked = name if parent and name else query
        found = self._index.named(self._root, asked, most * (5 if parent else 1), within)
        hits = [
            _hit(one)
            for one in found
            if not parent or one.symbol.parent.lower().endswith(parent.lower())
        ][:most]
        if len(hits) < most:
            likely = self._likely(query, within)
            told = self._index.told_of(self._root, query.strip(), likely[:_MOST_TOLD], most)
            hits += _new(hits, (_hit(one) for one in told), most)
            hits += _new(hits, self._lines(query, likely), most)
        return tuple(hits)

    def _likely(self, query: str, within: Within) -> list[str]:
        """Files that may hold all words of the query."""
        asked = Asked(words_of(query))
        held = self._index.words(self._root, within)
        return [path for path, bits in held if asked.may_stand_in(bits)]

    def _lines(self, query: str, likely: Sequence[str]) -> Iterator[Hit]:
        wanted = words_of(query)
        for path in likely[:_MOST_FILES_READ]:
            try:
                data = Path(os.path.join(self._root, path)).read_bytes()
            except OSError:
                continue  # gone since the look
            yield from _in_file(path, self._text(data).splitlines(), query.strip().lower(), wanted)


def _hit(one: Found) -> Hit:
    return Hit(one.path, one.symbol.line, one.rank, one.symbol)


def _new(hits: Sequence[Hit], more: Iterable[Hit], most: int) -> list[Hit]:
    """Of the others as many as there is room for, none that is there already."""
    taken = {(one.path, one.line) for one in hits}
    fresh = (one for one in more if (one.path, one.line) not in taken)
    return list(islice(fresh, most - len(hits)))


def _in_file(path: str, lines: list[str], query: str, wanted: set[str]) -> Iterator[Hit]:
    """Lines that hold the query as it is, else those that hold all its words."""
    lowered = [line.lower() for line in lines]
    whole = [at for at, line in enumerate(lowered) if query in line]
    chosen = whole or [
        at for at, line in enumerate(lowered) if all(word in line for word in wanted)
    ]
    for at in chosen[:_MOST_LINES_A_FILE]:
        yield Hit(path, at + 1, CONTENT_RANK, None, lines[at].strip()[:_LINE_CHARS])
