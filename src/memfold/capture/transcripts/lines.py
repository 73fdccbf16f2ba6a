"""A transcript's lines as JSON objects, with bad ones counted and the offset kept."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any

MAX_LINE_BYTES = 128 * 1024 * 1024  # a longer line is passed over: it would not fit in memory


@dataclass(slots=True)
class Reading:
    """What a reader has met so far in one file."""

    offset: int = 0  # everything before it was taken
    line_start: int = 0  # where the line being read begins
    bad_lines: int = 0
    tool_uses: int = 0  # calls seen, kept or not
    skipped: Counter[str] = field(default_factory=Counter)  # reason -> calls left out


def json_lines(
    path: Path, start: int, reading: Reading, *, whole: bool
) -> Iterator[dict[str, Any]]:
    """Objects from ``start`` on. ``whole``: a last line without its end is taken, or is bad;

    otherwise it is left for next time, for the host may still be writing it.
    """
    reading.offset = start
    with path.open("rb") as file:
        file.seek(start)
        while raw := file.readline(MAX_LINE_BYTES):
            reading.line_start = reading.offset
            size, ended = len(raw), raw.endswith(b"\n")
            if not ended and size == MAX_LINE_BYTES:
                raw = b"too long"
                rest, ended = _line_end(file)
                size += rest
            if not ended and not whole:
                return
            value = _parsed(raw)
            if value is None and raw.strip():
                reading.bad_lines += 1
                if not ended:
                    return  # cut in its middle: whoever reads on later begins with it
            reading.offset += size
            if value is not None:
                yield value


def _line_end(file: IO[bytes]) -> tuple[int, bool]:
    """(bytes passed over, whether the line ends)."""
    size = 0
    while raw := file.readline(1 << 20):
        size += len(raw)
        if raw.endswith(b"\n"):
            return size, True
    return size, False


def _parsed(raw: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def moment_ms(value: Any, otherwise: int) -> int:
    """An ISO 8601 time as Unix ms."""
    if not isinstance(value, str):
        return otherwise
    try:
        return int(datetime.fromisoformat(value).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return otherwise


def as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def as_count(value: Any) -> int:
    """A figure of the host's; 0 where it gives none."""
    return value if isinstance(value, int) and value > 0 else 0
