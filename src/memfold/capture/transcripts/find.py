"""Which reader understands a host's session files, and which files those are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memfold.capture.transcripts import (
    claude_code,
    codex,
    copilot_cli,
    cursor,
    gemini_cli,
    opencode,
    pi,
    specstory,
    windsurf,
)
from memfold.capture.transcripts.folders import own_folders
from memfold.errors import InvalidInput
from memfold.records import Event

Reader = Callable[..., Iterator[Event]]
READERS: dict[str, Reader] = {
    "claude-code": claude_code.read,
    "codex": codex.read,
    "gemini-cli": gemini_cli.read,
    "copilot-cli": copilot_cli.read,
    "opencode": opencode.read,
    "cursor": cursor.read,
    "windsurf": windsurf.read,
    "pi": pi.read,
    "specstory": specstory.read,
}


@dataclass(frozen=True, slots=True)
class _Files:
    """Names of session files, below any folder."""

    patterns: tuple[str, ...] = ("*.jsonl",)
    rewritten: tuple[str, ...] = ()  # suffixes of files that are not only appended to
    not_below: str = ""  # a folder with files of the same names that are something else


_FILES: dict[str, _Files] = {
    "gemini-cli": _Files(("session-*.json", "session-*.jsonl", "chats/*/*.jsonl"), (".json",)),
    "copilot-cli": _Files(("*.jsonl", "session*.json"), (".json",)),
    "opencode": _Files(("ses_*.json",), (".json",), "session_diff"),
    "specstory": _Files(("*.md",), (".md",)),
}


def find_transcripts(
    host: str, path: Path | None, env: Mapping[str, str] | None = None
) -> list[Path]:
    """Session files below ``path`` (or that file), oldest change first. Raises InvalidInput."""
    reader_of(host)
    places = [path] if path else own_folders(host, os.environ if env is None else env)
    there = [place for place in places if place.exists()]
    if not there:
        raise InvalidInput(f"{places[0]} is not there.", "Name the folder or file to import.")
    files: dict[Path, tuple[float, str]] = {}
    for place in there:
        for file in [place] if place.is_file() else _below(host, place):
            try:
                files[file] = (file.stat().st_mtime, str(file))
            except OSError:
                continue  # gone since it was listed
    return sorted(files, key=lambda file: files[file])


def is_rewritten(host: str, path: Path) -> bool:
    """Whether a file's host writes it anew, so that an offset in it says nothing."""
    return path.suffix in _FILES.get(host, _Files()).rewritten


def reader_of(host: str) -> Reader:
    reader = READERS.get(host)
    if reader is None:
        known = ", ".join(READERS)
        raise InvalidInput(f"There is no reader for {host!r}.", f"Import one of: {known}.")
    return reader


def _below(host: str, place: Path) -> Iterator[Path]:
    files = _FILES.get(host, _Files())
    # Cursor keeps other things beside its transcripts; a folder of transcripts alone has any name.
    among = host == "cursor" and any(place.glob("*/agent-transcripts"))
    for pattern in files.patterns:
        for file in place.rglob(pattern):
            below = file.relative_to(place).parts
            if files.not_below and files.not_below in file.parts:
                continue
            if among and "agent-transcripts" not in below:
                continue
            if file.is_file():
                yield file
