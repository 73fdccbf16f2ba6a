"""Opening the database file, and saying what went wrong with it in our own words."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from memfold.errors import StoreDamaged, StoreError, StoreFull
from memfold.store.sqlite import ranking

log = logging.getLogger(__name__)
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


class Condition:
    """What is wrong with the file for now, as its last users found it."""

    def __init__(self) -> None:
        self.damaged: StoreDamaged | None = None  # stays until the file is another one
        self.full: StoreFull | None = None  # until something is written again

    @property
    def trouble(self) -> StoreError | None:
        return self.damaged or self.full

    def note(self, error: BaseException) -> None:
        if isinstance(error, StoreDamaged) and self.damaged is None:
            log.error("the database is damaged; nothing is written to it any more")
            self.damaged = error
        if isinstance(error, StoreFull) and self.full is None:
            log.error("the database cannot be written; hooks keep their events in the spool")
            self.full = error

    def written(self) -> None:
        if self.full is not None:
            log.info("the database can be written again")
            self.full = None


class Readers:
    """Connections to read by, as many as are in use at one moment; the warmest first."""

    def __init__(self, path: Path, condition: Condition | None = None) -> None:
        self._path = path
        self._condition = condition or Condition()
        self._free: list[apsw.Connection] = []  # append and pop are atomic
        self._closed = False

    @contextmanager
    def connection(self) -> Iterator[apsw.Connection]:
        """One that nobody else uses meanwhile. Database failures are StoreErrors."""
        try:
            with self._borrowed() as connection:
                yield connection
        except StoreDamaged as error:
            self._condition.note(error)
            raise

    @contextmanager
    def _borrowed(self) -> Iterator[apsw.Connection]:
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
