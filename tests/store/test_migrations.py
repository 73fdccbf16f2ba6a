"""Numbered migrations: one transaction each, a backup before, forward only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from memfold.errors import StoreError, StoreTooNew
from memfold.records import Alias
from memfold.store.sqlite.migrate import FOLDER, _back_up, migrate, schema_version
from memfold.store.sqlite.store import SqliteStore


def steps(folder: Path, *texts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for number, text in enumerate(texts, 1):
        (folder / f"{number:04}_step.sql").write_text(text)
    return folder


def test_a_new_file_gets_every_migration(tmp_path: Path) -> None:
    db = apsw.Connection(str(tmp_path / "m.db"))
    folder = steps(tmp_path / "sql", "CREATE TABLE a (x)", "ALTER TABLE a ADD y")
    assert schema_version(db) == 0
    assert migrate(db, tmp_path / "m.db", folder) == [1, 2]
    assert migrate(db, tmp_path / "m.db", folder) == []
    assert schema_version(db) == 2
    assert not (tmp_path / "backups").exists()


def test_an_existing_file_is_backed_up_first(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    db = apsw.Connection(str(path))
    migrate(db, path, steps(tmp_path / "sql", "CREATE TABLE a (x)"))
    db.execute("INSERT INTO a VALUES (7)")
    migrate(db, path, steps(tmp_path / "sql", "CREATE TABLE a (x)", "DELETE FROM a"))
    (backup,) = (tmp_path / "backups").iterdir()
    assert list(apsw.Connection(str(backup)).execute("SELECT x FROM a")) == [(7,)]
    assert backup.stat().st_mode & 0o077 == 0


def test_a_copy_is_not_replaced_by_one_of_another_schema(tmp_path: Path) -> None:
    """Two processes find the same old file; the slower one copies what the other made of it."""
    path = tmp_path / "m.db"
    db = apsw.Connection(str(path))
    migrate(db, path, steps(tmp_path / "sql", "CREATE TABLE a (x)", "CREATE TABLE b (x)"))
    _back_up(db, path, 1)
    assert list((tmp_path / "backups").iterdir()) == []
    _back_up(db, path, 2)
    assert [file.name for file in (tmp_path / "backups").iterdir()] == ["m-schema2.db"]


def test_a_migration_that_fails_leaves_nothing_of_itself(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    db = apsw.Connection(str(path))
    folder = steps(tmp_path / "sql", "CREATE TABLE a (x)", "CREATE TABLE b (x); SELECT no_such()")
    with pytest.raises(apsw.SQLError):
        migrate(db, path, folder)
    assert schema_version(db) == 1
    assert list(db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'b'")) == []


def test_a_migration_that_ran_must_not_change(tmp_path: Path) -> None:
    db = apsw.Connection(str(tmp_path / "m.db"))
    migrate(db, tmp_path / "m.db", steps(tmp_path / "sql", "CREATE TABLE a (x)"))
    with pytest.raises(StoreError, match="was changed after it ran"):
        migrate(db, tmp_path / "m.db", steps(tmp_path / "sql", "CREATE TABLE a (y)"))


def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path / "m.db").close()
    db = apsw.Connection(str(tmp_path / "m.db"))
    db.execute("INSERT INTO schema_migrations VALUES (999, 'future', 'x')")
    with pytest.raises(StoreTooNew, match="schema 999"):
        SqliteStore.open(tmp_path / "m.db")


def test_two_processes_may_open_a_new_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    code = (
        "from pathlib import Path; from memfold.store.sqlite.store import SqliteStore;"
        f"SqliteStore.open(Path({str(path)!r})).close()"
    )
    both = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [process.wait(60) for process in both] == [0, 0, 0]
    store = SqliteStore.open(path)
    assert store.create("app", [Alias("directory", "/x")]).id == 1
    store.close()


def test_migrations_are_numbered_without_gaps() -> None:
    numbers = sorted(int(file.name[:4]) for file in FOLDER.glob("*.sql"))
    assert numbers == list(range(1, len(numbers) + 1))
