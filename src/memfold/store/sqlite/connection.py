"""Opening the database file, and saying what went wrong with it in our own words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from memfold.errors import StoreDamaged, StoreError, StoreFull
from memfold.store.sqlite import ranking

BUSY_MS = 5_000  # how long a writer of another process is waited for
_BOTH = ("temp_store=MEMORY", "cache_size=-8000", "mmap_size=268435456")
_WRITER = (
    "auto_vacuum=INCREMENTAL",  # holds for a new file only: what retires can be given back
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "foreign_keys=ON",
    "journal_size_limit=16777216",
)


def connect(path: Path) -> apsw.Connection:
    """The connection to write by; the file is made, for its owner alone."""
    with translated(path):
        with suppress(FileExistsError):
            path.touch(0o600, exist_ok=False)
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
        return _connection(path, _WRITER)


class Readers:
    """Connections to read by, as many as are in use at one moment; the warmest first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._free: list[apsw.Connection] = []  # append and pop are atomic
        self._closed = False

    @contextmanager
    def connection(self) -> Iterator[apsw.Connection]:
        """One that nobody else uses meanwhile. Database failures are StoreErrors."""
        with translated(self._path):
            try:
                connection = self._free.pop()
            except IndexError:
                connection = _connection(self._path, ("query_only=ON",))
                ranking.register(connection)
            try:
                yield connection
            finally:
                self._free.append(connection)
                if self._closed:
                    self.close()

    def close(self) -> None:
        """Close those that are free now, and the others when they are given back."""
        self._closed = True
        while self._free:
            self._free.pop().close()


def _connection(path: Path, pragmas: tuple[str, ...]) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    try:
        connection.set_busy_timeout(BUSY_MS)
        for pragma in (*pragmas, *_BOTH):
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Database failures of the block as StoreError and StoreFull."""
    try:
        yield
    except (
        apsw.FullError,
        apsw.ReadOnlyError,
        apsw.IOError,
        apsw.CantOpenError,
        OSError,  # of the file itself: no right to make or change it, no space for a backup
    ) as error:
        raise StoreFull(f"The database {path} cannot be written: {error}.") from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise StoreDamaged(f"The database {path} is damaged: {error}.") from error
    except apsw.Error as error:
        raise StoreError(f"The database {path} failed: {error}.") from error
