"""A newer memfold takes over from an older one: no event is lost, each understands the other."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from running import BOUND_S, Running, running, session_start, tool_use
from terminal import Terminal

import memfold
from memfold import wire
from memfold.store.sqlite.schema import migrations

SOURCE = str(Path(memfold.__file__).parents[1])
RECORDED = Path(__file__).parent / "wire"
OLD = """
import sys
from pathlib import Path
from memfold import wire
wire.VERSION = "0.0.9"
if sys.argv[2]:
    from memfold.store.sqlite import migrate, schema
    folder = Path(sys.argv[2])
    schema.FOLDER = folder
    migrate.migrate.__defaults__ = (folder,)
    schema.migrations.__defaults__ = (folder,)
from memfold.daemon import main
main(["--home", sys.argv[1]])
"""


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Running]:
    with running(tmp_path / "home") as found:
        yield found


def start_old(
    here: Running, migrations_folder: str = "", code: str = OLD
) -> subprocess.Popen[bytes]:
    """A daemon of a memfold before this one."""
    here.home.mkdir(exist_ok=True)
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(here.home), migrations_folder], env=here.env()
    )
    until = time.monotonic() + BOUND_S
    while not here.answers():
        assert time.monotonic() < until
        time.sleep(0.01)
    return child


def test_an_older_daemon_makes_room_and_nothing_is_lost(here: Running, tmp_path: Path) -> None:
    old = start_old(here)
    assert here.status()["version"] == "0.0.9"
    for number in range(12):
        here.hook(tool_use(number, tmp_path))
    assert old.wait(BOUND_S) == 0
    status = here.settled(12)
    assert status["version"] == wire.VERSION
    assert status["pid"] != old.pid


def test_a_command_of_a_newer_memfold_replaces_it_too(here: Running, tmp_path: Path) -> None:
    old = start_old(here)
    Terminal(here, tmp_path).said("status")
    assert old.wait(BOUND_S) == 0
    said = json.loads(Terminal(here, tmp_path).said("status", "--json"))
    assert said["version"] == wire.VERSION


def test_an_older_hook_leaves_a_newer_daemon_alone(here: Running, tmp_path: Path) -> None:
    here.start()
    pid = here.pid()
    body = json.dumps(tool_use(1, tmp_path)).encode()
    head = {"X-Memfold-Version": "0.0.9", "X-Memfold-Protocol": "1"}
    # What wire.send adds itself comes first; the later header of a name is the one that counts.
    status, _ = wire.request("POST", "/hook/claude-code", body, headers=head, folder=str(here.home))
    assert status == 200
    assert here.settled(1)["pid"] == pid


def older_schema(tmp_path: Path) -> str:
    """The migrations of the memfold before."""
    folder = tmp_path / "older"
    folder.mkdir()
    for version, file in list(migrations().items())[:-1]:
        (folder / file.name).write_bytes(file.read_bytes())
        assert version
    return str(folder)


def newer_schema(tmp_path: Path, sql: str) -> str:
    """Today's migrations, and one of tomorrow."""
    folder = tmp_path / "newer"
    folder.mkdir()
    for file in migrations().values():
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / f"{max(migrations()) + 1:04}_tomorrow.sql").write_text(sql)
    return str(folder)


def test_the_database_is_upgraded_with_a_copy_of_it_before(here: Running, tmp_path: Path) -> None:
    old = start_old(here)
    here.hook(tool_use(1, tmp_path))
    old.wait(BOUND_S)
    newer = newer_schema(tmp_path, "ALTER TABLE sessions ADD COLUMN mood TEXT")
    new = start_old(here, newer, NEW)
    here.hook(tool_use(2, tmp_path))
    assert here.settled(2)["trouble"] == ""
    newest = max(migrations())
    assert [file.name for file in (here.home / "backups").iterdir()] == [
        f"memfold-schema{newest}.db"
    ]
    assert f"went from schema {newest} to {newest + 1}" in (here.home / "daemon.log").read_text()
    here.end()
    new.wait(BOUND_S)


def test_an_older_daemon_that_cannot_use_the_database_makes_room(
    here: Running, tmp_path: Path
) -> None:
    """Two installations: the older one came up first after the newer had upgraded the database."""
    here.start()
    here.hook(tool_use(1, tmp_path))
    here.end()
    old = start_old(here, older_schema(tmp_path))
    assert "this memfold knows up to" in here.status()["trouble"]
    here.hook(tool_use(2, tmp_path))
    assert old.wait(BOUND_S) == 0
    here.hook(tool_use(3, tmp_path))
    assert here.settled(3)["version"] == wire.VERSION


