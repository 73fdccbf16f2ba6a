"""The gate's log, on SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import apsw

from memfold.store.needs.gate import MOST_DECISIONS, Decision, DecisionCount
from memfold.store.ports import Touched
from memfold.store.sqlite.base import Base, to_json
from memfold.store.sqlite.library import touched_of
from memfold.store.sqlite.queries import named

SQL = named("gate")


class GatePart(Base):
    """Implements ports.GateLog."""

    def put_decision(self, decision: Decision) -> None:
        def job(db: apsw.Connection) -> None:
            db.execute(SQL["put"], asdict(decision))
            db.execute(SQL["trim"], (MOST_DECISIONS,))

        self._write(job)

    def last_told(self, host: str, session: str, path: str) -> Decision | None:
        found = self._read(SQL["last_told"], (session, path, host))
        return _decision(found[0]) if found else None

    def decisions(self, limit: int) -> tuple[Decision, ...]:
        return tuple(_decision(row) for row in self._read(SQL["newest"], (limit,)))

    def decision_counts(self, since_ms: int) -> tuple[DecisionCount, ...]:
        return tuple(DecisionCount(*row) for row in self._read(SQL["counts"], (since_ms,)))

    def naming(
        self, project_ids: Sequence[int], name: str, newest: int, limit: int
    ) -> tuple[Touched, ...]:
        quoted = to_json(name)[1:-1]  # as it stands in a list of paths
        found: list[Touched] = []
        for project_id in project_ids:
            given = {"project": project_id, "name": quoted, "newest": newest, "limit": limit}
            found += [touched_of(row) for row in self._read(SQL["naming"], given)]
        found.sort(key=lambda one: (one.entry.at_ms, one.entry.id), reverse=True)
        return tuple(found[:limit])


def _decision(row: Sequence[object]) -> Decision:
    names = (
        "host", "session", "project_id", "path", "size", "kind", "reason", "newest",
        "saved_tokens", "at_ms",
    )  # fmt: skip
    return Decision(**dict(zip(names, row, strict=True)))  # type: ignore[arg-type]  # STRICT columns
