"""An outline as an agent reads it: one line a symbol, deeper levels folded first."""

from __future__ import annotations

from memfold.code.symbols import Outline, Symbol

OUTLINE_BYTES = 16 * 1024


def render(found: Outline, path: str, limit: int = OUTLINE_BYTES) -> str:
    """The outline as text of at most ``limit`` bytes of UTF-8.

    Where it does not fit, the deepest level is folded into a count at its parents, then the next
    one, then doc lines go, and last the end of the list.
    """
    deepest = max((one.depth for one in found.symbols), default=0)
    for depth in range(deepest, -1, -1):
        text = _text(found, path, depth, with_doc=True)
        if _size(text) <= limit:
            return text
    text = _text(found, path, 0, with_doc=False)
    if _size(text) <= limit:
        return text
    return _cut(text, limit)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _text(found: Outline, path: str, depth: int, *, with_doc: bool) -> str:
    lines = _head(found, path)
    below = _folded(found, depth)
    for place, one in enumerate(found.symbols):
        if one.depth > depth:
            continue
        folded = f" (+{below[place]} inside)" if below[place] else ""
        lines.append(_line(one, with_doc=with_doc) + folded)
    if not found.symbols and not found.cut_short:
        lines.append("No symbols.")
    if found.left_out:
        lines.append(f"{found.left_out:,} more symbols are left out: too many or too deep.")
    return "\n".join(lines)


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
    lines = f"{one.first_line}-{one.end_line}" if one.end_line != one.first_line else f"{one.line}"
    title = one.signature if one.name in one.signature else f"{one.name}: {one.signature}"
    kind = "" if title.lower().startswith(one.kind) else f"{one.kind} "
    doc = f" — {one.doc}" if with_doc and one.doc else ""
    scope = f" [{one.scope}]" if one.depth == 0 and one.scope else ""
    mark = "+ " if one.exported else ""
    return f"{'  ' * min(one.depth, 20)}{lines} {mark}{kind}{title}{scope}{doc}"


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
