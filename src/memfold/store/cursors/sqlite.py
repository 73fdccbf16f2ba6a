"""Cursor records in a file of their own: they survive a restart and are shared by processes.

Beside the memory's database and not in it: they come and go with every search, are worth nothing
after 15 minutes, and need no backup.
"""

from __future__ import annotations

from pathlib import Path

import apsw

from memfold.store.cursors.memory import MOST_BYTES, MOST_RECORDS, MOST_REMEMBERED
from memfold.store.ports import CursorHit
from memfold.store.sqlite.queries import named
from memfold.store.sqlite.scratch import Scratch

SQL = named("cursors")


class SqliteCursors(Scratch):
    """Implements ports.CursorStore. The file is opened when it is first needed."""

    def __init__(
        self, path: Path, most_records: int = MOST_RECORDS, most_bytes: int = MOST_BYTES
    ) -> None:
        super().__init__(path, SQL["schema"], "SELECT count(*) FROM cursors", ("cursors",))
        self._most_records = most_records
        self._most_bytes = most_bytes

    def put(self, key: bytes, record: bytes, *, expires_at_ms: int, now_ms: int) -> None:
        """Raises StoreFull, StoreError."""

        def job(db: apsw.Connection) -> None:
            db.execute(SQL["forget"], (key,))
            db.execute(SQL["expire"], (now_ms,))
            db.execute(SQL["forget_old"], (MOST_REMEMBERED,))
            db.execute(SQL["put"], (key, record, len(key) + len(record), expires_at_ms))
            db.execute(SQL["make_room"], (self._most_records, self._most_bytes))

        self._in_one(job)

    def get(self, key: bytes, *, now_ms: int) -> CursorHit:
        """Raises StoreError."""
        rows = self._with(lambda db: list(db.execute(SQL["get"], (key,))))
        if not rows:
            return CursorHit(None)
        record, expires_at_ms = rows[0]
        if record is None or expires_at_ms <= now_ms:
            return CursorHit(None, expired=True)
        return CursorHit(record)
