"""One daemon for each data directory, a clean end, and what it does while its store is shut."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from running import BOUND_S, Running, running, session_start, tool_use

from memfold import daemon, wire
from memfold.hook import launch


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Running]:
    with running(tmp_path / "home") as one:
        yield one


def _second(here: Running) -> int:
    command = [sys.executable, "-I", "-m", "memfold.daemon", "--home", str(here.home)]
    return subprocess.run(command, timeout=BOUND_S, check=False).returncode


def test_a_second_daemon_goes_away_quietly(here: Running) -> None:
    pid = here.start()
    assert _second(here) == daemon.ALREADY_RUNNING
    assert here.pid() == pid


def test_a_stale_socket_is_replaced(here: Running, tmp_path: Path) -> None:
    here.start()
    here.kill()
    _gone(here)  # while it dies it holds the lock, and the next one would leave again
    assert (here.home / wire.SOCKET).exists()
    here.hook(tool_use(1, tmp_path))
    assert here.settled(1)["tool_uses"] == 1


def test_it_ends_when_asked_and_says_goodbye_to_its_socket(here: Running) -> None:
    here.start()
    here.ask("POST", "/stop")
    _gone(here)
    assert not here.answers()


def test_sigterm_ends_it_cleanly(here: Running, tmp_path: Path) -> None:
    pid = here.start()
    here.hook(tool_use(1, tmp_path))
    os.kill(pid, signal.SIGTERM)
    _gone(here)
    here.start()
    assert here.settled(1)["tool_uses"] == 1


def test_a_daemon_started_while_another_ends_takes_over(here: Running) -> None:
    first = here.start()
    here.ask("POST", "/stop")
    until = time.monotonic() + BOUND_S
    while not (here.answers() and here.pid() != first):
        launch.start(str(here.home))
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize(
    "headers", [{"X-Memfold-Version": "99.0.0"}, {"X-Memfold-Protocol": "99"}], ids=str
)
def test_a_newer_hook_makes_the_daemon_hand_over(
    here: Running, tmp_path: Path, headers: dict[str, str]
) -> None:
    """The event of the newer hook is stored first; the next one starts the newer daemon."""
    here.start()
    body = json.dumps(tool_use(1, tmp_path)).encode()
    head = {"X-Memfold-Version": "0.1.0", "X-Memfold-Protocol": "1", **headers}
    status, _ = _post(here, body, head)
    assert status == 200
    _gone(here)
    here.hook(tool_use(2, tmp_path))
    assert here.settled(2)["tool_uses"] == 2


def _post(here: Running, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
    peer = wire.connect(str(here.home), BOUND_S)
    head = "POST /hook/claude-code HTTP/1.1\r\nHost: memfold\r\nConnection: close\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head += f"Content-Length: {len(body)}\r\n\r\n"
    peer.sendall(head.encode() + body)
    answer = b""
    while part := peer.recv(4096):
        answer += part
    peer.close()
    return wire.parse(answer)


def test_a_database_from_the_future_is_left_alone_and_named(here: Running, tmp_path: Path) -> None:
    """Hooks keep their events; status says what is wrong and what to do."""
    here.start()
    here.ask("POST", "/stop")
    _gone(here)
    database = apsw.Connection(str(here.home / wire.DATABASE))
    database.execute("INSERT INTO schema_migrations VALUES (999, '999_future', 'x')")
    database.close()
    done = here.hook(session_start(tmp_path))
    assert (done.returncode, done.stdout) == (0, b"")
    here.hook(tool_use(1, tmp_path))
    assert len(here.spooled()) == 2
    trouble = here.status()["trouble"]
    assert "schema 999" in trouble
    assert "Upgrade memfold" in trouble


def test_mcp_is_not_imported_for_hooks(here: Running, tmp_path: Path) -> None:
    """Idle memory before MCP use stays small (design.md: under 60 MB)."""
    here.start()
    here.hook(session_start(tmp_path))
    here.hook(tool_use(1, tmp_path))
    maps = Path(f"/proc/{here.pid()}/maps")
    if maps.exists():
        assert "pydantic_core" not in maps.read_text()


def test_settings_that_are_wrong_are_named(here: Running, tmp_path: Path) -> None:
    here.home.mkdir()
    (here.home / "settings.toml").write_text("no_such = 1\n")
    here.hook(tool_use(1, tmp_path))
    assert "no_such" in here.status()["trouble"]
    assert len(here.spooled()) == 1


def test_a_spooled_file_that_is_none_is_set_aside(here: Running, tmp_path: Path) -> None:
    (here.home / "spool").mkdir(parents=True)
    (here.home / "spool" / "000-1.evt").write_bytes(b"not an event")
    here.hook(tool_use(1, tmp_path))
    assert here.settled(1)["tool_uses"] == 1
    assert [path.name for path in (here.home / "spool" / "bad").iterdir()] == ["000-1.evt"]


def _gone(here: Running) -> None:
    """Its lock goes with its process, after the last commit."""
    until = time.monotonic() + BOUND_S
    with (here.home / wire.LOCK).open("r+") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                assert time.monotonic() < until
                time.sleep(0.01)
            else:
                return
