"""One consistent look at a database that somebody else may be writing, without a copy of it.

Where a write-ahead log stands beside the file, all is read in one read transaction of a connection
that cannot write: SQLite shows it the database as it was at that moment, and no writer waits for
it. Where none does, the file is opened as immutable, which makes no file beside it and takes no
lock; that nobody began to write meanwhile is checked before anything read is used.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from memfold.errors import InvalidInput

_BUSY_S = 10.0
_OURS = {"observations", "session_summaries", "user_prompts", "tool_uses"}
Check = Callable[[], None]


@contextmanager
def snapshot(path: Path) -> Iterator[tuple[sqlite3.Connection, Check]]:
    """(a connection, what to call before using what was read by it). Both raise InvalidInput."""
    if not path.is_file():
        raise InvalidInput(f"{path} is not there.", "Name the database file to import.")
    before = _look(path)
    immutable = not before[1]  # no log: nobody is at work

    def check() -> None:
        if immutable and _look(path) != before:
            raise InvalidInput(
                f"claude-mem began to write to {path} while it was read.",
                "Run the import again; what was taken in so far is kept.",
            )

    try:
        source = _connect(path, immutable=immutable)
    except sqlite3.Error as error:
        raise _unreadable(path, error) from error
    with closing(source):
        try:
            source.execute("BEGIN")
            tables = {str(row[0]) for row in source.execute("SELECT name FROM sqlite_master")}
        except sqlite3.Error as error:
            raise _unreadable(path, error) from error
        if not tables & _OURS:
            raise InvalidInput(
                f"{path} holds none of claude-mem's tables.", "Name a claude-mem database."
            )
        yield source, check


def _connect(path: Path, *, immutable: bool) -> sqlite3.Connection:
    mode = "mode=ro&immutable=1" if immutable else "mode=ro"
    uri = f"file:{quote(str(path))}?{mode}"
    # Lines of progress are asked for from one thread after another, never from two at once.
    return sqlite3.connect(
        uri, uri=True, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
    )


def _look(path: Path) -> tuple[tuple[int, int], int]:
    """((size, time of change), bytes of its write-ahead log)."""
    now = path.stat()
    log = Path(f"{path}-wal")
    return (now.st_size, now.st_mtime_ns), log.stat().st_size if log.exists() else 0


def _unreadable(path: Path, error: sqlite3.Error) -> InvalidInput:
    return InvalidInput(
        f"{path} cannot be read as an SQLite database ({error}).",
        "Check that it is a claude-mem database, or stop claude-mem and try again.",
    )
