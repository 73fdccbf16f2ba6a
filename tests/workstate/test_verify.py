"""A replay of the log against the current values. Source: spec of layer 0, `doctor --verify`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from memfold.records import WorkRow
from memfold.store.sqlite.store import SqliteStore
from memfold.workstate.verify import verify

BEFORE_0004 = """
DROP TABLE work_state_current; DROP TABLE work_state_progress; DROP INDEX tool_uses_plans;
DELETE FROM schema_migrations WHERE version = 4;
CREATE TABLE work_state_current (
  project_id INTEGER NOT NULL REFERENCES projects(id), list_name TEXT NOT NULL,
  task TEXT NOT NULL, fields TEXT NOT NULL, first_entry INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL, PRIMARY KEY (project_id, list_name, task)
) STRICT, WITHOUT ROWID;
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(tmp_path / "m.db")
    yield opened
    opened.close()


def _filled(store: SqliteStore) -> int:
    where = store.create("app", []).id
    rows = [
        WorkRow("plan", {"task": "a", "status": "todo", "pr": 1}, 1),
        WorkRow("plan", {"goal": "ship"}, 2),
        WorkRow("plan", {"task": "b", "status": "doing", "blocked_by": "c"}, 3),
        WorkRow("plan", {"task": "c", "status": "done"}, 4),
        WorkRow("plan", {"task": "a", "pr": None}, 5),
        WorkRow("other", {"task": "z"}, 6),
    ]
    store.append(where, rows)
    return where


def test_all_is_as_the_log_says(store: SqliteStore) -> None:
    checked = verify(store, _filled(store))
    assert (checked.lists, checked.rows, checked.differences) == (2, 6, [])


@pytest.mark.parametrize(
    ("damage", "task", "says"),
    [
        ("SET fields = '{\"status\":\"done\"}' WHERE task = 'a'", "a", "another value of `status`"),
        ("SET fields = '{\"goal\":true}' WHERE task = '' AND rank", "", "another value of `goal`"),
        ("SET updated_at_ms = 9 WHERE task = 'b'", "b", "another time"),
        ("SET set_by = '{}' WHERE task = 'b'", "b", "other rows"),
        ("SET first_entry = 99 WHERE task = 'b'", "b", "other rows"),
        ("SET rank = 0 WHERE task = 'a'", "a", "hidden though it is open"),
        ("SET rank = 1 WHERE task = 'c'", "", "counts closed items as open"),
        ("SET task = 'new' WHERE task = 'c'", "c", "in the log and not in the table"),
    ],
)
def test_each_difference_is_named_and_mended(
    store: SqliteStore, tmp_path: Path, damage: str, task: str, says: str
) -> None:
    where = _filled(store)
    apsw.Connection(str(tmp_path / "m.db")).execute(f"UPDATE work_state_current {damage}")
    found = verify(store, where).differences
    assert [one for one in found if one.task == task and says in one.says], found
    assert {one.list_name for one in found} == {"plan"}
    store.refold(where)
    assert verify(store, where).differences == []


def test_what_was_never_logged_is_named_and_removed(store: SqliteStore, tmp_path: Path) -> None:
    where = _filled(store)
    apsw.Connection(str(tmp_path / "m.db")).execute(
        "INSERT INTO work_state_current SELECT project_id, 'ghost', 'g', fields, set_by,"
        " first_entry, last_entry, updated_at_ms, rank FROM work_state_current WHERE task = 'a'"
    )
    (found,) = verify(store, where).differences
    assert (found.list_name, found.task) == ("ghost", "g")
    assert found.says == "stands in the table and not in the log"
    store.refold(where)
    assert verify(store, where).differences == []
    assert store.list_names(where) == ("other", "plan")


def test_a_database_of_an_earlier_schema_gets_its_values_from_the_log(tmp_path: Path) -> None:
    """The migration leaves the table empty; opening the store fills it, also after a crash."""
    store = SqliteStore.open(tmp_path / "m.db")
    where = _filled(store)
    before = store.current([where])
    store.close()
    db = apsw.Connection(str(tmp_path / "m.db"))
    db.execute(BEFORE_0004)
    db.close()
    store = SqliteStore.open(tmp_path / "m.db")
    assert store.current([where]) == before
    assert verify(store, where).differences == []
    store.close()
    db = apsw.Connection(str(tmp_path / "m.db"))  # as if it had been killed between the two
    db.execute("DELETE FROM work_state_current; UPDATE work_state_progress SET value = 0")
    db.close()
    store = SqliteStore.open(tmp_path / "m.db")
    assert store.current([where]) == before
    store.close()
