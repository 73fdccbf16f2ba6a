"""What of an export was forgotten or retired here, and so is not taken in again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import apsw

from memfold.store.sqlite.forget_again import Traces, traces_of
from memfold.store.sqlite.forgotten import EVERYTHING, digest, session_scope, trace_scope
from memfold.store.sqlite.queries import named
from memfold.store.sqlite.retention import was_retired

SQL = named("transfer")
FORGETTING = named("forgetting")
_KINDS = {"observations": "observation", "work_state_entries": "work entry"}


class LeftBehind:
    """Asks the traces of this store about rows whose references are its own already."""

    def __init__(self) -> None:
        self._runs = -1
        self._traces = Traces()
        self._whose: dict[int, tuple[str, str, int]] = {}
        self._spans: dict[tuple[str, int], list[tuple[int, int]]] = {}

    def look(self, db: apsw.Connection) -> None:
        """Before a batch: something may have been forgotten since the last one."""
        ((runs,),) = db.execute(FORGETTING["forgettings"])
        if runs != self._runs:
            self._runs, self._traces = runs, traces_of(db)
            self._spans.clear()
            self._whose.clear()

    def forgotten(self, db: apsw.Connection, table: str, row: Mapping[str, Any]) -> bool:
        if not self._traces:
            return False
        if table == "work_state_entries":
            spans = self._of_project(db, row["project_id"])
            return _within(row["created_at_epoch"], spans) or self._item(_KINDS[table], row["uid"])
        host, session, project_id = self._session(db, row["session_id"])
        at_ms = row["at_ms"]
        spans = self._of_project(db, project_id) + self._traces.spans.get(
            session_scope(host, session), []
        )
        if _within(at_ms, spans):
            return True
        return self._one(table, (host, session), row)

    def _one(self, table: str, whose: tuple[str, str], row: Mapping[str, Any]) -> bool:
        at_ms = row.get("at_ms", 0)
        if table == "observations":
            return self._item(_KINDS[table], row["uid"])
        if table == "tool_uses":
            return self._item("tool use", *whose, row["key"], at_ms=at_ms)
        if table == "replies":
            return self._item("reply", *whose, row["text_hash"], at_ms=at_ms)
        if table == "prompts":
            key = row["prompt_key"]
            return self._item("prompt", *whose, row["text_hash"], at_ms=at_ms) or (
                bool(key) and self._item("prompt key", *whose, key, at_ms=at_ms)
            )
        return False

    def retired(self, db: apsw.Connection, row: Mapping[str, Any]) -> bool:
        return was_retired(db, row["session_id"], row["key"])

    def _item(self, kind: str, *parts: str | bytes, at_ms: int = 0) -> bool:
        return at_ms <= self._traces.items.get(digest(kind, *parts), -1)

    def _session(self, db: apsw.Connection, session_id: int) -> tuple[str, str, int]:
        if session_id not in self._whose:
            ((host, session, project_id),) = db.execute(SQL["whose"], (session_id,))
            self._whose[session_id] = (host, session, project_id)
        return self._whose[session_id]

    def _of_project(self, db: apsw.Connection, project_id: int) -> list[tuple[int, int]]:
        known = self._spans.get(("project", project_id))
        if known is None:
            known = list(self._traces.spans.get(EVERYTHING, ()))
            for kind, value in db.execute(SQL["traces_of"], (project_id,)):
                known += self._traces.spans.get(trace_scope(kind, value), ())
            self._spans["project", project_id] = known
        return known


def _within(at_ms: int, spans: list[tuple[int, int]]) -> bool:
    return any(since <= at_ms <= until for since, until in spans)
