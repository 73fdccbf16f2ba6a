"""What a person keeps at the top of the startup index, on SQLite."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from memfold.errors import InvalidInput, NotFound
from memfold.records import Entry
from memfold.store.ports import MOST_PINS
from memfold.store.sqlite.base import Base
from memfold.store.sqlite.library import entry
from memfold.store.sqlite.queries import named

SQL = named("pins")


class PinsPart(Base):
    """Implements ports.PinBoard."""

    def pin(self, observation_id: int, project_ids: Sequence[int], *, at_ms: int) -> bool:
        def job(db: apsw.Connection) -> bool:
            project_id, is_pinned = _owned(db, observation_id, project_ids)
            if is_pinned:
                return False
            if next(db.execute(SQL["count"], (project_id,)))[0] >= MOST_PINS:
                raise InvalidInput(
                    f"{MOST_PINS} observations of this project are pinned, and no more can be.",
                    "Unpin one first; `memfold pin --list` shows them.",
                )
            _set(db, observation_id, project_id, at_ms)
            return True

        return self._write(job)

    def unpin(self, observation_id: int, project_ids: Sequence[int]) -> bool:
        def job(db: apsw.Connection) -> bool:
            project_id, is_pinned = _owned(db, observation_id, project_ids)
            if is_pinned:
                _set(db, observation_id, project_id, None)
            return is_pinned

        return self._write(job)

    def pinned(self, project_ids: Sequence[int], limit: int) -> tuple[Entry, ...]:
        found: list[Entry] = []
        for project_id in project_ids:
            asked = {"project": project_id, "limit": limit}
            found += [entry(row) for row in self._read(SQL["pinned"], asked)]
        found.sort(key=lambda one: (one.at_ms, one.id), reverse=True)
        return tuple(found[:limit])


def _owned(
    db: apsw.Connection, observation_id: int, project_ids: Sequence[int]
) -> tuple[int, bool]:
    found = list(db.execute(SQL["owner"], (observation_id,)))
    if not found or found[0][0] not in project_ids:
        raise NotFound(
            f"There is no observation {observation_id} in this project.",
            "Give the number of an observation that its index or a search shows.",
        )
    return found[0][0], bool(found[0][1])


def _set(db: apsw.Connection, observation_id: int, project_id: int, at_ms: int | None) -> None:
    db.execute(SQL["set"], {"id": observation_id, "at": at_ms})
    db.execute("UPDATE projects SET version = version + 1 WHERE id = ?", (project_id,))
