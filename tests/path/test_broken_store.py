"""A full disk and a damaged database, under a real daemon: said clearly, mended, nothing lost."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import Running, running, session_start, tool_use
from terminal import Terminal

from memfold import wire


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Terminal]:
    cwd = tmp_path / "work"
    cwd.mkdir()
    with running(tmp_path / "home") as here:
        here.start()
        yield Terminal(here, cwd)


def ring(person: Terminal, *numbers: int, output: str = "done") -> None:
    """Events, each of which must be silent and fine for the agent."""
    for number in numbers:
        event = tool_use(number, person.cwd, tool_response={"stdout": output, "stderr": ""})
        done = person.here.hook(event)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(
    not hasattr(resource, "prlimit"), reason="limits of another process: Linux only"
)
def test_a_disk_that_fills_up_in_the_middle_of_a_write(person: Terminal) -> None:
    """No file of the daemon may grow: what a full disk does to it, hooks not included."""
    here = person.here
    ring(person, 1)
    pid = here.pid()
    _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    size = max(path.stat().st_size for path in here.home.glob("memfold.db*"))
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, most))
    for number in range(2, 8):
        ring(person, number, output=f"{number}" * 900_000)
    assert here.spooled()
    stored = here.status()["tool_uses"]
    said = here.status()["trouble"]
    assert "cannot be written" in said
    assert "Free space" in said
    assert "WRONG: " in person.said("status")
    doctor = person.run("doctor")
    assert doctor.returncode == 1
    assert "WRONG database: " in doctor.stdout
    assert here.pid() == pid  # it did not fall over
    waiting = len(here.spooled())
    assert stored + waiting == 7  # each event is in one of the two
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
    ring(person, 8)
    assert here.settled(8)["tool_uses"] == 8
    assert here.status()["trouble"] == ""


def zero(database: Path, page: int) -> None:
    with database.open("r+b") as file:
        file.seek((page - 1) * 4_096)
        file.write(bytes(4_096))


def leaf_of(database: Path, text: bytes) -> int:
    """A page of rows that holds this text."""
    body = database.read_bytes()
    pages = [body[at : at + 4_096] for at in range(0, len(body), 4_096)]
    found = [number for number, page in enumerate(pages, 1) if page[:1] == b"\x0d" and text in page]
    assert found
    return found[0]


def damaged(person: Terminal) -> Running:
    """A memory with one page of its tool uses overwritten, daemon gone."""
    here = person.here
    ring(person, *range(40), output="done " * 150)
    person.said("stop")
    database = here.home / wire.DATABASE
    assert not Path(f"{database}-wal").exists() or not Path(f"{database}-wal").stat().st_size
    zero(database, leaf_of(database, b"make step-20"))
    return here


def test_a_damaged_page_is_said_mended_and_the_spool_taken_in(person: Terminal) -> None:
    here = damaged(person)
    here.start()
    doctor = person.run("doctor")
    assert doctor.returncode == 1
    assert "WRONG database: The database " in doctor.stdout
    assert "is damaged" in doctor.stdout
    assert "memfold doctor --fix" in doctor.stdout
    ring(person, *range(100, 105))
    start = here.hook(session_start(person.cwd))
    assert (start.returncode, start.stderr) == (0, b"")
    assert len(here.spooled()) >= 5
    assert "is damaged" in person.said("status")
    pid = here.pid()
    for _ in range(5):
        ring(person, 105)
    assert here.pid() == pid  # no crash loop
    log = (here.home / "daemon.log").read_text()
    assert log.count("is damaged; nothing is written") == 1
    fixed = person.run("doctor", "--fix")
    assert "fixed: The database was damaged; kept: " in fixed.stdout
    assert "ok    database: Sound" in fixed.stdout
    found = here.settled(30)
    assert found["trouble"] == ""
    assert 25 + 6 <= found["tool_uses"] < 40 + 6
    assert next(path.name for path in (here.home / "backups").iterdir()).startswith(
        "memfold-damaged-"
    )
    again = json.loads(person.run("doctor", "--json").stdout)
    (database,) = [one for one in again["findings"] if one["name"] == "database"]
    assert database["ok"]


def test_where_nothing_can_be_read_a_backup_is_named(person: Terminal) -> None:
    here = person.here
    ring(person, 1)
    made = json.loads(person.said("backup", "--json"))["path"]
    ring(person, 2)
    person.said("stop")
    zero(here.home / wire.DATABASE, 1)
    here.start()
    ring(person, 3)
    doctor = person.run("doctor", "--fix")
    assert doctor.returncode == 1
    assert "memfold restore" in doctor.stdout
    assert made in doctor.stdout
    assert here.spooled()
    person.said("restore", made, "--yes")
    assert here.settled(2)["tool_uses"] == 2  # of the backup, and from the spool


def test_events_that_nobody_can_read_are_told_of(person: Terminal) -> None:
    spool = person.here.home / "spool"
    spool.mkdir(exist_ok=True)
    (spool / "00000000000000000001-1.evt").write_bytes(b"rubbish")
    person.here.settled(0)
    said = person.run("doctor").stdout
    assert "1 events could not be read" in said or "1 event could not be read" in said
