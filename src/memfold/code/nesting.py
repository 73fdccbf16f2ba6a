"""Definitions as symbols: each in what holds it, with its comments and who may use it."""

from __future__ import annotations

import re
from bisect import bisect_right

from memfold.code import exports, labels
from memfold.code.gathered import MAX_SYMBOLS, Definition, Gathered
from memfold.code.symbols import Symbol

MAX_DEPTH = 40
_HEADER_BYTES = 4_000
_PATH_CHARS = 1_000
_TOP = (0, -1, -1, "")  # what holds the symbols at the top of a file


def nested(
    gathered: Gathered, source: bytes, language: str, lines: int
) -> tuple[tuple[Symbol, ...], int]:
    """Symbols in the file's order, each with its parent, and how many lay too deep."""
    ordered = sorted(gathered.found.values(), key=lambda one: (one.start, -one.end))[:MAX_SYMBOLS]
    if language in _MERGED:
        ordered = _merged(ordered)
    elif language == "markdown":
        _sections(ordered, source)
    rules = exports.rules(language, gathered.names)
    hides = sorted(gathered.hides)
    symbols: list[Symbol] = []
    open_: list[tuple[int, int, int, str]] = []  # end, place, start, scope of its members
    left_out = 0
    for one in ordered:
        start, end, name = one.start, one.end, one.name
        while open_ and open_[-1][0] < end:
            open_.pop()
        while open_ and (open_[-1][0] <= start or open_[-1][:3:2] == (end, start)):
            open_.pop()  # what has the same range is named beside it: `int a, b;`
        _, place, parent_start, scope = open_[-1] if open_ else _TOP
        parent = symbols[place] if place >= 0 else None
        if parent is not None and one.kind == "variable" and parent.kind in exports.CLOSED:
            continue
        if len(open_) >= MAX_DEPTH:
            left_out += 1
            continue
        outer, outer_row, end_row, wrapped = _with_wraps(gathered, one)
        first_row, doc = _leading(gathered, source, outer, outer_row)
        first_line = first_row + 1
        if parent is not None:
            first_line = max(first_line, parent.first_line)
            end_row = min(end_row, parent.end_line - 1)
        if one.scope:
            scope = f"{scope}.{one.scope}" if scope else one.scope
        hidden = hides and bisect_right(hides, start) > bisect_right(hides, parent_start)
        header = source[outer : min(max(one.body, outer), outer + _HEADER_BYTES)]
        symbols.append(
            Symbol(
                name,
                one.kind,
                one.name_row + 1,
                min(first_line, one.name_row + 1),
                # A line that goes on at the end of the file ends in a row that is not there.
                min(max(end_row, one.name_row) + 1, lines),
                place if parent is not None else None,
                scope,
                len(open_),
                labels.signature(source, one, language),
                not hidden and rules.exported(name, one.kind, header, wrapped, parent),
                labels.doc_line(one.doc or doc),
            )
        )
        path = f"{scope}.{name}" if scope else name
        open_.append((end, len(symbols) - 1, start, path[:_PATH_CHARS]))
    return tuple(symbols), left_out


_MERGED = frozenset({"haskell", "elixir"})


def _merged(ordered: list[Definition]) -> list[Definition]:
    """Clauses of one function that stand one after the other are one symbol."""
    kept: list[Definition] = []
    for one in ordered:
        last = next((k for k in reversed(kept[-1:]) if k.end <= one.start), None)
        if (
            last
            and last.name.strip("()") == one.name.strip("()")
            and last.kind == one.kind
            and one.kind in _CLAUSES
        ):
            last.end, last.end_row = one.end, one.end_row
        else:
            kept.append(one)
    return kept


_CLAUSES = frozenset({"function", "private function", "macro"})


def _sections(headings: list[Definition], source: bytes) -> None:
    """What belongs to a heading: all up to the next one that is not below it."""
    open_: list[tuple[int, Definition]] = []
    rows = source.count(b"\n") + (not source.endswith(b"\n"))
    for one in headings:
        text = source[one.start : one.end].strip()
        marks = len(text) - len(text.lstrip(b"#"))
        level = marks or (1 if text.endswith(b"=") else 2)
        one.name = re.sub(r"\s+#+$", "", one.name)
        while open_ and open_[-1][0] >= level:
            last = open_.pop()[1]
            last.end, last.end_row = one.start, max(last.end_row, one.start_row - 1)
        open_.append((level, one))
    for _level, last in open_:
        last.end, last.end_row = len(source), max(last.end_row, rows - 1)


def _with_wraps(gathered: Gathered, one: Definition) -> tuple[int, int, int, bool]:
    """Start, first row and last row with what stands around it: decorators, ``export``."""
    key, start_row, end_row, wrapped = (one.start, one.end), one.start_row, one.end_row, False
    for _ in range(4):
        around = gathered.wraps.get(key)
        if around is None:
            break
        key, wrapped = around[:2], True
        start_row, end_row = around[2], max(end_row, around[3])
    return key[0], start_row, end_row, wrapped


def _leading(gathered: Gathered, source: bytes, start: int, row: int) -> tuple[int, str]:
    """The first row with the comments and attributes right above, and the comment's text."""
    doc_start = doc_end = -1
    while True:
        above = row - 1
        comment, attr = gathered.comments.get(above), gathered.attrs.get(above)
        if attr is not None and attr[1] < start and _begins_line(source, attr[1]):
            row, start = attr
        elif comment is not None and comment[1] < start and _begins_line(source, comment[1]):
            row, start = comment[:2]
            doc_start, doc_end = start, max(doc_end, comment[2])
        else:
            break
    text = source[doc_start : min(doc_end, doc_start + 2_000)] if doc_start >= 0 else b""
    return row, text.decode("utf-8", "replace")


def _begins_line(source: bytes, start: int) -> bool:
    before = source[max(0, start - 400) : start]
    return not before[before.rfind(b"\n") + 1 :].strip()
