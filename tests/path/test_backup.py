"""`memfold backup` and `memfold restore` as a person types them, over a real daemon."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from running import BOUND_S, running, tool_use
from terminal import Terminal

from memfold import wire
from memfold.store.sqlite.migrate import run_up_to
from memfold.store.sqlite.schema import migrations


class Person(Terminal):
    def data(self, *args: str) -> Any:
        return json.loads(self.said(*args, "--json"))

    def work(self, *numbers: int, session: str = "s1") -> None:
        for number in numbers:
            self.here.hook(tool_use(number, self.cwd, session))

    def backups(self) -> list[str]:
        return sorted(path.name for path in (self.here.home / "backups").glob("*"))


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    cwd = tmp_path / "work"
    cwd.mkdir()
    with running(tmp_path / "home") as here:
        here.start()
        yield Person(here, cwd)


def keys(database: Path) -> set[str]:
    db = apsw.Connection(str(database))
    db.set_busy_timeout(10_000)  # a process that was killed may not have let go yet
    found = {row[0] for row in db.execute("SELECT key FROM tool_uses")}
    db.close()
    return found


def test_a_backup_is_one_sound_file_for_its_owner(person: Person, tmp_path: Path) -> None:
    person.work(1, 2)
    said = person.said("backup", str(tmp_path / "copy.db"))
    assert f"{tmp_path / 'copy.db'}: " in said
    assert said.rstrip().endswith("sound")
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    assert keys(tmp_path / "copy.db") == {"toolu_000001", "toolu_000002"}
    assert sorted(path.name for path in tmp_path.glob("copy*")) == ["copy.db"]
    again = person.run("backup", str(tmp_path / "copy.db"))
    assert again.returncode == 1
    assert "is there already" in again.stderr
    nowhere = person.run("backup", str(tmp_path / "no" / "copy.db"))
    assert "is not a directory" in nowhere.stderr
    made = person.data("backup")
    assert Path(made["path"]).parent == person.here.home / "backups"


def test_restore_brings_back_then_and_keeps_now(person: Person, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    person.work(1)
    person.said("backup", str(copy))
    person.work(2)
    asked = person.run("restore", str(copy))
    assert asked.returncode == 2
    assert "Nothing was changed" in asked.stderr
    assert person.here.status()["tool_uses"] == 2
    done = person.data("restore", str(copy), "--yes")
    assert person.here.status()["tool_uses"] == 1
    assert keys(Path(done["kept"])) == {"toolu_000001", "toolu_000002"}
    person.work(3)
    assert person.here.status()["tool_uses"] == 2
    person.said("restore", done["kept"], "--yes")
    assert person.here.status()["tool_uses"] == 2
    assert not list(person.here.home.glob("restoring-*"))


def test_what_a_restore_cannot_use_changes_nothing(person: Person, tmp_path: Path) -> None:
    person.work(1)
    copy = tmp_path / "copy.db"
    person.said("backup", str(copy))
    db = apsw.Connection(str(copy))
    db.execute("INSERT INTO schema_migrations VALUES (999, 'future', 'x')")
    db.close()
    newer = person.run("restore", str(copy), "--yes")
    assert "has schema 999" in newer.stderr
    assert "Upgrade memfold" in newer.stderr
    (tmp_path / "text").write_text("dear diary")
    assert (
        "no copy of a memfold database"
        in person.run("restore", str(tmp_path / "text"), "--yes").stderr
    )
    whole = copy.read_bytes()
    copy.write_bytes(whole[: len(whole) // 2])
    damaged = person.run("restore", str(copy), "--yes")
    assert damaged.returncode == 1
    assert "damaged" in damaged.stderr
    assert "not there" in person.run("restore", str(tmp_path / "none.db"), "--yes").stderr
    assert person.here.status()["tool_uses"] == 1
    assert person.backups() == []


def test_what_was_forgotten_since_does_not_come_back_with_a_backup(
    person: Person, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    person.work(1, 2)
    person.work(3, session="s2")
    person.said("backup", str(copy))
    person.said("forget", "--text", "step-2", "--yes")
    person.said("forget", "--session", "s2", "--yes")
    person.said("backup")
    done = person.data("restore", str(copy), "--yes")
    assert done["forgotten_again"] == 2
    assert person.here.status()["tool_uses"] == 1
    person.here.end()
    assert b"step-2" not in (person.here.home / wire.DATABASE).read_bytes()


def test_a_backup_of_an_older_memfold_is_upgraded(person: Person, tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    db = apsw.Connection(str(old))
    run_up_to(db, old, max(migrations()) - 1)
    db.execute("INSERT INTO projects (id, uid, name) VALUES (1, 'u', 'from before')")
    db.close()
    told = person.data("restore", str(old), "--yes")
    assert told["schema"] == max(migrations()) - 1
    assert person.here.status()["trouble"] == ""
    assert "from before" in person.said("project", "list")


def test_forget_takes_backups_in_the_data_directory_and_no_record_of_an_install(
    person: Person,
) -> None:
    person.work(1)
    person.said("backup")
    (person.here.home / "backups" / "claude-code.json").write_text('{"files": {}}')
    person.said("forget", "--text", "step-1", "--yes")
    assert person.backups() == ["claude-code.json"]


RESTORER = """
import sys, time
from pathlib import Path
from memfold.backing_up import alone, restore
home, file = Path(sys.argv[1]), Path(sys.argv[2])
print("begun", flush=True)
for number in range(1000):
    restore(home, file, 1_000_000 * number)
"""


def test_killed_while_it_restores_one_database_is_in_place(person: Person, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    person.work(1)
    person.said("backup", str(copy))
    person.work(2)
    person.here.end()
    for after_s in (0.0, 0.02, 0.05, 0.1):
        child = subprocess.Popen(
            [sys.executable, "-c", RESTORER, str(person.here.home), str(copy)],
            stdout=subprocess.PIPE,
            env={**os.environ, "MEMFOLD_HOME": str(person.here.home)},
        )
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(after_s)  # which moment, not how long
        child.send_signal(signal.SIGKILL)
        child.wait(BOUND_S)
        child.stdout.close()
        found = keys(person.here.home / wire.DATABASE)
        assert found in ({"toolu_000001", "toolu_000002"}, {"toolu_000001"})
    person.said("restore", str(copy), "--yes")
    assert not list(person.here.home.glob("restoring-*"))
    person.work(3)
    assert person.here.status()["tool_uses"] == 2
