"""No table is forgotten by export: each is in the list, or left out for a reason that is given."""

from __future__ import annotations

from pathlib import Path

import apsw

from memfold.store.sqlite.store import SqliteStore
from memfold.store.sqlite.tables import ALIASED, BY_NAME, LEFT_OUT, TABLES


def test_every_table_is_exported_or_left_out_for_a_reason(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path / "m.db").close()
    db = apsw.Connection(str(tmp_path / "m.db"))
    there = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    there = {name for name in there if not name.startswith(("entries_fts_", "sqlite_stat"))}
    assert there == set(BY_NAME) | set(LEFT_OUT)


def test_every_reference_is_translated(tmp_path: Path) -> None:
    """A column that names a row of another table must be named, or ids would point astray."""
    SqliteStore.open(tmp_path / "m.db").close()
    db = apsw.Connection(str(tmp_path / "m.db"))
    done: set[str] = set()
    for table in TABLES:
        sql = 'SELECT "from", "table" FROM pragma_foreign_key_list(?)'
        for column, target in db.execute(sql, (table.name,)):
            if column not in table.drop:
                assert table.refs[column] == target, (table.name, column)
                assert target == table.name or target in done, (table.name, target)
        done.add(table.name)
    assert set(ALIASED.values()) <= done
