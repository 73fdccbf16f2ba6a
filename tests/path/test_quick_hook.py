"""The quick hook beside the Python one: the same rows, the same bytes, and nothing done twice."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import sqlite3
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import BOUND_S, Running, bell, running, session_start, tool_use

from memfold import wire
from memfold.capture import spool
from memfold.hook import gate, hook
from memfold.hosts import programs, quick
from memfold.hosts.programs import Runner

pytestmark = pytest.mark.skipif(not quick.perl(), reason=f"no {quick.PERL} that rings here")
ROWS = {
    "sessions": "SELECT host, host_session, cwd, transcript, ended_at_ms IS NULL FROM sessions",
    "turns": "SELECT id, session_id, private FROM turns ORDER BY id",
    "prompts": "SELECT turn_id, text, prompt_key, private FROM prompts ORDER BY id",
    "replies": "SELECT turn_id, text, agent FROM replies ORDER BY id",
    "tool_uses": "SELECT turn_id, key, tool, hex(input), hex(response), ok, cwd, agent, "
    "agent_type, duration_ms, files_read, files_changed FROM tool_uses ORDER BY id",
}
ECHO = """\
#!/bin/sh
printf '%s\\n' "$@" >>"$0.words"
exec cat
"""


def events(folder: Path) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """Every event that Claude Code is installed for, and hosts whose event is an argument."""
    common = {"session_id": "s1", "cwd": str(folder), "transcript_path": ""}
    agent = {"agent_id": "a1", "agent_type": "general-purpose"}
    given: list[dict[str, Any]] = [
        session_start(folder),
        {"hook_event_name": "UserPromptSubmit", "prompt": "naïve 🙂 \x00 text", "prompt_id": "p1"},
        tool_use(1, folder),
        tool_use(2, folder, **agent),
        {
            "hook_event_name": "PostToolUseFailure",
            "tool_name": "Bash",
            "tool_input": {"command": "false"},
            "tool_use_id": "t3",
            "error": "Exit code 1",
        },
        {"hook_event_name": "SubagentStop", **agent, "last_assistant_message": "Looked at it all."},
        {"hook_event_name": "PreCompact", "trigger": "manual", "custom_instructions": ""},
        session_start(folder, source="compact"),
        {"hook_event_name": "PostCompact", "trigger": "auto", "compact_summary": "It was mended."},
        {"hook_event_name": "Stop", "last_assistant_message": "Fixed the leak in the pool."},
        {"hook_event_name": "SessionEnd", "reason": "other"},
    ]
    for one in given:
        yield {**common, **one}, ("claude-code",)
    yield {**session_start(folder), "session_id": "g1"}, ("gemini-cli",)
    call = {
        "sessionId": "c1",
        "timestamp": 1_796_104_800_000,
        "cwd": str(folder),
        "toolName": "bash",
        "toolArgs": json.dumps({"command": "make"}),
        "toolResult": {"resultType": "success", "textResultForLlm": "done"},
    }
    yield call, ("copilot-cli", "postToolUse")


def ring(
    here: Running, body: bytes, *words: str, env: dict[str, str] | None = None
) -> tuple[int, bytes, bytes]:
    """(exit code, stdout, stderr) of the real program."""
    done = subprocess.run(
        bell(*(words or ("claude-code",)), perl=here.perl),
        input=body,
        env=here.env() | (env or {}),
        capture_output=True,
        timeout=BOUND_S,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_every_event_gives_the_same_rows_and_answers_by_both_ways(tmp_path: Path) -> None:
    seen = []
    for perl in ("", quick.PERL):
        with running(tmp_path / f"home{bool(perl)}", perl) as here:
            here.start()
            printed = [ring(here, json.dumps(one).encode(), *to) for one, to in events(tmp_path)]
            assert here.spooled() == []
            here.end()
        with contextlib.closing(sqlite3.connect(here.home / wire.DATABASE)) as database:
            rows = {name: database.execute(query).fetchall() for name, query in ROWS.items()}
        seen.append((printed, rows))
    (python_printed, python_rows), (quick_printed, quick_rows) = seen
    assert quick_rows == python_rows
    assert all(python_rows.values()), "a table without a row compares nothing"
    assert quick_printed == python_printed
    assert sum(b"memfold-context" in said for _, said, _ in quick_printed) == 3


class Listener:
    """Listens where a daemon would; keeps what came and answers each with the same bytes."""

    def __init__(self, home: Path, answer: bytes | None) -> None:
        self.requests: list[bytes] = []
        self._answer = answer
        self._path = home / wire.SOCKET
        home.mkdir(mode=0o700, exist_ok=True)
        self._socket = socket.socket(socket.AF_UNIX)
        before = Path.cwd()
        os.chdir(home)  # a path of pytest is too long for an address
        self._socket.bind(wire.SOCKET)
        os.chdir(before)
        self._socket.listen(4)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                peer, _ = self._socket.accept()
            except OSError:
                return
            with peer, contextlib.suppress(OSError):
                self.requests.append(_request(peer))
                if self._answer is None:
                    peer.recv(1)  # says nothing until the other end gives up
                else:
                    peer.sendall(self._answer)

    def close(self) -> None:
        self._path.unlink()
        self._socket.shutdown(socket.SHUT_RDWR)  # wakes who waits for a caller
        self._socket.close()
        self._thread.join()


def _request(peer: socket.socket) -> bytes:
    with peer.makefile("rb") as stream:
        lines = []
        while (line := stream.readline()) not in {b"\r\n", b""}:
            lines.append(line)
        (size,) = [int(line.split()[1]) for line in lines if line.startswith(b"Content-Length")]
        return b"".join(lines) + b"\r\n" + stream.read(size)


@contextlib.contextmanager
def listening(home: Path, answer: bytes | None) -> Iterator[Listener]:
    listener = Listener(home, answer)
    try:
        yield listener
    finally:
        listener.close()


@pytest.fixture
def here() -> Iterator[Running]:
    """In a data directory of a short name: where the socket's path is long, Python rings alone."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder, "m"), quick.PERL) as made:
        yield made


