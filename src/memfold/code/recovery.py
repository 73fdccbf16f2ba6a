"""The symbols behind an error: stretches of the file are parsed again by themselves.

After an error a grammar may read all that follows as part of what it could not end, and lists none
of it. From the first error on, each stretch from one line at the left of the page to the next is
parsed alone, unless the first parse has it whole. Where that still fails, its frame is read without
its indented lines, and what may stand in it one step to the right. What is found so is added to
what the first parse found; nothing is taken away but the end of a definition that had swallowed
what follows it.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memfold.code import exports, macros, stretches
from memfold.code.gathered import Gathered, gather
from memfold.code.limits import TooSlow
from memfold.code.parsing import Parts, Reading
from memfold.code.stretches import Stretch

if TYPE_CHECKING:  # loads a shared library
    from tree_sitter import Node

RECOVER_S = 0.4
MOST_LEVELS = 2  # below the left of the page
# In these an indented line means nothing without the one above it.
_BY_LAYOUT = frozenset({"python", "yaml", "haskell", "toml", "scss", "css", "sql"})
# What may stand at the left of the page inside these is theirs.
_HOLDERS = frozenset({"namespace", "module", "media", "supports", "table", "block", "key"})
# Directives are blank where a part is read, and so may be the last constant of an `enum`.
_BLANKED = frozenset({"macro", "constant"})
_BETWEEN = re.compile(rb"[;\s]*")


def recover(gathered: Gathered, first: Reading, source: bytes, plain: bytes, language: str) -> None:
    """Adds to ``gathered`` what the first parse, of the ``plain`` text, lost behind errors."""
    if language in stretches.WITHOUT:
        return
    reader = Parts(language)  # first: it may load a grammar
    until = time.monotonic() + RECOVER_S
    lines = _without_comments(plain, gathered)
    parts = list(_unread(first.tree.root_node, lines, language, until))
    text = macros.without(source) if language in macros.LANGUAGES else plain
    heads = {one.start_row: one.kind for one in gathered.found.values()}
    again = _Again(reader, source, text, lines, language, heads, until)
    for part in parts:
        if not again.parse(part, MOST_LEVELS):
            break
    _end_swallowers(gathered, parts, source)
    _drop_doubtful(gathered, again.clean)
    _merge(gathered, again.found, {name for _start, name in gathered.found})


@dataclass(slots=True)
class _Again:
    """Parses stretches, and keeps what it finds."""

    reader: Parts
    source: bytes
    text: bytes  # the source as it is parsed
    lines: bytes  # the source as it is cut
    language: str
    heads: Mapping[int, str]  # row -> the kind of what the first parse has there
    until: float
    found: Gathered = field(default_factory=Gathered)
    clean: list[Stretch] = field(default_factory=list)  # at the left, and read without an error
    known: set[int] = field(default_factory=set)  # where the names found so far begin

    def parse(self, part: Stretch, levels: int) -> bool:
        """False when there is no more time."""
        text = self.text[part.start : part.end]
        try:
            broken, head = self._read(text, part)
            if not broken and levels == MOST_LEVELS:
                self.clean.append(part)
            if broken and not head:
                _, head = self._read(stretches.frame(text), part)
        except TooSlow:
            return False
        if not broken or head in exports.CLOSED or not levels or self.language in _BY_LAYOUT:
            return time.monotonic() < self.until
        indent = stretches.step(text)
        inner = stretches.stretches(self.lines, self.language, part, indent) if indent else ()
        return all(self.parse(one, levels - 1) for one in inner)

    def _read(self, text: bytes, part: Stretch) -> tuple[bool, str]:
        """Whether it has errors, and the kind of what its first line defines."""
        if time.monotonic() > self.until:
            raise TooSlow
        reading = self.reader.read(text, part.start, part.row)
        if reading is None:
            return True, ""
        seen = Gathered()
        for match in reading.matches():
            gather(seen, match, self.source)
        _merge(self.found, seen, self.known)
        kinds = {one.start_row: one.kind for one in seen.found.values()}
        return reading.broken, kinds.get(part.row) or self.heads.get(part.row, "")


def _without_comments(source: bytes, gathered: Gathered) -> bytes:
    """The text with comments of several lines blank: no definition begins in them."""
    lines = bytearray(source)
    for last, (row, start, end, _text) in gathered.comments.items():
        if last > row:
            lines[start:end] = re.sub(rb"[^\n]", b" ", source[start:end])
    return bytes(lines)


def _unread(root: Node, source: bytes, language: str, until: float) -> Iterator[Stretch]:
    """The stretches that the first parse may not have read right, from the first error on."""
    error = _first_error(root, until)
    units = {start: (stop, clean) for start, stop, clean in _units(root, until)}
    mended = language in macros.LANGUAGES
    for part in stretches.stretches(source, language, Stretch(0, len(source), 0)):
        # An error that stays in its own stretch hides nothing else, but a macro may be mended.
        if part.end > error and not _is_read(units, source, part, mended=mended):
            yield part


def _is_read(
    units: Mapping[int, tuple[int, bool]], source: bytes, part: Stretch, *, mended: bool
) -> bool:
    """Whether one unit after the other fills the stretch, each without an error or with its own."""
    at = part.start
    while at < part.end:
        stop, clean = units.get(at, (-1, False))
        if stop <= at or (not clean and (mended or stop > part.end)):
            return False
        between = _BETWEEN.match(source, stop)
        at = between.end() if between else stop
    return True


def _first_error(root: Node, until: float) -> int:
    """Where the first of what stands at the top begins that was not read right.

    A string that does not end is told at its end: what holds the error is in doubt from its start.
    """
    node, inside = root, root.is_error
    while True:
        wrong = (
            one
            for one in _children(node, until)
            if one.has_error or one.is_missing or (inside and not one.is_named)
        )
        child = next(wrong, None)
        if child is None:
            return node.start_byte
        if not child.is_error:
            return child.start_byte
        node, inside = child, True


def _units(root: Node, until: float) -> Iterator[tuple[int, int, bool]]:
    """Start and end of what was read at the top, and whether it was without an error.

    Not what stands in an error: a function there may be read as a value.
    """
    for child in _children(root, until):
        if child.is_named and not child.is_error and not root.is_error:
            yield child.start_byte, child.end_byte, not child.has_error


def _children(node: Node, until: float) -> Iterator[Node]:
    """Its children, as many as there is time for: there may be a million."""
    cursor = node.walk()
    more = cursor.goto_first_child()
    while more and time.monotonic() < until:
        if cursor.node is not None:
            yield cursor.node
        more = cursor.goto_next_sibling()


def _end_swallowers(gathered: Gathered, parts: list[Stretch], source: bytes) -> None:
    """What began above a line at the left of the page ends before it."""
    starts = [part.start for part in parts]
    for one in gathered.found.values():
        place = bisect_right(starts, one.start)
        if one.kind not in _HOLDERS and place < len(parts) and starts[place] < one.end:
            end = len(source[one.start : starts[place]].rstrip()) + one.start
            row = parts[place].row - source.count(b"\n", end, starts[place])
            wrap = gathered.wraps.get((one.start, one.end))
            if wrap is not None:
                gathered.wraps[one.start, end] = (wrap[0], end, wrap[2], row)
            one.end, one.end_row = end, row


def _drop_doubtful(gathered: Gathered, clean: list[Stretch]) -> None:
    """Takes out what the first parse, with an error before it, made of text that is right alone."""
    starts = [part.start for part in clean]
    for key, one in list(gathered.found.items()):
        place = bisect_right(starts, key[1]) - 1
        if place >= 0 and key[1] < clean[place].end and one.kind not in _BLANKED:
            del gathered.found[key]


def _merge(gathered: Gathered, found: Gathered, known: set[int]) -> None:
    """Adds what is new. A name that is ``known`` at its place stays as it is."""
    for key, one in found.found.items():
        if key[1] not in known:
            known.add(key[1])
            gathered.found[key] = one
    for start, line in found.imports.items():
        gathered.imports.setdefault(start, line)
    for row, comment in found.comments.items():
        gathered.comments.setdefault(row, comment)
    for row, attr in found.attrs.items():
        gathered.attrs.setdefault(row, attr)
    for span, wrap in found.wraps.items():
        gathered.wraps.setdefault(span, wrap)
    gathered.names |= found.names
