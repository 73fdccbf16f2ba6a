"""The agent's own lists: an append-only log and its current values, on SQLite."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import apsw

from memfold.records import WorkRow
from memfold.store.ports import WorkCurrent
from memfold.store.sqlite.base import Base, marks, new_uid, to_json


class WorkPart(Base):
    """Implements ports.WorkLog."""

    def append(self, project_id: int, rows: Sequence[WorkRow]) -> None:
        def job(db: apsw.Connection) -> None:
            for row in rows:
                db.execute(
                    "INSERT INTO work_state_entries"
                    " (uid, project_id, list_name, fields, session, created_at_epoch)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (
                        new_uid(row.at_ms),
                        project_id,
                        row.list_name,
                        to_json(dict(row.fields)),
                        row.session,
                        row.at_ms,
                    ),
                )
                _fold(db, project_id, row, db.last_insert_rowid())
            db.execute("UPDATE projects SET version = version + 1 WHERE id = ?", (project_id,))

        self._write(job, durable=True)

    def log(self, project_ids: Sequence[int], list_name: str | None = None) -> tuple[WorkRow, ...]:
        sql = (
            "SELECT list_name, fields, created_at_epoch, session, id FROM work_state_entries"
            f" WHERE project_id IN ({marks(len(project_ids))})"
        )
        arguments: list[Any] = list(project_ids)
        if list_name is not None:
            sql += " AND list_name = ?"
            arguments.append(list_name)
        found = self._read(sql + " ORDER BY id", arguments)
        return tuple(WorkRow(row[0], json.loads(row[1]), row[2], row[3], row[4]) for row in found)

    def current(
        self, project_ids: Sequence[int], list_name: str | None = None
    ) -> tuple[WorkCurrent, ...]:
        sql = (
            "SELECT list_name, task, fields, updated_at_ms, project_id,"
            " max(updated_at_ms) OVER (PARTITION BY project_id, list_name) AS written"
            f" FROM work_state_current WHERE project_id IN ({marks(len(project_ids))})"
        )
        arguments: list[Any] = list(project_ids)
        if list_name is not None:
            sql += " AND list_name = ?"
            arguments.append(list_name)
        sql += " ORDER BY written DESC, list_name, project_id, task <> '', first_entry"
        return tuple(
            WorkCurrent(row[0], row[1], json.loads(row[2]), row[3], row[4])
            for row in self._read(sql, arguments)
        )


def fold_again(db: apsw.Connection, source: int, target: int) -> None:
    """The source's lists in the target, from the joined log: what was written last holds."""
    names = list(
        db.execute(
            "SELECT DISTINCT list_name FROM work_state_current WHERE project_id = ?", (source,)
        )
    )
    db.execute("DELETE FROM work_state_current WHERE project_id = ?", (source,))
    for (name,) in names:
        db.execute(
            "DELETE FROM work_state_current WHERE project_id = ? AND list_name = ?", (target, name)
        )
        rows = db.execute(
            "SELECT fields, created_at_epoch, id FROM work_state_entries"
            " WHERE project_id = ? AND list_name = ? ORDER BY id",
            (target, name),
        )
        for fields, at_ms, entry_id in list(rows):
            _fold(db, target, WorkRow(name, json.loads(fields), at_ms), entry_id)


def _fold(db: apsw.Connection, project_id: int, row: WorkRow, entry_id: int) -> None:
    given = dict(row.fields)
    task = str(given.pop("task", None) or "")
    key = (project_id, row.list_name, task)
    found = list(
        db.execute(
            "SELECT fields FROM work_state_current"
            " WHERE project_id = ? AND list_name = ? AND task = ?",
            key,
        )
    )
    fields = json.loads(found[0][0]) if found else {}
    for name, value in given.items():
        fields.pop(name, None)
        if value is not None:
            fields[name] = value
    db.execute(
        "INSERT INTO work_state_current VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET fields = excluded.fields,"
        " updated_at_ms = excluded.updated_at_ms",
        (*key, to_json(fields), entry_id, row.at_ms),
    )
