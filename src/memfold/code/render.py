"""An outline as an agent reads it: one line a symbol, deeper levels folded first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memfold.code.symbols import Outline, Symbol

OUTLINE_BYTES = 16 * 1024
_FUNCTION_WORDS = {"def", "defp", "fn", "fun", "func", "function"}
_FIRST_WORDS = 4  # of a signature, in which its keyword stands


def render(found: Outline, path: str, limit: int = OUTLINE_BYTES) -> str:
    """The outline as text of at most ``limit`` bytes of UTF-8.

    Where it does not fit, doc lines go, then the deepest level becomes names in a line at its
    parents, then a count there, then the next level, and last the end of the list.
    """
    text = ""
    for view in _views(max((one.depth for one in found.symbols), default=0)):
        text = _text(found, path, view)
        if _size(text) <= limit:
            return text
    return _cut(text, limit)


@dataclass(frozen=True, slots=True)
class _View:
    """How much is shown."""

    depth: int  # levels below it have no line of their own
    with_doc: bool = True
    names_below: bool = False  # of the next level, at the parent


def _views(deepest: int) -> Iterator[_View]:
    """From all to little."""
    yield _View(deepest)
    yield _View(deepest, with_doc=False)
    for depth in range(deepest - 1, -1, -1):
        yield _View(depth, names_below=True)
        yield _View(depth, with_doc=False, names_below=True)
        yield _View(depth)
    yield _View(0, with_doc=False)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _text(found: Outline, path: str, view: _View) -> str:
    lines = _head(found, path)
    below = _folded(found, view.depth + view.names_below)
    names = _names_below(found, view.depth, below) if view.names_below else {}
    for place, one in enumerate(found.symbols):
        if one.depth > view.depth:
            continue
        folded = f" (+{below[place]} inside)" if below[place] else ""
        lines.append(_line(one, with_doc=view.with_doc) + folded)
        if place in names:
            lines.append(f"{_indent(one.depth + 1)}{', '.join(names[place])}")
    if not found.symbols and not found.cut_short:
        lines.append("No symbols.")
    if found.left_out:
        lines.append(f"{found.left_out:,} more symbols are left out: too many or too deep.")
    return "\n".join(lines)


def _names_below(found: Outline, depth: int, below: list[int]) -> dict[int, list[str]]:
    """For each symbol of that depth, what is right inside it: lines and name."""
    names: dict[int, list[str]] = {}
    for place, one in enumerate(found.symbols):
        if one.depth == depth + 1 and one.parent is not None:
            folded = f" (+{below[place]})" if below[place] else ""
            names.setdefault(one.parent, []).append(f"{_range(one)} {one.name}{folded}")
    return names


def _head(found: Outline, path: str) -> list[str]:
    exported = any(not one.exported for one in found.symbols)
    lines = [
        f"{path} — {found.language}, {found.lines:,} lines"
        + ("; + marks what is exported" if exported else "")
    ]
    if found.cut_short:
        lines.append(f"Not whole: {found.cut_short} Read parts of the file.")
    if found.broken:
        lines.append("The grammar met errors in it; symbols inside them may be missing.")
    if found.imports:
        more = f" (+{found.imports_more} more)" if found.imports_more else ""
        lines.append("Imports: " + "; ".join(found.imports) + more)
    return lines


def _folded(found: Outline, depth: int) -> list[int]:
    """For each symbol shown, how many below it are not."""
    counts = [0] * len(found.symbols)
    for place in range(len(found.symbols) - 1, -1, -1):
        one = found.symbols[place]
        if one.depth > depth and one.parent is not None:
            counts[one.parent] += 1 + counts[place]
    return [
        count if one.depth <= depth else 0 for one, count in zip(found.symbols, counts, strict=True)
    ]


def _line(one: Symbol, *, with_doc: bool) -> str:
    title = one.signature if one.name in one.signature else f"{one.name}: {one.signature}"
    kind = "" if _says_kind(title, one.kind) else f"{one.kind} "
    doc = f" — {one.doc}" if with_doc and one.doc else ""
    scope = f" [{one.scope}]" if one.depth == 0 and one.scope else ""
    mark = "+ " if one.exported else ""
    return f"{_indent(one.depth)}{_range(one)} {mark}{kind}{title}{scope}{doc}"


def _says_kind(title: str, kind: str) -> bool:
    """Whether a reader sees it: `def f()` is a function, and inside a class a method."""
    words = title.lower().split(maxsplit=_FIRST_WORDS)[:_FIRST_WORDS]
    if kind in words or title.lower().startswith(kind):
        return True
    return kind in ("function", "method") and not _FUNCTION_WORDS.isdisjoint(words)


def _range(one: Symbol) -> str:
    return f"{one.first_line}-{one.end_line}" if one.end_line != one.first_line else f"{one.line}"


def _indent(depth: int) -> str:
    return "  " * min(depth, 20)


def _cut(text: str, limit: int) -> str:
    room, kept = limit - 120, []
    rows = text.split("\n")
    for row in rows:
        room -= _size(row) + 1
        if room < 0:
            break
        kept.append(row)
    if not kept:  # a first line longer than the limit: a path, or imports
        kept = [rows[0].encode("utf-8", "replace")[: limit - 120].decode("utf-8", "ignore")]
    kept.append(f"{len(rows) - len(kept):,} more lines of this outline are left out.")
    return "\n".join(kept)
