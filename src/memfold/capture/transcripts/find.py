"""Where a host keeps its session files, and which reader understands them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from memfold.capture.transcripts import claude_code, codex
from memfold.errors import InvalidInput
from memfold.records import Event

Reader = Callable[..., Iterator[Event]]
READERS: dict[str, Reader] = {"claude-code": claude_code.read, "codex": codex.read}


def find_transcripts(
    host: str, path: Path | None, env: Mapping[str, str] | None = None
) -> list[Path]:
    """Session files below ``path`` (or that file), oldest change first. Raises InvalidInput."""
    reader_of(host)
    place = path or own_folder(host, os.environ if env is None else env)
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise InvalidInput(f"{place} is not there.", "Name the folder or file to import.")
    files = [file for file in place.rglob("*.jsonl") if file.is_file()]
    return sorted(files, key=lambda file: (file.stat().st_mtime, str(file)))


def own_folder(host: str, env: Mapping[str, str]) -> Path:
    """The host's own folder of sessions."""
    user = Path(env.get("HOME") or Path.home())
    if host == "codex":
        return Path(env.get("CODEX_HOME") or user / ".codex") / "sessions"
    return Path(env.get("CLAUDE_CONFIG_DIR") or user / ".claude") / "projects"


def reader_of(host: str) -> Reader:
    reader = READERS.get(host)
    if reader is None:
        known = ", ".join(READERS)
        raise InvalidInput(f"There is no reader for {host!r}.", f"Import one of: {known}.")
    return reader
