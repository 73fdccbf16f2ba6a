"""The doorbell never stops the agent and never loses an event (spec/00 promises 1, 2 and 6)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import WAYS, Running, running, session_start, tool_use

from memfold import wire

AWAY_BUDGET_S = 6.0  # a hung daemon costs an event its second, and this noisy machine some more


pytestmark = pytest.mark.parametrize("perl", WAYS)  # every promise, by both ways


@pytest.fixture
def here(tmp_path: Path, perl: str) -> Iterator[Running]:
    with running(tmp_path / "home", perl) as daemon:
        yield daemon


def test_an_event_is_stored_before_the_hook_ends(here: Running, tmp_path: Path) -> None:
    """A capturing hook is answered after the commit."""
    here.start()
    done = here.hook(tool_use(1, tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert here.status()["tool_uses"] == 1


def test_with_no_daemon_the_event_waits_and_a_daemon_is_started(
    here: Running, tmp_path: Path
) -> None:
    done = here.hook(tool_use(1, tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert here.settled(1)["tool_uses"] == 1
    assert here.spooled() == []


def test_session_start_waits_for_a_cold_daemon_and_gets_the_context(
    here: Running, tmp_path: Path
) -> None:
    done = here.hook(session_start(tmp_path))
    assert done.returncode == 0
    assert done.stdout.startswith(b"<memfold-context>")


def test_the_context_is_byte_for_byte_what_the_command_prints(
    here: Running, tmp_path: Path
) -> None:
    """`memfold context --cwd DIR` shows what the hook would inject; only the minute may differ."""
    printed = here.hook(session_start(tmp_path)).stdout
    asked = here.ask("GET", f"/context?cwd={tmp_path}&host=claude-code")
    assert _undated(asked) == _undated(printed)


def test_a_resumed_session_gets_the_same_bytes(here: Running, tmp_path: Path) -> None:
    """A host repeats a context that differs by a byte (hosts.md 1.4)."""
    first = here.hook(session_start(tmp_path)).stdout
    assert here.hook(session_start(tmp_path, source="resume")).stdout == first


def test_spooled_events_are_redacted_before_the_disk(here: Running, tmp_path: Path) -> None:
    """spec/00 promise 6, on the path without a daemon."""
    here.home.mkdir()
    (here.home / wire.START_LOCK).touch()
    key = "ghp_" + "a1B2c3D4" * 5
    with _start_lock(here):  # someone is starting it, so nobody drains
        here.hook(tool_use(1, tmp_path, tool_response={"stdout": f"token {key} found"}))
        (event,) = here.spooled()
        text = event.read_bytes()
    assert key.encode() not in text
    assert b"[redacted:github-token]" in text
    assert oct(event.stat().st_mode & 0o777) == "0o600"


def test_events_of_a_dead_time_are_taken_in_order(here: Running, tmp_path: Path) -> None:
    here.home.mkdir()
    with _start_lock(here):
        for number in range(5):
            here.hook(tool_use(number, tmp_path))
        assert len(here.spooled()) == 5
        prompt = {"session_id": "s1", "cwd": str(tmp_path), "hook_event_name": "UserPromptSubmit"}
        here.hook({**prompt, "prompt": "go on", "prompt_id": "p1"})
    here.start()
    status = here.settled(5)
    assert (status["tool_uses"], status["prompts"]) == (5, 1)


@pytest.mark.parametrize("hostile", ["hung", "broken off", "nonsense"])
def test_a_daemon_that_does_not_answer_costs_no_event_and_little_time(
    here: Running, tmp_path: Path, hostile: str
) -> None:
    here.home.mkdir()
    with _false_daemon(here, hostile):
        began = time.monotonic()
        done = here.hook(tool_use(1, tmp_path))
        took_s = time.monotonic() - began
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert took_s < AWAY_BUDGET_S
    assert len(here.spooled()) == 1
    (here.home / wire.SOCKET).unlink()
    here.start()
    assert here.settled(1)["tool_uses"] == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[1]",
        b"\x00\xff",
        b'{"hook_event_name": "PostToolUse"}',
        b"[" * 100_000,
    ],
    ids=["empty", "cut", "null", "list", "bytes", "no session", "deep"],
)
def test_malformed_payloads_are_left_out_quietly(here: Running, body: bytes) -> None:
    here.start()
    done = here.hook(body)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert here.status()["tool_uses"] == 0
    assert here.spooled() == []


def test_unknown_events_and_hosts_change_nothing(here: Running, tmp_path: Path) -> None:
    here.start()
    new = {"session_id": "s", "cwd": str(tmp_path), "hook_event_name": "SomethingNew"}
    assert here.hook(new).returncode == 0
    assert here.hook(tool_use(1, tmp_path), host="no-such-host").returncode == 0
    assert here.status()["sessions"] == 0


def test_strange_characters_are_stored(here: Running, tmp_path: Path) -> None:
    """Lone surrogates, NUL, deep nesting."""
    here.start()
    deep: object = "end"
    for _ in range(200):
        deep = [deep]
    payload = tool_use(1, tmp_path, tool_input={"command": "\ud83d\x00 x", "deep": deep})
    assert here.hook(payload).returncode == 0
    assert here.status()["tool_uses"] == 1


def test_a_payload_of_50_megabytes_is_stored_without_its_middle(
    here: Running, tmp_path: Path
) -> None:
    here.start()
    big = tool_use(1, tmp_path, tool_response={"stdout": "line of output\n" * 3_500_000})
    assert here.hook(big).returncode == 0
    assert here.settled(1)["bytes_on_disk"] < 10_000_000


def test_a_payload_over_the_limit_is_refused_and_not_kept_for_ever(
    here: Running, tmp_path: Path
) -> None:
    here.start()
    huge = tool_use(1, tmp_path, tool_response={"stdout": "x" * (wire.MAX_BODY_BYTES + 10)})
    assert here.hook(huge).returncode == 0
    assert here.spooled() == []
    assert here.status()["tool_uses"] == 0


def test_a_home_with_a_long_path_works(tmp_path: Path, perl: str) -> None:
    """A socket address holds 108 bytes; directories may be longer."""
    home = tmp_path / ("d" * 100) / ("e" * 100)
    with running(home, perl) as here:
        assert here.hook(session_start(tmp_path)).stdout.startswith(b"<memfold-context>")
        here.hook(tool_use(1, tmp_path))
        assert here.settled(1)["tool_uses"] == 1


def test_a_home_that_cannot_be_written_stops_nobody(tmp_path: Path, perl: str) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    done = Running(blocked, perl).hook(tool_use(1, tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_hook_leaves_no_child_and_no_open_pipe(here: Running, tmp_path: Path) -> None:
    """A host waits until stdout closes: a started daemon must not hold it."""
    done = here.hook(tool_use(1, tmp_path), timeout_s=10)
    assert done.returncode == 0
    here.settled(1)
    parent = Path(f"/proc/{here.pid()}/stat")
    if parent.exists():
        assert int(parent.read_text().rpartition(")")[2].split()[1]) != os.getpid()


def test_many_hooks_at_once_start_one_daemon(here: Running, tmp_path: Path) -> None:
    payloads = [tool_use(number, tmp_path) for number in range(24)]
    threads = [threading.Thread(target=here.hook, args=(payload,)) for payload in payloads]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert here.settled(24)["tool_uses"] == 24
    command = ["pgrep", "-f", f"memfold.daemon --home {here.home}"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    assert len(found) == 1


class _start_lock:  # noqa: N801  # reads as a phrase in `with`
    """Holds the start lock, as a daemon that is being started does."""

    def __init__(self, here: Running) -> None:
        self._path = here.home / wire.START_LOCK

    def __enter__(self) -> None:
        import fcntl

        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT)
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        os.close(self._file)


class _false_daemon:  # noqa: N801  # reads as a phrase in `with`
    """Something that listens in the daemon's place and behaves badly."""

    def __init__(self, here: Running, how: str) -> None:
        self._path = str(here.home / wire.SOCKET)
        self._how = how

    def __enter__(self) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        before = Path.cwd()
        os.chdir(Path(self._path).parent)  # a pytest path is too long for a socket address
        self._listener.bind(wire.SOCKET)
        os.chdir(before)
        self._listener.listen(4)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        if self._how == "hung":
            return  # accepts into the backlog and never answers
        try:
            peer, _ = self._listener.accept()
        except OSError:
            return
        with peer:
            peer.recv(65_536)
            if self._how == "nonsense":
                peer.sendall(b"what?\r\n\r\n")
            else:
                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf")

    def __exit__(self, *_: object) -> None:
        self._listener.close()


