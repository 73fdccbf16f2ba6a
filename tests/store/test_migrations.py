"""Numbered migrations: one transaction each, a backup before, forward only."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest

from memfold.errors import MigrationFailed, StoreError, StoreTooNew
from memfold.records import Alias
from memfold.store.sqlite.migrate import _back_up, migrate
from memfold.store.sqlite.schema import FOLDER, schema_version
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


def test_an_upgrade_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    db = apsw.Connection(str(path))
    first = "CREATE TABLE a (x)"
    migrate(db, path, steps(tmp_path / "sql", first))
    folder = steps(tmp_path / "sql", first, "CREATE TABLE c (x)", "CREATE TABLE b (x); SELECT no()")
    with pytest.raises(MigrationFailed, match=r"0003_step: .*stays as it was, at schema 1"):
        migrate(db, path, folder)
    assert schema_version(db) == 1  # the older memfold can still use it
    assert list(db.execute("SELECT name FROM sqlite_schema WHERE name IN ('b', 'c')")) == []


def test_copies_of_the_last_three_schemas_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    db = apsw.Connection(str(path))
    texts = [f"CREATE TABLE t{number} (x)" for number in range(6)]
    for upto in range(1, 7):
        migrate(db, path, steps(tmp_path / "sql", *texts[:upto]))
    kept = sorted(file.name for file in (tmp_path / "backups").iterdir())
    assert kept == [f"m-schema{number}.db" for number in (3, 4, 5)]


SLOW = """
CREATE TABLE b (x);
INSERT INTO b WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5000000)
  SELECT x FROM n;
"""


def test_killed_in_the_middle_of_an_upgrade_nothing_of_it_is_there(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    db = apsw.Connection(str(path))
    db.execute("PRAGMA journal_mode=WAL")
    migrate(db, path, steps(tmp_path / "sql", "CREATE TABLE a (x)"))
    db.execute("INSERT INTO a VALUES (7)")
    db.close()
    folder = steps(tmp_path / "sql", "CREATE TABLE a (x)", SLOW)
    code = (
        "import apsw; from pathlib import Path; from memfold.store.sqlite.migrate import migrate;"
        f"path = Path({str(path)!r}); db = apsw.Connection(str(path)); db.execute('PRAGMA cache_size=10');"
        f"print('begun', flush=True); migrate(db, path, Path({str(folder)!r}))"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"begun\n"
    log = tmp_path / "m.db-wal"
    while child.poll() is None and not (log.exists() and log.stat().st_size > 1_000_000):
        time.sleep(0.005)
    assert child.poll() is None  # else it was over before the signal
    child.send_signal(signal.SIGKILL)
    child.wait(10)
    child.stdout.close()
    db = apsw.Connection(str(path))
    assert schema_version(db) == 1
    assert list(db.execute("SELECT x FROM a")) == [(7,)]
    (backup,) = (tmp_path / "backups").iterdir()
    assert backup.name == "m-schema1.db"
    assert migrate(db, path, steps(tmp_path / "sql", "CREATE TABLE a (x)", "CREATE TABLE b (x)"))
    assert list(db.execute("SELECT count(*) FROM b")) == [(0,)]


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
