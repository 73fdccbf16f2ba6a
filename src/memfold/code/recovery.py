"""The symbols behind an error: what stands at the left of the page is parsed again by itself.

After an error a grammar may read all that follows as part of what it could not end, and lists none
of it. Source is written so that what stands at the top begins at the left of the page. So from the
first error on, each stretch from one such line to the next is parsed alone, unless the first parse
has it whole. What is found so is added to what the first parse found; nothing is taken away but the
end of a function that had swallowed what follows it.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from memfold.code import macros
from memfold.code.gathered import Gathered, gather
from memfold.code.parsing import Parts, Reading, TooSlow

if TYPE_CHECKING:  # loads a shared library
    from tree_sitter import Node

RECOVER_S = 0.4
MOST_PARTS = 5_000
# What a line begins with that may begin something at the top.
_BEGINS = {
    "css": r"[\w.#*:@$%&\[>-]", "scss": r"[\w.#*:@$%&\[>-]", "toml": r"\[",
    "rust": r"[^\W\d]|#!?\[", "php": r"[^\W\d]|#\[", "csharp": r"[^\W\d]|\[",
    "haskell": r"[^\W\d]|\(", "yaml": r"[^\W\d]|[\"']",
}  # fmt: skip
_USUALLY = r"[^\W\d]|[@$]"
# Words that go on with what stands above them.
_GOES_ON = (
    r"(?:end|else|elif|elsif|elseif|except|finally|catch|rescue|ensure|when|then|do|done|fi|esac|in"
    r"|and|or|where|deriving|case|default|public|private|protected|signals|slots)\b"
)
# A line that the next one belongs to: an attribute above its item, a list that goes on.
_UNFINISHED = re.compile(
    rb"(?:@[^\n]*|#!?\[[^\n]*\]|\[[^\n=]*\]|template\s*<[^\n]*>|[^\n]*[,\\(=|])\s*$"
)
_OPEN_LINE = re.compile(rb"[^\n]*[^\s;}>:/]\s*$")
_NONE = frozenset({"json", "html", "markdown"})
# What may stand at the left of the page inside these is theirs.
_HOLDERS = frozenset({"namespace", "module", "media", "supports", "table", "block", "key"})


@dataclass(frozen=True, slots=True)
class _Part:
    start: int
    end: int
    row: int


def recover(gathered: Gathered, first: Reading, source: bytes, language: str) -> None:
    """Adds to ``gathered`` what the first parse lost behind errors."""
    if language in _NONE:
        return
    until = time.monotonic() + RECOVER_S
    parts = list(_parts(first.tree.root_node, source, language, until))
    found = Gathered()
    read = macros.without(source) if language in macros.LANGUAGES else source
    reader = Parts(language)
    for part in parts[:MOST_PARTS]:
        if time.monotonic() > until:
            break
        try:
            again = reader.read(read, part.start, part.end, part.row)
            for match in again.matches() if again is not None else ():
                gather(found, match, source)
        except TooSlow:
            break
    _end_swallowers(gathered, parts, source)
    _merge(gathered, found)


def _parts(root: Node, source: bytes, language: str, until: float) -> Iterator[_Part]:
    """The stretches that the first parse may not have read right, from the first error on."""
    error = _first_error(root, until)
    units = {start: (stop, clean) for start, stop, clean in _units(root, until)}
    lines = [*_top_lines(source, language), (len(source), 0)]
    for (start, row), (end, _row) in pairwise(lines):
        if end <= error:
            continue
        stop, clean = units.get(start, (-1, False))
        whole = stop >= start + len(source[start:end].rstrip(b"; \t\n"))
        # An error that stays in its own stretch hides nothing else.
        if whole and (clean or (stop <= end and language not in macros.LANGUAGES)):
            continue
        yield _Part(start, end, row)


def _first_error(root: Node, until: float) -> int:
    """Where the grammar did not go on for the first time."""
    node = root
    while not node.is_missing:
        wrong = (one for one in _children(node, until) if one.has_error or one.is_missing)
        child = next(wrong, None)
        if child is None:
            break
        node = child
        if child.is_error:
            break
    return node.start_byte


def _units(root: Node, until: float) -> Iterator[tuple[int, int, bool]]:
    """Start and end of what was read at the top, and whether it was without an error."""
    waiting = [root]
    while waiting:
        for child in _children(waiting.pop(), until):
            if child.is_error:
                waiting.append(child)
            elif child.is_named:
                yield child.start_byte, child.end_byte, not child.has_error


def _children(node: Node, until: float) -> Iterator[Node]:
    """Its children, as many as there is time for: there may be a million."""
    cursor = node.walk()
    more = cursor.goto_first_child()
    while more and time.monotonic() < until:
        if cursor.node is not None:
            yield cursor.node
        more = cursor.goto_next_sibling()


def _top_lines(source: bytes, language: str) -> list[tuple[int, int]]:
    """Offset and row of the lines that may begin something at the top."""
    begins = _BEGINS.get(language, _USUALLY)
    line = re.compile(rf"(?!{_GOES_ON})(?:{begins})".encode())
    found: list[tuple[int, int]] = []
    offset, above = 0, b""
    for row, text in enumerate(source.split(b"\n")):
        if line.match(text) and not _goes_on(above, language):
            found.append((offset, row))
        offset, above = offset + len(text) + 1, text
    return found


def _goes_on(above: bytes, language: str) -> bool:
    """Whether the line is not yet the end of what it is in."""
    if not above[:400].strip():
        return False
    if language in macros.LANGUAGES and not above.startswith((b"#", b"//")):
        return _OPEN_LINE.match(above[-400:]) is not None
    return _UNFINISHED.match(above[-400:]) is not None


def _end_swallowers(gathered: Gathered, parts: list[_Part], source: bytes) -> None:
    """What began at the left of the page ends before the next that does."""
    starts = [part.start for part in parts]
    for one in gathered.found.values():
        if one.kind in _HOLDERS or source[max(one.start - 1, 0) : one.start] not in {b"", b"\n"}:
            continue
        place = bisect_right(starts, one.start)
        if place < len(parts) and starts[place] < one.end:
            one.end = len(source[one.start : starts[place]].rstrip()) + one.start
            one.end_row = parts[place].row - source.count(b"\n", one.end, starts[place])


def _merge(gathered: Gathered, found: Gathered) -> None:
    """Adds what is new. A name that is known at its place stays as it is."""
    known = {name for _start, name in gathered.found}
    gathered.found |= {key: one for key, one in found.found.items() if key[1] not in known}
    gathered.imports = found.imports | gathered.imports
    gathered.comments = found.comments | gathered.comments
    gathered.attrs = found.attrs | gathered.attrs
    gathered.wraps = found.wraps | gathered.wraps
    gathered.names |= found.names
