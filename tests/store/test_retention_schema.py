"""The schema of retention comes to any store, whichever other migrations are there."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

from memfold.store.sqlite.connection import connect
from memfold.store.sqlite.migrate import migrate
from memfold.store.sqlite.retention import SQL
from memfold.store.sqlite.schema import FOLDER

FIRST, OURS = FOLDER / "0001_first.sql", FOLDER / "0003_retention.sql"
SECOND = "CREATE TABLE somebody_elses (x INTEGER) STRICT;"


@pytest.mark.parametrize("steps", [[{1, 2}, {3}], [{1}, {3}, {2}], [{1, 3}], [{1, 2, 3}]], ids=str)
def test_it_needs_nothing_but_the_first(tmp_path: Path, steps: list[set[int]]) -> None:
    """Also a store that has it already takes a migration of a smaller number afterwards."""
    folder, path = tmp_path / "sql", tmp_path / "m.db"
    folder.mkdir()
    db = connect(path)
    for step in steps:
        for number in step:
            if number == 2:
                (folder / "0002_other.sql").write_text(SECOND)
            else:
                shutil.copy(FIRST if number == 1 else OURS, folder)
        assert set(migrate(db, path, folder)) == step
    wanted = {"retired_tool_uses", "retention", "tool_uses_by_age"}
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_schema")}
    assert wanted <= names
    db.close()


def test_the_oldest_are_found_by_an_index(tmp_path: Path) -> None:
    """The moment lies behind the large columns of a row: a walk would read all evidence."""
    db = connect(tmp_path / "m.db")
    migrate(db, tmp_path / "m.db")
    for name in ("oldest", "retirable", "span"):
        arguments = {"before": 1, "limit": 1} if ":before" in SQL[name] else {}
        plan = " ".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {SQL[name]}", arguments))
        assert "tool_uses_by_age" in plan, name
    db.close()


def test_a_new_file_can_give_space_back_and_an_older_one_stays_as_it_is(tmp_path: Path) -> None:
    db = connect(tmp_path / "new.db")
    migrate(db, tmp_path / "new.db")
    assert list(db.execute("PRAGMA auto_vacuum")) == [(2,)]
    db.close()
    older = apsw.Connection(str(tmp_path / "old.db"))
    older.execute("CREATE TABLE a (x)")
    older.close()
    db = connect(tmp_path / "old.db")
    assert list(db.execute("PRAGMA auto_vacuum")) == [(0,)]
    db.close()
