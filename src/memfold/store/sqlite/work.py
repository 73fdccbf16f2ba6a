"""The agent's own lists: an append-only log and its current values, on SQLite."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw

from memfold.records import WorkRow
from memfold.store.ports import WorkCurrent
from memfold.store.sqlite.base import Base, new_uid, to_json
from memfold.store.sqlite.queries import named
from memfold.store.status import rank_of, task_of

SQL = named("work")


class WorkPart(Base):
    """Implements ports.WorkLog, apart from what is open (work_open.py)."""

    def append(self, project_id: int, rows: Sequence[WorkRow]) -> None:
        def job(db: apsw.Connection) -> None:
            for row in rows:
                append_row(db, project_id, row)
            db.execute("UPDATE projects SET version = version + 1 WHERE id = ?", (project_id,))

        self._write(job, durable=True)

    def log(self, project_ids: Sequence[int], list_name: str | None = None) -> tuple[WorkRow, ...]:
        query = SQL["log"] if list_name is None else SQL["list_log"]
        found = self._read(query, {"projects": to_json(list(project_ids)), "list": list_name})
        return tuple(WorkRow(row[0], json.loads(row[1]), row[2], row[3], row[4]) for row in found)

    def current(
        self,
        project_ids: Sequence[int],
        list_name: str | None = None,
        tasks: Sequence[str] | None = None,
    ) -> tuple[WorkCurrent, ...]:
        where = {"projects": to_json(list(project_ids)), "list": list_name}
        with self._readers.connection() as db:
            if list_name is None:
                order = {name: at for at, (name, _) in enumerate(db.execute(SQL["lists"], where))}
                found = list(db.execute(SQL["current"], where))
            else:
                order = {}
                found = []
                if tasks is None:
                    found = list(db.execute(SQL["current_list"], where))
                for task in tasks or ():
                    found += list(db.execute(SQL["current_item"], {**where, "task": task}))
        return in_order((value_of(row) for row in found), order)

    def lists(self, project_ids: Sequence[int]) -> tuple[str, ...]:
        found = self._read(SQL["lists"], {"projects": to_json(list(project_ids))})
        return tuple(row[0] for row in found)

    def list_names(self, project_id: int) -> tuple[str, ...]:
        return tuple(row[0] for row in self._read(SQL["list_names"], {"project": project_id}))

    def refold(self, project_id: int) -> None:
        def job(db: apsw.Connection) -> None:
            names = list(db.execute(SQL["list_names"], {"project": project_id}))
            for (name,) in names:
                fold_list(db, project_id, name)
            db.execute("UPDATE projects SET version = version + 1 WHERE id = ?", (project_id,))

        self._write(job, durable=True)


def value_of(row: Sequence[Any]) -> WorkCurrent:
    """A row of the eight columns that every query of values has."""
    set_by = json.loads(row[3])
    return WorkCurrent(
        list_name=row[0],
        task=row[1],
        fields=json.loads(row[2]),
        set_by=set_by,
        first_entry=row[4],
        last_entry=row[5] if row[1] else max(set_by.values(), default=0),
        updated_at_ms=row[6],
        project_id=row[7],
    )


def in_order(values: Iterable[WorkCurrent], lists: Mapping[str, int]) -> tuple[WorkCurrent, ...]:
    """Lists in the order given, a list's own state first, items in order of first mention."""
    return tuple(
        sorted(
            values,
            key=lambda v: (lists.get(v.list_name, 0), v.list_name, v.task != "", v.first_entry),
        )
    )


def fold_missing(db: apsw.Connection) -> None:
    """Make the current values from the log where a migration left that to be done."""
    if next(db.execute(SQL["progress"], ("folded",)))[0]:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        if not next(db.execute(SQL["progress"], ("folded",)))[0]:  # nobody was quicker
            every = list(
                db.execute("SELECT DISTINCT project_id, list_name FROM work_state_entries")
            )
            for project_id, name in every:
                fold_list(db, project_id, name)
            db.execute(SQL["set_progress"], (1, "folded"))
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def fold_again(db: apsw.Connection, source: int, target: int) -> None:
    """The source's lists in the target, from the joined log: what was written last holds."""
    names = list(db.execute(SQL["list_names"], {"project": source}))
    db.execute("DELETE FROM work_state_current WHERE project_id = ?", (source,))
    for (name,) in names:
        fold_list(db, target, name)


@dataclass(slots=True)
class _Value:
    """One item while rows are applied to it."""

    fields: dict[str, Any] = field(default_factory=dict)
    set_by: dict[str, int] = field(default_factory=dict)
    first_entry: int = 0
    last_entry: int = 0
    at_ms: int = 0

    def apply(self, row: WorkRow, entry_id: int) -> None:
        for key, value in row.fields.items():
            if key == "task":
                continue
            self.fields.pop(key, None)  # a key set again moves to the end, as it was just said
            self.set_by.pop(key, None)
            self.set_by[key] = entry_id
            if value is not None:
                self.fields[key] = value
        self.first_entry = self.first_entry or entry_id
        self.last_entry = max(self.last_entry, entry_id)
        self.at_ms = row.at_ms

    def put(self, db: apsw.Connection, project_id: int, list_name: str, task: str) -> None:
        db.execute(
            SQL["put_value"],
            (
                project_id,
                list_name,
                task,
                to_json(self.fields),
                to_json(self.set_by),
                self.first_entry,
                self.last_entry,
                self.at_ms,
                rank_of(task, self.fields),
            ),
        )


def append_row(db: apsw.Connection, project_id: int, row: WorkRow) -> None:
    """One row of the log, folded into what is current, inside a transaction."""
    db.execute(
        SQL["insert_entry"],
        (
            new_uid(row.at_ms),
            project_id,
            row.list_name,
            to_json(dict(row.fields)),
            row.session,
            row.at_ms,
        ),
    )
    _fold_one(db, project_id, row, db.last_insert_rowid())


def _fold_one(db: apsw.Connection, project_id: int, row: WorkRow, entry_id: int) -> None:
    task = task_of(row)
    found = list(db.execute(SQL["value"], (project_id, row.list_name, task)))
    value = _Value()
    if found:
        fields, set_by, first, last, at_ms = found[0]
        value = _Value(json.loads(fields), json.loads(set_by), first, last, at_ms)
    value.apply(row, entry_id)
    value.put(db, project_id, row.list_name, task)
    touched = {"project": project_id, "list": row.list_name, "entry": entry_id}
    db.execute(SQL["touch_list"], touched)


def fold_list(db: apsw.Connection, project_id: int, name: str) -> None:
    """One list's values from its log alone."""
    db.execute(
        "DELETE FROM work_state_current WHERE project_id = ? AND list_name = ?", (project_id, name)
    )
    values: dict[str, _Value] = {}
    first = last = 0
    log = db.execute(SQL["list_log"], {"projects": to_json([project_id]), "list": name})
    for _, fields, at_ms, _, entry_id in log:
        row = WorkRow(name, json.loads(fields), at_ms)
        values.setdefault(task_of(row), _Value()).apply(row, entry_id)
        first, last = first or entry_id, entry_id
    if not last:
        return
    own = values.setdefault("", _Value())
    own.first_entry, own.last_entry = first, last  # of the whole list
    for task, value in values.items():
        value.put(db, project_id, name, task)