def answered(body: bytes, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


BODIES = {
    "empty": b"",
    "every byte": bytes(range(256)),
    "no last line end": b'{"a": 1}',
    "line ends": b"\r\n\r\n\n\n",
    "a pipe's worth": b"\x00x" * 2_048,
    "ten megabytes": bytes(range(256)) * 40_960,
}


@pytest.mark.parametrize("name", BODIES)
def test_the_daemon_gets_the_bytes_and_so_does_python(
    here: Running, tmp_path: Path, name: str
) -> None:
    body = BODIES[name]
    answer = bytes(range(256)) * 100
    with listening(here.home, answered(answer)) as listener:
        assert ring(here, body) == (0, answer, b"")
    (request,) = listener.requests
    head, _, got = request.partition(b"\r\n\r\n")
    assert got == body
    assert head.startswith(b"POST /hook/claude-code HTTP/1.1\r\n")
    # Nobody listens any more: the words behind the quick hook are run, and get the same bytes.
    python = tmp_path / "it's a `python`"
    python.write_text(ECHO)
    python.chmod(0o755)
    done = subprocess.run(
        Runner(str(python), perl=quick.PERL).hook("claude-code"),
        input=body,
        env=here.env(),
        capture_output=True,
        timeout=BOUND_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, body)
    said = Path(f"{python}.words").read_text().splitlines()
    assert said == ["-I", "-S", str(programs.doorbell()), "claude-code"]


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (answered(b"", "503 Service Unavailable"), 1),
        (answered(b"no", "500 Internal Server Error"), 1),
        (answered(b"", "400 Bad Request"), 0),
        (answered(b"", "413 Content Too Large"), 0),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", 1),
        (b"HTTP/1.1 200 OK\r\n\r\nof no length", 1),
        (b"220 mail.example ESMTP\r\n", 1),
        (b"", 1),
        (None, 1),
    ],
    ids=["busy", "lost", "refused", "large", "half", "no length", "mail", "closed", "silent"],
)
def test_who_rang_in_vain_keeps_the_event_once_and_does_not_ring_again(
    here: Running, tmp_path: Path, answer: bytes | None, kept: int
) -> None:
    body = json.dumps(tool_use(1, tmp_path)).encode()
    with listening(here.home, answer) as listener:
        assert ring(here, body) == (0, b"", b"")
    (request,) = listener.requests
    waiting = here.spooled()
    assert len(waiting) == kept
    for path in waiting:
        event = spool.read(path)
        assert (event.host, json.loads(event.body)) == ("claude-code", json.loads(body))
        assert f"X-Memfold-At: {event.at_ms}\r\n".encode() in request, "the same moment, so one row"


