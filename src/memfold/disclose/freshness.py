"""Whether the files behind an entry have changed or gone since it was made."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from memfold.records import FileMark

Mark = Literal["", "changed", "gone"]
MAX_FILES = 20
MAX_FILE_BYTES = 1024 * 1024
MAX_READ_BYTES = 16 * 1024 * 1024  # by one Freshness, over all entries of a reply


class Freshness:
    """Marks for the entries of one reply: each file is read once, and not more than a bound."""

    def __init__(self) -> None:
        self._sums: dict[Path, str | None] = {}
        self._left_bytes = MAX_READ_BYTES

    def marks(self, files: Sequence[FileMark], cwd: str) -> Mark:
        """``gone`` or ``changed`` when that holds for all files; else, or unknown, nothing."""
        if not files or len(files) > MAX_FILES:
            return ""
        gone = 0
        for file in files:
            now = self._state(file, cwd)
            if now == "":
                return ""
            gone += now == "gone"
        return "gone" if gone == len(files) else "changed"

    def _state(self, file: FileMark, cwd: str) -> Mark:
        if not file.sha256 or "\0" in file.path or "\0" in cwd:
            return ""
        path = Path(cwd, file.path) if cwd else Path(file.path)
        home = (
            Path(cwd) if cwd and (path == Path(cwd) or Path(cwd) in path.parents) else path.parent
        )
        try:
            if not path.is_absolute() or not home.is_dir():
                return ""  # another machine's or a removed checkout: nothing is known
            if not path.exists():
                return "gone"
        except OSError:
            return ""
        now = self._sum(path)
        return "" if now is None or now == file.sha256 else "changed"

    def _sum(self, path: Path) -> str | None:
        """None: too large, not a file, or not readable."""
        if path not in self._sums:
            self._sums[path] = self._read(path)
        return self._sums[path]

    def _read(self, path: Path) -> str | None:
        try:
            if not path.is_file():  # a fifo or device would block
                return None
            size = path.stat().st_size
            if size > MAX_FILE_BYTES or size > self._left_bytes:
                return None
            self._left_bytes -= size
            return hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError:
            return None


def marks(files: Sequence[FileMark], cwd: str) -> Mark:
    """As ``Freshness.marks``, for one entry alone."""
    return Freshness().marks(files, cwd)
