"""Whether the files behind an entry have changed or gone since it was made."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from memfold.records import FileMark

Mark = Literal["", "changed", "gone"]
MAX_FILES = 20
MAX_FILE_BYTES = 1024 * 1024
MAX_READ_BYTES = 16 * 1024 * 1024  # by one Freshness, over all entries of a reply


_Stamp = tuple[int, int, int, int, int]
# A file written again within one tick of its clock looks the same: until then it is read again.
_TICK_NS = 2_000_000_000  # the coarsest in use
_MOST_KNOWN = 4_096


class Sums:
    """Checksums by what a look at the file's entry says, so that it is read when it has changed.

    For what is shown again and again. Safe to use from any thread.
    """

    def __init__(self, clock_ns: Callable[[], int] = time.time_ns) -> None:
        self._clock_ns = clock_ns
        self._known: dict[Path, tuple[_Stamp, str]] = {}

    def of(self, path: Path, now: os.stat_result) -> str:
        """SHA-256 of the file, which looks like ``now``. Raises OSError."""
        stamp = (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
        known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        settled = self._clock_ns() - max(now.st_mtime_ns, now.st_ctime_ns) > _TICK_NS
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if settled:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[path] = (stamp, found)
        return found


class Freshness:
    """Marks for the entries of one reply: each file is read once, and not more than a bound."""

    def __init__(self, known: Sums | None = None) -> None:
        """``known``: sums from earlier replies. The marks are the same with and without."""
        self._known = known or Sums()
        self._homes: dict[Path, bool] = {}
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
        path, home = _place(file.path, cwd)
        if not path.is_absolute() or not self._is_there(home):
            return ""  # another machine's or a removed checkout: nothing is known
        now = self._sum(path)
        if now is None or now == file.sha256:
            return ""
        return "changed" if now else "gone"

    def _is_there(self, home: Path) -> bool:
        if home not in self._homes:
            try:
                self._homes[home] = home.is_dir()
            except OSError:
                self._homes[home] = False
        return self._homes[home]

    def _sum(self, path: Path) -> str | None:
        """Empty: there is no such file. None: too large, not a file, or not readable."""
        if path not in self._sums:
            self._sums[path] = self._read(path)
        return self._sums[path]

    def _read(self, path: Path) -> str | None:
        try:
            now = path.stat()
            if not stat.S_ISREG(now.st_mode):  # a fifo or device would block
                return None
            # Counted whether or not it must be read, so that the bound falls on the same file.
            if now.st_size > MAX_FILE_BYTES or now.st_size > self._left_bytes:
                return None
            self._left_bytes -= now.st_size
            return self._known.of(path, now)
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except (OSError, ValueError):  # ValueError: no name that a file can have
            return None


@lru_cache(_MOST_KNOWN)  # the same few entries are looked at for every session
def _place(name: str, cwd: str) -> tuple[Path, Path]:
    """(the file, the folder that must be there for its absence to mean anything)."""
    path = Path(cwd, name) if cwd else Path(name)
    return path, Path(cwd) if cwd and path.is_relative_to(cwd) else path.parent


def marks(files: Sequence[FileMark], cwd: str) -> Mark:
    """As ``Freshness.marks``, for one entry alone."""
    return Freshness().marks(files, cwd)
