"""The gate and the index of symbols through real hooks, a real daemon and the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from repositories import Repository
from running import Running, running
from terminal import Terminal

from memfold.hosts import quick
from memfold.hosts.programs import Runner

LINES = 1_500
CODE = "".join(f"def part_{n}(value: int) -> int:\n    return value + {n}\n" for n in range(LINES))


class Desk(Terminal):
    def __init__(self, here: Running, place: Path) -> None:
        super().__init__(here, place)
        self.file = place / "pool.py"

    def remember(self) -> None:
        """A note about the file, newer than the file."""
        old = time.time() - 3_600
        os.utime(self.file, (old, old))
        args = json.dumps({"title": "The pool keeps two connections", "files": [str(self.file)]})
        self.said("call", "memory_note", args)

    def read(self, path: Path | None = None, session: str = "s1", **more: Any) -> dict[str, Any]:
        """What the hook before a read says; nothing where it lets it through."""
        payload = {
            "session_id": session, "cwd": str(self.cwd), "transcript_path": "",
            "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_use_id": "toolu_1",
            "tool_input": {"file_path": str(path or self.file), **more},
        }  # fmt: skip
        done = self.bell(payload)
        assert (done.returncode, done.stderr) == (0, b"")
        answer: dict[str, Any] = (
            json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
        )
        return answer

    def told(self, name: str = "told") -> tuple[str, dict[str, Any]]:
        """The first session that is told something, and what: a busy machine is late at times."""
        for number in range(50):
            if answer := self.read(session=f"{name}{number}"):
                return f"{name}{number}", answer
        raise AssertionError("fifty reads were let through")

    def counted(self, reason: str, **read: Any) -> None:
        """The read is let through for this reason; one that was late is not counted."""
        before = self.decided()
        for _ in range(50):
            assert self.read(**read) == {}
            if since := self.decided() - before:
                assert since == Counter({("allow", reason): 1})
                return
        raise AssertionError("fifty reads were late")

    def decided(self) -> Counter[tuple[str, str]]:
        told = json.loads(self.said("gate", "--json"))
        return Counter({(one["kind"], one["reason"]): one["count"] for one in told["counts"]})

    def bell(self, payload: dict[str, Any]) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            Runner(sys.executable, perl=self.here.perl).gate("claude-code"),
            input=json.dumps(payload).encode(),
            env=self.here.env(),
            capture_output=True,
            timeout=10,
            check=False,
        )


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    repo = Repository(tmp_path / "app")
    repo.commit("A pool", pool_py=CODE)
    with running(tmp_path / "home", quick.perl()) as here:
        made = Desk(here, repo.place)
        here.start()
        made.remember()
        yield made


def test_a_known_large_file_is_answered_with_its_outline_once(desk: Desk) -> None:
    session, answer = desk.told("first")
    assert answer["permissionDecision"] == "deny"
    reason = answer["permissionDecisionReason"]
    assert "part_0(value: int) -> int" in reason
    assert "The pool keeps two connections" in reason
    assert len(reason) <= 12_000
    desk.counted("asked twice", session=session)
    desk.told("second")
    desk.counted("a part", session="third", offset=10, limit=40)
    assert set(desk.decided()) == {
        ("block", "known and large"), ("allow", "asked twice"), ("allow", "a part"),
    }  # fmt: skip
    assert json.loads(desk.said("gate", "--json"))["saved_tokens"] > 0
    text = desk.said("gate")
    assert "block: " in text
    assert "tokens saved" in text
    blocks = desk.decided()["block", "known and large"]
    assert blocks >= 2
    assert json.loads(desk.said("status", "--json"))["gate"]["blocks"] == blocks


def test_titles_come_with_a_smaller_file_once_a_session(desk: Desk) -> None:
    desk.file.write_text(CODE[:9_000])
    desk.remember()
    session, answer = desk.told("first")
    assert "permissionDecision" not in answer
    assert "The pool keeps two connections" in answer["additionalContext"]
    desk.counted("below the threshold", session=session)
    desk.told("second")


def test_other_hosts_and_subagents_are_never_held_back(desk: Desk) -> None:
    common = {
        "session_id": "s1", "cwd": str(desk.cwd), "hook_event_name": "PreToolUse",
        "tool_name": "Read", "tool_input": {"file_path": str(desk.file)},
    }  # fmt: skip
    for more in (
        {"agent_id": "a1", "agent_type": "Explore"},
        {"conversation_id": "c1", "cursor_version": "2"},
        {"tool_name": "Grep"},
        {"hook_event_name": "PostToolUse"},
        {"tool_input": {"file_path": str(desk.file), "offset": "x"}},
        {"tool_input": None},
    ):
        assert desk.bell({**common, **more}).stdout == b"", more
    desk.told()


def test_a_daemon_that_hangs_or_is_gone_lets_the_read_through(desk: Desk) -> None:
    pid = json.loads(desk.said("status", "--json"))["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        assert desk.read(session="s5") == {}
    finally:
        os.kill(pid, signal.SIGCONT)
    desk.here.end()
    assert desk.read(session="s6") == {}
    assert not list((desk.here.home / "spool").glob("*.evt")), "nothing is kept for a question"


def test_symbols_are_found_and_follow_the_files(desk: Desk) -> None:
    found = json.loads(desk.said("symbols", "part_7", "--limit", "1", "--json"))
    (hit,) = found["hits"]
    assert (hit["path"], hit["line"], hit["name"]) == ("pool.py", 15, "part_7")
    assert desk.said("symbols", "part_7", "--limit", "1").startswith("pool.py:15-16 function")
    desk.file.write_text("class Pool:\n    def part_7(self): ...\n")
    (hit, *_) = json.loads(desk.said("symbols", "Pool.part_7", "--json"))["hits"]
    assert (hit["line"], hit["parent"], hit["kind"]) == (2, "Pool", "method")
    assert desk.run("symbols", "nothing_of_the_kind").returncode == 1
    done = desk.run("symbols", "x" * 300)
    assert "1 to 200" in done.stderr
    secret = "ghp_" + "Zx81LmQ0vT" * 3 + "aB3dE9"
    (desk.cwd / "keys.py").write_text(f'def key(value="{secret}"): ...\n')
    assert "keys.py" in desk.said("symbols", "key")
    desk.here.end()
    for file in desk.here.home.rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes(), file
