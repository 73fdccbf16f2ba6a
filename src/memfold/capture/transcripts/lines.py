"""A transcript's lines as JSON objects, with bad ones counted and the offset kept."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

MAX_LINE_BYTES = 256 * 1024 * 1024


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
    """Objects from ``start`` on. ``whole``: a last line without its end is taken (or is bad);

    otherwise it is left for next time, for the host may still be writing it.
    """
    reading.offset = start
    with path.open("rb") as file:
        file.seek(start)
        for raw in file:
            complete = raw.endswith(b"\n")
            if not complete and not whole:
                return
            reading.line_start = reading.offset
            reading.offset += len(raw)
            if not raw.strip():
                continue
            try:
                value = json.loads(raw)
            except (ValueError, RecursionError):
                reading.bad_lines += 1
                continue
            if isinstance(value, dict):
                yield value
            else:
                reading.bad_lines += 1


def moment_ms(value: Any, otherwise: int) -> int:
    """An ISO 8601 time as Unix ms."""
    if not isinstance(value, str):
        return otherwise
    try:
        return int(datetime.fromisoformat(value).timestamp() * 1000)
    except (ValueError, OverflowError):
        return otherwise


def as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""
