"""Cursor records in this process's memory: bounded in number and bytes, oldest out first."""

from __future__ import annotations

import threading
from collections import OrderedDict

from memfold.store.ports import CursorHit

MOST_RECORDS = 1_024
MOST_BYTES = 8 * 1_024 * 1_024
MOST_REMEMBERED = 4_096  # expired keys, so that a late caller hears "expired" and not "unknown"


class MemoryCursors:
    """Implements ports.CursorStore; gone when the process ends."""

    def __init__(self, most_records: int = MOST_RECORDS, most_bytes: int = MOST_BYTES) -> None:
        self._most_records = most_records
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._records: OrderedDict[bytes, tuple[bytes, int]] = OrderedDict()
        self._expired: OrderedDict[bytes, None] = OrderedDict()
        self._bytes = 0

    def put(self, key: bytes, record: bytes, *, expires_at_ms: int, now_ms: int) -> None:
        with self._lock:
            self._drop(key)
            self._expire(now_ms)
            self._records[key] = (record, expires_at_ms)
            self._bytes += len(key) + len(record)
            while self._records and (
                len(self._records) > self._most_records or self._bytes > self._most_bytes
            ):
                self._drop(next(iter(self._records)))

    def get(self, key: bytes, *, now_ms: int) -> CursorHit:
        with self._lock:
            self._expire(now_ms)
            if key in self._records:
                return CursorHit(self._records[key][0])
            return CursorHit(None, expired=key in self._expired)

    def _expire(self, now_ms: int) -> None:
        late = [key for key, (_, until) in self._records.items() if until <= now_ms]
        for key in late:
            self._drop(key)
            self._expired[key] = None
        while len(self._expired) > MOST_REMEMBERED:
            self._expired.popitem(last=False)

    def _drop(self, key: bytes) -> None:
        record = self._records.pop(key, None)
        if record is not None:
            self._bytes -= len(key) + len(record[0])
