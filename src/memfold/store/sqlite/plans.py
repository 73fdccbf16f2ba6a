"""Calls of the hosts' own to-do tools among the evidence, on SQLite."""

from __future__ import annotations

from collections.abc import Iterable

from memfold.records import Session
from memfold.store.ports import NewPlans, PlanCall
from memfold.store.sqlite.base import Base, to_json, unpacked
from memfold.store.sqlite.evidence import session_of
from memfold.store.sqlite.work import SQL


class PlansPart(Base):
    """Implements ports.PlanLog."""

    def new_plans(self) -> NewPlans:
        seen = int(self._read(SQL["progress"], ("mirrored",))[0][0])
        newest, last = self._read(SQL["newest_plan"])[0]
        if last < seen:  # the evidence was emptied, and ids are given again
            seen = 0
        found = self._read(SQL["sessions_with_plans"], (seen,)) if newest > seen else []
        return NewPlans(seen, newest, tuple(row[0] for row in found))

    def plan_calls(self, session_id: int) -> tuple[Session, tuple[PlanCall, ...]] | None:
        sessions = self._read(SQL["session_by_id"], (session_id,))
        if not sessions:
            return None
        calls = tuple(
            PlanCall(id_, tool, unpacked(codec, given), unpacked(codec, response), at_ms)
            for id_, tool, codec, given, response, at_ms in self._read(
                SQL["plan_calls"], (session_id,)
            )
        )
        return session_of(sessions[0]), calls

    def at_work(self, host_sessions: Iterable[str], *, since_ms: int) -> frozenset[str]:
        asked = {"sessions": to_json(sorted(host_sessions)), "since": since_ms}
        return frozenset(row[0] for row in self._read(SQL["at_work"], asked))

    def plans_seen(self, until: int) -> None:
        self._write(lambda db: list(db.execute(SQL["set_progress"], (until, "mirrored"))))