def _undated(text: bytes) -> str:
    return "\n".join(line for line in text.decode().splitlines() if "recent context" not in line)


def test_payloads_as_the_real_client_sends_them_are_understood(
    here: Running, tmp_path: Path
) -> None:
    """Shapes of hosts.md 1.3: a failed call, a stop, a subagent, a notice that is no prompt."""
    here.start()
    common = {"session_id": "s1", "cwd": str(tmp_path), "transcript_path": ""}
    events: list[dict[str, object]] = [
        {"hook_event_name": "UserPromptSubmit", "prompt": "fix it", "prompt_id": "p1"},
        {
            "hook_event_name": "UserPromptSubmit",
            "prompt": "<task-notification>done</task-notification>",
        },
        {
            "hook_event_name": "PostToolUseFailure",
            "tool_name": "Bash",
            "tool_input": {"command": "false"},
            "tool_use_id": "t1",
            "error": "Exit code 1",
        },
        {"hook_event_name": "SubagentStop", "agent_type": "", "last_assistant_message": "summary"},
        {"hook_event_name": "Stop", "last_assistant_message": "Fixed the leak."},
    ]
    for event in events:
        assert here.hook({**common, **event}).returncode == 0
    status = here.status()
    assert (status["prompts"], status["tool_uses"]) == (1, 1)
    assert json.dumps(status)
