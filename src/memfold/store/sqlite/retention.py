"""Raw evidence that has had its time, on SQLite: what would go, what goes, the space it held."""

from __future__ import annotations

import hashlib
from collections import Counter

import apsw

from memfold.store.ports import ProjectShare, RetentionCount
from memfold.store.sqlite.base import Base
from memfold.store.sqlite.queries import named

SQL = named("retention")
_BATCH_BYTES = 16 * 1024 * 1024  # of one transaction: bounds how long a hook waits behind it
_RESERVE = 8  # a file keeps an eighth of itself free for what comes next


class RetentionPart(Base):
    """Implements ports.Retention."""

    def evidence_span(self) -> tuple[int, int] | None:
        ((oldest, newest),) = self._read(SQL["span"])
        return None if oldest is None else (oldest, newest)

    def retirable(self, before_ms: int) -> RetentionCount:
        found = self._read(SQL["retirable"], {"before": before_ms})
        return RetentionCount(
            tool_uses=sum(row[1] for row in found),
            bytes=sum(row[2] for row in found),
            oldest_at_ms=min((row[3] for row in found), default=None),
            projects=tuple(ProjectShare(*row[:3]) for row in found),
        )

    def retire(self, before_ms: int, limit: int) -> RetentionCount:
        return self._write(lambda db: _retire(db, before_ms, limit))

    def give_back(self, most_bytes: int) -> int:
        def job(db: apsw.Connection) -> int:
            free, total = _pragma(db, "freelist_count"), _pragma(db, "page_count")
            size = _pragma(db, "page_size")
            # A hundredth less: SQLite's own map pages go with those they map.
            wanted = min(free - total // _RESERVE, most_bytes // size * 99 // 100)
            if wanted <= 0 or _pragma(db, "auto_vacuum") != 2:
                return 0
            list(db.execute(f"PRAGMA incremental_vacuum({wanted})"))
            return (total - _pragma(db, "page_count")) * size

        return self._write(job)

    def retention_ran_at_ms(self) -> int | None:
        found = self._read(SQL["ran_at"])
        return int(found[0][0]) if found else None

    def note_retention(self, at_ms: int) -> None:
        self._write(lambda db: list(db.execute(SQL["ran"], (at_ms,))))


def was_retired(db: apsw.Connection, session_id: int, key: str) -> bool:
    """Whether a tool use of this key was here and was removed by age."""
    return bool(list(db.execute(SQL["was_retired"], (session_id, _key_hash(key)))))


def any_retired(db: apsw.Connection, session_id: int) -> bool:
    """Whether a session has lost any of its evidence by age."""
    return bool(list(db.execute(SQL["any_retired"], (session_id,))))


def _retire(db: apsw.Connection, before_ms: int, limit: int) -> RetentionCount:
    uses: Counter[tuple[int, str]] = Counter()
    sizes: Counter[tuple[int, str]] = Counter()
    going: list[tuple[int, int, str]] = []
    oldest: int | None = None
    for row in db.execute(SQL["oldest"], {"before": before_ms, "limit": limit}):
        tool_use_id, session_id, key, size, at_ms, *project = row
        if going and sum(sizes.values()) + size > _BATCH_BYTES:
            break
        going.append((tool_use_id, session_id, key))
        owner = (project[0], project[1])
        uses[owner] += 1
        sizes[owner] += size
        oldest = at_ms if oldest is None else oldest
    for tool_use_id, session_id, key in going:
        db.execute(SQL["remember"], (session_id, _key_hash(key)))
        db.execute(SQL["retire"], (tool_use_id,))
    for project_id, _ in uses:
        db.execute("UPDATE projects SET version = version + 1 WHERE id = ?", (project_id,))
    shares = [ProjectShare(owner[1], count, sizes[owner]) for owner, count in uses.most_common()]
    return RetentionCount(len(going), sum(sizes.values()), oldest, tuple(shares))


def _key_hash(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8")).digest()[:8]


def _pragma(db: apsw.Connection, name: str) -> int:
    ((value,),) = db.execute(f"PRAGMA {name}")
    return int(value)
