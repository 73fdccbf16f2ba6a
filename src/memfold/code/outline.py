"""A file's outline: what its grammar's query finds, and what stands behind its errors."""

from __future__ import annotations

import time
from collections.abc import Iterator

from memfold.code import components, nesting, recovery
from memfold.code.gathered import MAX_SYMBOLS, Gathered, gather
from memfold.code.languages import LANGUAGES
from memfold.code.limits import TooDeep, TooSlow
from memfold.code.parsing import MAX_BYTES, PARSE_S, read
from memfold.code.plain import plain_text
from memfold.code.symbols import Outline, Symbol
from memfold.code.text import count_lines, encoded, text_of
from memfold.errors import InvalidInput

IMPORTS = 10


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
        plain = plain_text(source, language)
        reading = read(plain, language)
        broken = reading.broken
        for match in reading.matches():
            if not gather(gathered, match, source):
                break
        if broken:
            recovery.recover(gathered, reading, source, plain, language)
    except TooSlow:
        cut_short = "It took too long to parse whole."
    except TooDeep as error:
        cut_short = f"It nests more than {error.levels:,} levels deep."
    symbols, left_out = nesting.nested(gathered, source, language, lines)
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
    return symbol._replace(
        line=symbol.line + row,
        first_line=symbol.first_line + row,
        end_line=symbol.end_line + row,
        parent=top if symbol.parent is None else top + 1 + symbol.parent,
        scope=f"{scope}.{symbol.scope}" if symbol.scope else scope,
        depth=symbol.depth + 1,
    )


def walk(found: Outline, depth: int) -> Iterator[Symbol]:
    """The symbols down to ``depth``."""
    return (symbol for symbol in found.symbols if symbol.depth <= depth)
