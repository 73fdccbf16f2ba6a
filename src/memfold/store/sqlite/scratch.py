"""A database file that may be lost: it is made anew where it is damaged, and needs no backup."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import apsw

from memfold.errors import StoreError, StoreFull
from memfold.store.sqlite.connection import connect, translated

T = TypeVar("T")
log = logging.getLogger(__name__)


class Scratch:
    """One connection, used by one thread at a time; the file is opened when it is first needed."""

    def __init__(
        self,
        path: Path,
        schema: str,
        probe: str,
        tables: tuple[str, ...],
        made_by: Callable[[], int] = lambda: 0,
    ) -> None:
        """``probe``: a query that fails where the file is damaged. ``tables``: all with rows.

        ``made_by``: stands for what fills it; a file of another number is made anew.
        """
        self._path = path
        self._schema = schema
        self._probe = probe
        self._tables = tables
        self._made_by = made_by
        self._lock = threading.Lock()
        self._db: apsw.Connection | None = None

    def clear(self) -> None:
        """Nothing is kept, and no byte of it is left. Raises StoreError."""

        def job(db: apsw.Connection) -> None:
            for table in self._tables:
                db.execute(f"DELETE FROM {table}")
            db.execute("VACUUM")
            list(db.execute("PRAGMA wal_checkpoint(TRUNCATE)"))

        self._with(job)

    def close(self) -> None:
        """May be called twice; the next use opens the file again."""
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _with(self, job: Callable[[apsw.Connection], T]) -> T:
        with self._lock, translated(self._path):
            if self._db is None:
                self._db = self._open()
            return job(self._db)

    def _in_one(self, job: Callable[[apsw.Connection], T]) -> T:
        """The same in one transaction."""

        def whole(db: apsw.Connection) -> T:
            db.execute("BEGIN IMMEDIATE")
            try:
                result = job(db)
                db.execute("COMMIT")
            except BaseException:
                db.execute("ROLLBACK")
                raise
            return result

        return self._with(whole)

    def _open(self) -> apsw.Connection:
        try:
            return self._connected()
        except StoreFull:
            raise
        except StoreError as error:
            log.warning("%s is made anew: %s", self._path.name, error.message)
            for end in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + end).unlink(missing_ok=True)
            return self._connected()

    def _connected(self) -> apsw.Connection:
        db = connect(self._path)
        try:
            with translated(self._path):
                db.execute(self._schema)
                list(db.execute(self._probe))
                self._take_over(db)
        except BaseException:
            db.close()
            raise
        return db

    def _take_over(self, db: apsw.Connection) -> None:
        """What another memfold put in is not what this one would."""
        made_by = self._made_by() & 0x7FFF_FFFF  # the pragma's sign is left out
        ((before,),) = db.execute("PRAGMA user_version")
        if before != made_by:
            for table in self._tables:
                db.execute(f"DELETE FROM {table}")
            db.execute(f"PRAGMA user_version = {made_by}")
