"""Cursor records in a file of their own: they survive a restart and are shared by processes.

Beside the memory's database and not in it: they come and go with every search, are worth nothing
after 15 minutes, and need no backup.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import apsw

from memfold.errors import StoreError, StoreFull
from memfold.store.cursors.memory import MOST_BYTES, MOST_RECORDS, MOST_REMEMBERED
from memfold.store.ports import CursorHit
from memfold.store.sqlite.connection import connect, translated
from memfold.store.sqlite.queries import named

T = TypeVar("T")
log = logging.getLogger(__name__)
SQL = named("cursors")


class SqliteCursors:
    """Implements ports.CursorStore. The file is opened when it is first needed."""

    def __init__(
        self, path: Path, most_records: int = MOST_RECORDS, most_bytes: int = MOST_BYTES
    ) -> None:
        self._path = path
        self._most_records = most_records
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._db: apsw.Connection | None = None

    def put(self, key: bytes, record: bytes, *, expires_at_ms: int, now_ms: int) -> None:
        """Raises StoreFull, StoreError."""

        def job(db: apsw.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            try:
                db.execute(SQL["forget"], (key,))
                db.execute(SQL["expire"], (now_ms,))
                db.execute(SQL["forget_old"], (MOST_REMEMBERED,))
                db.execute(SQL["put"], (key, record, len(key) + len(record), expires_at_ms))
                db.execute(SQL["make_room"], (self._most_records, self._most_bytes))
                db.execute("COMMIT")
            except BaseException:
                db.execute("ROLLBACK")
                raise

        self._with(job)

    def get(self, key: bytes, *, now_ms: int) -> CursorHit:
        """Raises StoreError."""
        rows = self._with(lambda db: list(db.execute(SQL["get"], (key,))))
        if not rows:
            return CursorHit(None)
        record, expires_at_ms = rows[0]
        if record is None or expires_at_ms <= now_ms:
            return CursorHit(None, expired=True)
        return CursorHit(record)

    def clear(self) -> None:
        """No search goes on, and no byte of one is left. Raises StoreError."""

        def job(db: apsw.Connection) -> None:
            db.execute("DELETE FROM cursors")
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

    def _open(self) -> apsw.Connection:
        """The file, made anew where it is damaged: nothing in it outlives a quarter of an hour."""
        try:
            return self._connected()
        except StoreFull:
            raise
        except StoreError as error:
            log.warning("the file of search cursors is made anew: %s", error.message)
            for end in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + end).unlink(missing_ok=True)
            return self._connected()

    def _connected(self) -> apsw.Connection:
        db = connect(self._path)
        try:
            with translated(self._path):
                db.execute(SQL["schema"])
                list(db.execute(SQL["get"], (b"",)))
        except BaseException:
            db.close()
            raise
        return db
