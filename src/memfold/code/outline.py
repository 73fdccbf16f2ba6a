"""A file's outline: what its grammar's query finds, nested as it stands in the file."""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

from memfold.code import components, exports, labels, recovery
from memfold.code.gathered import MAX_SYMBOLS, Definition, Gathered, gather
from memfold.code.languages import LANGUAGES
from memfold.code.limits import TooDeep, TooSlow
from memfold.code.parsing import MAX_BYTES, PARSE_S, read
from memfold.code.symbols import Outline, Symbol
from memfold.code.text import count_lines, encoded, text_of
from memfold.errors import InvalidInput

IMPORTS = 10
MAX_DEPTH = 40


def outline(data: bytes, language: str) -> Outline:
    """What is in the file. It ends within about two seconds whatever the bytes are.

    A file of more than MAX_BYTES, or one that takes too long, is answered with what was found and
    the reason in ``cut_short``. Raises InvalidInput for a binary file or an unknown language.
    """
    if language not in LANGUAGES:
        raise InvalidInput(
            f"There is no outline for files in {language or 'an unknown language'}.",
            "Read the file instead.",
        )
    if len(data) > 2 * MAX_BYTES:  # UTF-16 halves
        return _uncounted(language, data, _too_large(len(data)))
    return outline_of_text(text_of(data), language)


def outline_of_text(text: str, language: str) -> Outline:
    """The outline of text whose lines are ended by line feeds."""
    source = encoded(text)
    lines = count_lines(text)
    if len(source) > MAX_BYTES:
        return Outline(language, lines, (), 0, (), 0, False, _too_large(len(source)))
    if not LANGUAGES[language].package:
        return _of_component(source, language, lines)
    gathered = Gathered()
    broken, cut_short = False, ""
    try:
        reading = read(source, language)
        broken = reading.broken
        for match in reading.matches():
            if not gather(gathered, match, source):
                break
        if broken:
            recovery.recover(gathered, reading, source, language)
    except TooSlow:
        cut_short = "It took too long to parse whole."
    except TooDeep as error:
        cut_short = f"It nests more than {error.levels:,} levels deep."
    symbols, left_out = _nested(gathered, source, language, lines)
    left_out += max(0, len(gathered.found) - MAX_SYMBOLS)
    imports = tuple(gathered.imports[start] for start in sorted(gathered.imports))
    if language == "html":
        symbols += _blocks(source, language, len(symbols))[0]
    return Outline(
        language,
        lines,
        imports[:IMPORTS],
        max(0, len(imports) - IMPORTS),
        symbols,
        left_out,
        broken,
        cut_short,
    )


def _too_large(size: int) -> str:
    return f"It has {size:,} bytes; files of up to {MAX_BYTES:,} are parsed."


def _uncounted(language: str, data: bytes, reason: str) -> Outline:
    lines = data.count(b"\n") or data.count(b"\r")
    return Outline(language, lines + 1, (), 0, (), 0, False, reason)


def _of_component(source: bytes, language: str, lines: int) -> Outline:
    """The outlines of the blocks of a single-file component, as one."""
    symbols, inner = _blocks(source, language, 0)
    imports = [line for one in inner for line in one.imports]
    return Outline(
        language,
        lines,
        tuple(imports[:IMPORTS]),
        sum(one.imports_more for one in inner) + max(0, len(imports) - IMPORTS),
        symbols[:MAX_SYMBOLS],
        sum(one.left_out for one in inner) + max(0, len(symbols) - MAX_SYMBOLS),
        any(one.broken for one in inner),
        next((one.cut_short for one in inner if one.cut_short), ""),
    )


def _blocks(source: bytes, language: str, top: int) -> tuple[tuple[Symbol, ...], list[Outline]]:
    """The blocks of other languages with what is in them; ``top``: symbols before them."""
    symbols: list[Symbol] = []
    outlines: list[Outline] = []
    until = time.monotonic() + PARSE_S
    for block in components.blocks(source, language):
        place = top + len(symbols)
        symbols.append(block.symbol)
        if not block.language or time.monotonic() > until:
            continue
        inner = outline_of_text(block.text, block.language)
        outlines.append(inner)
        symbols += [_moved(one, place, block.symbol, block.row) for one in inner.symbols]
    return tuple(symbols), outlines


def _moved(symbol: Symbol, top: int, block: Symbol, row: int) -> Symbol:
    # A script may begin on its tag's line, and the end tag may stand on its last.
    scope = block.name
    return replace(
        symbol,
        line=symbol.line + row,
        first_line=symbol.first_line + row,
        end_line=symbol.end_line + row,
        parent=top if symbol.parent is None else top + 1 + symbol.parent,
        scope=f"{scope}.{symbol.scope}" if symbol.scope else scope,
        depth=symbol.depth + 1,
    )


def _nested(
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
        while open_ and open_[-1][0] < one.end:
            open_.pop()
        while open_ and (open_[-1][0] <= one.start or open_[-1][:3:2] == (one.end, one.start)):
            open_.pop()  # what has the same range is named beside it: `int a, b;`
        if one.kind == "variable" and open_ and symbols[open_[-1][1]].kind in exports.CLOSED:
            continue
        if len(open_) >= MAX_DEPTH:
            left_out += 1
            continue
        start, start_row, end_row, wrapped = _with_wraps(gathered, one)
        first_row, doc = _leading(gathered, source, start, start_row)
        parent = open_[-1][1] if open_ else None
        parent_start = open_[-1][2] if open_ else -1
        first_line = first_row + 1
        if parent is not None:
            first_line = max(first_line, symbols[parent].first_line)
            end_row = min(end_row, symbols[parent].end_line - 1)
        scope = ".".join(part for part in (open_[-1][3] if open_ else "", one.scope) if part)
        header = source[start : min(max(one.body, start), start + 4_000)].decode("utf-8", "replace")
        signature = labels.signature(source, one, language)
        hidden = bisect_right(hides, one.start) > bisect_right(hides, parent_start)
        symbols.append(
            Symbol(
                one.name,
                one.kind,
                one.name_row + 1,
                min(first_line, one.name_row + 1),
                # A line that goes on at the end of the file ends in a row that is not there.
                min(max(end_row, one.name_row) + 1, lines),
                parent,
                scope,
                len(open_),
                signature,
                not hidden
                and rules.exported(
                    one.name,
                    one.kind,
                    header,
                    wrapped,
                    symbols[parent] if parent is not None else None,
                ),
                labels.doc_line(one.doc or doc),
            )
        )
        path = f"{scope}.{one.name}" if scope else one.name
        open_.append((one.end, len(symbols) - 1, one.start, path[:1_000]))
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


def walk(found: Outline, depth: int) -> Iterator[Symbol]:
    """The symbols down to ``depth``."""
    return (symbol for symbol in found.symbols if symbol.depth <= depth)