def test_what_stands_in_the_environment_changes_nothing(here: Running, tmp_path: Path) -> None:
    here.start()
    (tmp_path / "Time").mkdir()
    (tmp_path / "Time" / "HiRes.pm").write_text('die "not yours";')
    strange = {
        "PERL5OPT": "-Mno_such_module",
        "PERL5LIB": str(tmp_path),
        "PERL_UNICODE": "SDA",
        "LC_ALL": "xx_YY.UTF-8",
        "BASH_ENV": "/nonexistent",
        "PATH": ".:/nonexistent:/tmp",
    }
    body = json.dumps(session_start(tmp_path)).encode()
    plain = ring(here, body)[:2]
    assert b"memfold-context" in plain[1]
    assert ring(here, body, env=strange)[:2] == plain
    here.end()
    code, printed, _ = ring(here, body, env=strange | {"PATH": os.environ["PATH"]})
    assert (code, b"memfold-context" in printed) == (0, True), "and Python is handed over to"


def test_a_session_of_our_own_observer_is_not_remembered(here: Running, tmp_path: Path) -> None:
    with listening(here.home, answered(b"here")) as listener:
        mark = {hook.MARK.decode(): "1"}
        assert ring(here, b"{}", env=mark) == (0, b"", b"")
        assert listener.requests == []
    assert ring(here, b"{}", env=mark) == (0, b"", b"")
    assert here.spooled() == []


def test_a_read_is_asked_about_and_in_doubt_let_through(here: Running, tmp_path: Path) -> None:
    """As gate.py does: nothing is kept, nothing is started."""
    (tmp_path / "python").write_text(ECHO)
    (tmp_path / "python").chmod(0o755)
    command = Runner(str(tmp_path / "python"), perl=quick.PERL).gate("claude-code")

    def asked() -> bytes:
        done = subprocess.run(
            command, input=b"{}", env=here.env(), capture_output=True, timeout=BOUND_S, check=True
        )
        assert done.stderr == b""
        return done.stdout

    with listening(here.home, answered(b'{"deny": 1}')) as listener:
        assert asked() == b'{"deny": 1}'
    assert listener.requests[0].startswith(b"POST /gate/claude-code HTTP/1.1\r\n")
    with listening(here.home, None):
        assert asked() == b""
    assert asked() == b""
    assert not (tmp_path / "python.words").exists()
    assert here.spooled() == []


def test_the_two_languages_agree() -> None:
    """What the quick hook says in Perl is what the others say in Python."""
    text = quick.program().read_text("ascii")
    said = dict(re.findall(r"^my \$(\w+)\s*=\s*'?([\w.]+)'?;", text, re.MULTILINE))
    assert said["VERSION"] == wire.VERSION
    assert int(said["PROTOCOL"]) == wire.PROTOCOL
    assert float(said["CAPTURE_S"]) == hook.CAPTURE_S
    assert float(said["CONTEXT_S"]) == hook.CONTEXT_S
    assert float(said["GATE_S"]) == gate.GATE_S
    starts = re.search(r"\$STARTS\s*=\s*qr/(.*)/;", text)
    assert starts is not None
    assert tuple(starts[1].replace("\\", "").encode().split(b"|")) == hook.STARTS
    assert f"'/{wire.SOCKET}'" in text
    assert f"$ENV{{{hook.MARK.decode()}}}" in text


@pytest.mark.parametrize("perl", ["/bin/true", "/bin/cat", "/nonexistent/perl"])
def test_what_does_not_ring_is_not_used(perl: str) -> None:
    assert quick.rings(quick.PERL)
    assert not quick.rings(perl)
