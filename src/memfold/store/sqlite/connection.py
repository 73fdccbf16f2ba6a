"""Opening the database file, and saying what went wrong with it in our own words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from memfold.errors import StoreError, StoreFull

BUSY_MS = 5_000  # how long a writer of another process is waited for


def connect(path: Path) -> apsw.Connection:
    """A connection in WAL mode with our pragmas. Raises StoreError or StoreFull."""
    with translated(path):
        connection = apsw.Connection(str(path))
        connection.set_busy_timeout(BUSY_MS)
        for pragma in (
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "foreign_keys=ON",
            "temp_store=MEMORY",
            "cache_size=-8000",
            "mmap_size=268435456",
            "journal_size_limit=16777216",
        ):
            connection.execute(f"PRAGMA {pragma}")
    return connection


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Database failures of the block as StoreError and StoreFull."""
    try:
        yield
    except (apsw.FullError, apsw.ReadOnlyError, apsw.IOError, apsw.CantOpenError) as error:
        raise StoreFull(f"The database {path} cannot be written: {error}.") from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise StoreError(
            f"The database {path} is damaged: {error}.",
            "Stop memfold and restore the newest file from its backups folder.",
        ) from error
    except apsw.Error as error:
        raise StoreError(f"The database {path} failed: {error}.") from error
