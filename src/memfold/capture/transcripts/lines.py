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
    placed: bool = False  # the session names no directory: it is filed under the file's folder


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


def json_document(path: Path, reading: Reading, *, whole: bool) -> dict[str, Any]:
    """A file that is one JSON object; one that cannot be read is a bad line, and empty.

    Not ``whole``: it may be half written, and is looked at again next time.
    """
    with path.open("rb") as file:
        raw = file.read(MAX_LINE_BYTES + 1)
    value = _parsed(raw) if len(raw) <= MAX_LINE_BYTES else None
    if value is None:
        reading.bad_lines += 1 if raw.strip() else 0
        reading.offset = len(raw) if whole else 0
        return {}
    reading.offset = len(raw)
    return value


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
        value = json.loads(raw.decode("utf-8", "replace").removeprefix("\ufeff"))
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


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def text_of(content: Any) -> str:
    """A text, or the texts of a list of blocks; a picture leaves a mark."""
    if not isinstance(content, list):
        return as_text(content)
    parts = []
    for block in content:
        if isinstance(block, str):
            parts.append(block)
        elif isinstance(block, dict):
            image = "[image]" if block.get("type") == "image" or "inlineData" in block else ""
            parts.append(as_text(block.get("text")) or image)
    return "\n".join(part for part in parts if part)


def as_count(value: Any) -> int:
    """A figure of the host's; 0 where it gives none."""
    return value if isinstance(value, int) and value > 0 else 0
