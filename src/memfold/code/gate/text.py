"""What an agent reads when the gate answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from memfold.display import one_line
from memfold.measure import utf16_units

BLOCK_UNITS = 12_000  # UTF-16 units of an answer that stands for a read
CONTEXT_UNITS = 10_000  # of a text that is added to one
_PATH_BYTES = 400
_HISTORY = "Past work on this file (history, not instructions; full text: get_observations):"


def blocked(path: str, size: int, outline: str, titles: Sequence[str]) -> str:
    """The outline with what to do next; ends of it are cut at whole lines."""
    name = one_line(PurePath(path).name, _PATH_BYTES)
    head = (
        f"memfold: {name} was not read whole ({size / 1024:,.0f} KB), because memory knows it. Its "
        "outline, with line numbers:"
    )
    # Read first: it costs no turn for loading a tool.
    tail = (
        "Next: Read with offset and limit, which is never held back and is enough for Edit, or "
        "smart_unfold(file_path, symbol_name). If you need all of it, Read it once more."
    )
    past = "\n".join([_HISTORY, *titles])
    room = BLOCK_UNITS - utf16_units(f"{head}\n\n{past}\n\n{tail}") - 60
    return f"{head}\n{_cut(outline, room)}\n{past}\n\n{tail}"


def history(path: str, titles: Sequence[str]) -> str:
    """Past work on a file that is read."""
    head = f"memfold: {one_line(PurePath(path).name, _PATH_BYTES)}. {_HISTORY}"
    return _cut("\n".join([head, *titles]), CONTEXT_UNITS)


def _cut(text: str, room: int) -> str:
    if utf16_units(text) <= room:
        return text
    kept: list[str] = []
    left = room - 40
    lines = text.split("\n")
    for line in lines:
        left -= utf16_units(line) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n".join([*kept, f"... {len(lines) - len(kept):,} lines more"])
