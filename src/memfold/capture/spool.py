"""Reading what hooks kept while the daemon was away; hook/spool.py writes it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from memfold.errors import BadPayload

_HEAD = b"memfold-spool 1 "


@dataclass(frozen=True, slots=True)
class Spooled:
    """One event as its hook received it, redacted."""

    host: str
    at_ms: int
    body: bytes


def waiting(folder: Path) -> list[Path]:
    """Spooled events, oldest first."""
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if _is_event(entry.name))
    except FileNotFoundError:
        return []


def any_waiting(folder: Path) -> bool:
    """Whether anything waits; cheap, for it is asked after every hook."""
    try:
        with os.scandir(folder) as entries:
            return any(_is_event(entry.name) for entry in entries)
    except FileNotFoundError:
        return False


def _is_event(name: str) -> bool:
    return name.endswith(".evt") and not name.startswith(".")  # a dot: still being written


def read(path: Path) -> Spooled:
    """Raises BadPayload when the file is not a spooled event, or cannot be read."""
    try:
        head, _, body = path.read_bytes().partition(b"\n")
    except OSError as error:
        raise BadPayload(f"{path.name} cannot be read: {error.strerror}.") from error
    words = head.removeprefix(_HEAD).decode("utf-8", "replace").split()
    if not head.startswith(_HEAD) or len(words) != 2 or not words[1].isdigit():
        raise BadPayload(f"{path.name} is not a spooled event.")
    return Spooled(words[0], int(words[1]), body)


def remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def set_aside(path: Path) -> None:
    """Keep a file nobody can read where it does not hold up the others."""
    place = path.parent / "bad"
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        path.rename(place / path.name)
    except FileNotFoundError:
        return  # another daemon of the same moment took it