BROKEN = "UPDATE sessions SET branch = no_such_function(branch)"
NEW = OLD.replace("0.0.9", wire.VERSION)


def test_an_upgrade_that_fails_is_said_once_and_hooks_spool(here: Running, tmp_path: Path) -> None:
    here.start()
    here.hook(tool_use(1, tmp_path))
    here.end()
    folder = newer_schema(tmp_path, BROKEN)
    failing = start_old(here, folder, NEW)
    for number in range(2, 6):
        done = here.hook(tool_use(number, tmp_path))
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    start = here.hook(session_start(tmp_path))
    assert (start.returncode, start.stdout) == (0, b"")
    trouble = here.status()["trouble"]
    assert "could not be upgraded" in trouble
    assert f"at schema {max(migrations())}" in trouble
    assert "Go back to the memfold you had" in trouble
    assert len(here.spooled()) == 5
    assert (here.home / "daemon.log").read_text().count("migration_failed") <= 2
    here.end()
    failing.wait(BOUND_S)
    here.start()  # the memfold that was there before
    assert here.settled(5)["trouble"] == ""


def test_killed_while_it_upgrades_the_next_start_ends_it(here: Running, tmp_path: Path) -> None:
    old = start_old(here)
    here.hook(tool_use(1, tmp_path))
    old.wait(BOUND_S)
    folder = newer_schema(
        tmp_path,
        "CREATE TABLE x (y); INSERT INTO x WITH RECURSIVE n(i) AS "
        "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000) SELECT i FROM n;",
    )
    child = start_old(here, folder, NEW)
    while not list((here.home / "backups").glob("*.db")):
        assert child.poll() is None
        time.sleep(0.01)
    done = here.hook(tool_use(2, tmp_path))  # waits a second for its commit, then spools
    assert (done.returncode, done.stdout) == (0, b"")
    os.kill(child.pid, signal.SIGKILL)
    child.wait(BOUND_S)
    here.start()
    assert here.settled(2)["trouble"] == ""


def test_what_hooks_of_0_1_0_send_is_understood(here: Running) -> None:
    """Recorded with the first release's own hook; see wire/README.md."""
    here.start()
    for name, uses in (("post_tool_use", 1), ("session_start", 1)):
        request = (RECORDED / f"{name}-0.1.0.http").read_bytes()
        with contextlib.closing(wire.connect(str(here.home), BOUND_S)) as peer:
            peer.sendall(request)
            answer = b""
            while (part := peer.recv(65_536)) and not wire.is_whole(answer := answer + part):
                pass
        assert wire.parse(answer)[0] == 200
        assert here.settled(uses)["tool_uses"] == uses
    spool = here.home / "spool"
    spool.mkdir(exist_ok=True)
    event = (RECORDED / "spooled-0.1.0.evt").read_bytes()
    (spool / "00000000000000000001-1.evt").write_bytes(event)
    assert here.settled(2)["tool_uses"] == 2


def test_a_daemon_of_0_1_0_understands_what_this_hook_sends(tmp_path: Path) -> None:
    """The request differs from the recorded one in its version and its moment alone."""
    recorded = (RECORDED / "post_tool_use-0.1.0.http").read_bytes()
    body = recorded.partition(b"\r\n\r\n")[2]
    heard: list[bytes] = []
    home = tmp_path / "home"
    home.mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home / wire.SOCKET))
        listener.listen()

        def answer() -> None:
            peer, _ = listener.accept()
            with peer:
                data = b""
                while len(data.partition(b"\r\n\r\n")[2]) < len(body):
                    data += peer.recv(65_536)
                heard.append(data)
                peer.sendall((RECORDED / "answer-0.1.0.http").read_bytes())

        thread = Thread(target=answer)
        thread.start()
        done = Running(home).hook(body)
        thread.join(BOUND_S)
    assert done.stdout == b"remembered"  # the recorded answer's body
    assert same(heard[0]) == same(recorded)


def same(request: bytes) -> bytes:
    """Without what differs from one release and moment to the next."""
    head, gap, body = request.partition(b"\r\n\r\n")
    varying = (b"X-Memfold-Version:", b"X-Memfold-At:")
    lines = [line for line in head.split(b"\r\n") if not line.startswith(varying)]
    return b"\r\n".join(lines) + gap + body
