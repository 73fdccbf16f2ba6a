"""The source of one symbol, with the line numbers of its file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from memfold.code.apart import outline
from memfold.code.symbols import Outline, Symbol
from memfold.code.text import text_of
from memfold.errors import InvalidInput, NotFound

UNFOLD_BYTES = 32 * 1024
_LISTED = 20
_PARTS = re.compile(r"::|->|[.#/]")


def unfold(data: bytes, language: str, path: str, wanted: str, from_line: int = 0) -> str:
    """The symbol's source with decorators and leading comments, each line with its number.

    At most UNFOLD_BYTES, cut at a line, with the call that gives the rest: ``from_line`` is the
    first line shown. Several symbols of that name: their list. Raises NotFound, InvalidInput.
    """
    text = text_of(data)
    found = outline(data, language)
    if not found.symbols and found.cut_short:
        raise InvalidInput(f"{path} has no outline: {found.cut_short}", "Read parts of the file.")
    line = None
    if "@" in wanted and (at := wanted.rpartition("@"))[2].isdigit():
        wanted, line = at[0], int(at[2])
    candidates = matching(found, wanted)
    if line is not None:
        candidates = [one for one in candidates if one.line == line]
    if not candidates:
        raise NotFound(f"{path} has no symbol {wanted[:100]!r}.", _near(found, wanted))
    if len(candidates) > 1:
        return _choice(candidates, path, wanted)
    return _source(text, candidates[0], path, from_line)


def matching(found: Outline, wanted: str) -> list[Symbol]:
    """Symbols of that name or dotted path: the best kind of match only."""
    wanted = wanted.strip().removesuffix("()")
    named = [one for one in found.symbols if wanted in (one.path, one.name)]
    if named:
        return named
    parts = [part for part in _PARTS.split(wanted) if part]
    if not parts:
        return []
    ending = [one for one in found.symbols if _PARTS.split(one.path)[-len(parts) :] == parts]
    if ending or len(parts) < 2:
        return ending
    # `Class.method` where a block of code stands between: `impl<T> Trait for Class`.
    return [
        one
        for one in found.symbols
        if one.name == parts[-1] and set(parts[:-1]) <= set(re.findall(r"\w+", one.scope))
    ]


def _near(found: Outline, wanted: str) -> str:
    names = dict.fromkeys(one.path for one in found.symbols)
    near = difflib.get_close_matches(wanted[:100], list(names)[:5_000], 3, 0.6)
    if not near:
        last = wanted.rpartition(".")[2].lower()
        near = [name for name in names if last and last in name.lower()][:3]
    if near:
        return f"Did you mean {' or '.join(f'`{name}`' for name in near)}?"
    return "Its outline shows what it has."


def _choice(candidates: Sequence[Symbol], path: str, wanted: str) -> str:
    lines = [f"{len(candidates)} symbols of {path} are called {wanted}. Choose one by its line:"]
    lines += [
        f"  {one.path}@{one.line} — {one.kind}, lines {one.first_line}-{one.end_line}"
        for one in candidates[:_LISTED]
    ]
    if len(candidates) > _LISTED:
        lines.append(f"  and {len(candidates) - _LISTED} more")
    return "\n".join(lines)


def _source(text: str, symbol: Symbol, path: str, from_line: int) -> str:
    if from_line and not symbol.first_line <= from_line <= symbol.end_line:
        raise InvalidInput(
            f"{symbol.path} has lines {symbol.first_line} to {symbol.end_line}, "
            f"not line {from_line}.",
            "Leave from_line out for all of it.",
        )
    start = from_line or symbol.first_line
    rows = text.split("\n")[start - 1 : symbol.end_line]
    head = f"{path} — {symbol.kind} {symbol.path}, lines {symbol.first_line}-{symbol.end_line}"
    width = len(str(symbol.end_line))
    shown: list[str] = [head]
    room = UNFOLD_BYTES - len(head.encode("utf-8", "replace")) - 400
    for number, row in enumerate(rows, start):
        line = f"{number:>{width}}\t{row}"
        size = len(line.encode("utf-8", "replace")) + 1
        if size > room:
            rest = number
            if number == start:  # one line longer than all there is room for
                shown.append(line.encode("utf-8", "replace")[:room].decode("utf-8", "ignore"))
                shown.append(f"(line {number} is cut: it alone has {len(row):,} characters)")
                rest += 1
            if rest <= symbol.end_line:
                shown.append(
                    f"(lines {rest} to {symbol.end_line} are left out; "
                    f"the rest: from_line {rest}, symbol {symbol.path}@{symbol.line})"
                )
            break
        shown.append(line)
        room -= size
    return "\n".join(shown)
