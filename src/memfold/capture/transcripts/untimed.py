"""Times for lines that have none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from memfold.capture.transcripts.lines import Reading, json_lines

_HEAD_LINES = 200
_STEP_BYTES = 1 << 20


class LineClock:
    """The file's last change, less a millisecond for each line that follows: times only rise."""

    def __init__(self, path: Path, start: int) -> None:
        self._end_ms = int(path.stat().st_mtime * 1000)
        self._after = _line_ends(path, start)
        self._last = -1

    def at_ms(self, line_start: int) -> int:
        """The time of the line that begins there; lines must be asked for in order."""
        if line_start != self._last:
            self._last = line_start
            self._after = max(self._after - 1, 0)
        return self._end_ms - self._after


def first_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The head of a file, where the directory is looked for."""
    return islice(json_lines(path, 0, Reading(), whole=True), _HEAD_LINES)


def _line_ends(path: Path, start: int) -> int:
    with path.open("rb") as file:
        file.seek(start)
        return sum(block.count(b"\n") for block in iter(lambda: file.read(_STEP_BYTES), b""))
