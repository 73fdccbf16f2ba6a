"""A model observer with a real daemon: killed in the middle of a call, and what a person sees."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import BOUND_S, Running, bell, running, tool_use
from scripted_model import Scripted, fails, hangs, observes, says, scripted

KEY = "sk-test-of-the-observer"


class Watched(Running):
    """A daemon whose observer is a scripted model."""

    def __init__(self, home: Path, cwd: Path, server: Scripted) -> None:
        super().__init__(home)
        self.cwd, self.server = cwd, server
        self.more: dict[str, str] = {}

    def env(self) -> dict[str, str]:
        return {
            **super().env(),
            "MEMFOLD_OBSERVER": "anthropic",
            "MEMFOLD_OBSERVER_BASE_URL": self.server.url,
            "MEMFOLD_OBSERVER_KEY": KEY,
            "MEMFOLD_OBSERVER_WAIT_S": "0",
            **self.more,
        }

    def run(self, *args: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", "from memfold.cli.main import main; main()", *args],
            cwd=self.cwd, env=self.env(), capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def turn(self, uses: int = 4) -> None:
        """A turn that teaches the built-in observer nothing, and its end."""
        for number in range(uses):
            assert self.hook(tool_use(number, self.cwd)).returncode == 0
        self.hook(
            {
                "session_id": "s1",
                "transcript_path": "",
                "cwd": str(self.cwd),
                "hook_event_name": "Stop",
            }
        )

    def until(self, state: str, number: int) -> dict[str, Any]:
        until = time.monotonic() + BOUND_S
        while True:
            told = json.loads(self.ask("GET", "/observer"))
            if told["queue"][state] == number:
                return dict(told)
            assert time.monotonic() < until, told
            time.sleep(0.02)


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    return made


def watched(tmp_path: Path, cwd: Path, server: Scripted) -> Watched:
    return Watched(tmp_path / "home", cwd, server)


@pytest.fixture
def ended(tmp_path: Path) -> Iterator[None]:
    yield
    with running(tmp_path / "home"):
        pass


@pytest.mark.usefixtures("ended")
def test_a_daemon_killed_in_the_middle_of_a_call_repeats_that_one(
    tmp_path: Path, cwd: Path
) -> None:
    with scripted(hangs, says(observes)) as server:
        here = watched(tmp_path, cwd, server)
        here.run("start")
        here.turn()
        assert server.asked.wait(BOUND_S)
        here.kill()
        here.run("start")
        told = here.until("done", 1)
        assert len(server.requests) == 2
        assert server.requests[0] == server.requests[1]
        assert sorted(call["outcome"] for call in told["calls"]) == ["ok", "open"]
        status = here.status()
        assert (status["observations"], status["waiting"]) == (1, 0)
        assert "anthropic/claude-haiku-4-5" in here.run("status")
        for file in here.home.rglob("*"):
            assert not file.is_file() or KEY.encode() not in file.read_bytes()


@pytest.mark.usefixtures("ended")
def test_the_end_of_a_daemon_does_not_wait_for_a_model(tmp_path: Path, cwd: Path) -> None:
    with scripted(hangs, says(observes)) as server:
        here = watched(tmp_path, cwd, server)
        here.run("start")
        here.turn()
        assert server.asked.wait(BOUND_S)
        here.run("stop")
        here.run("start")
        here.until("done", 1)
        assert len(server.requests) == 2


@pytest.mark.usefixtures("ended")
def test_a_person_sees_the_budget_and_the_last_failure(tmp_path: Path, cwd: Path) -> None:
    with scripted(fails(401)) as server:
        here = watched(tmp_path, cwd, server)
        here.run("start")
        here.turn()
        assert server.asked.wait(BOUND_S)
        told = here.run("observer")
        assert "1 waiting" in told or "1 waiting" in here.run("observer")
        until = time.monotonic() + BOUND_S
        while "the key is missing or not accepted" not in told:
            assert time.monotonic() < until, told
            told = here.run("observer")
        assert "of 200,000 tokens and $0.00 of $0.50" in told
        assert "nothing is sent now: " in told
        assert KEY not in told


@pytest.mark.usefixtures("ended")
def test_a_wrong_setting_costs_the_model_not_the_memory(tmp_path: Path, cwd: Path) -> None:
    with scripted(hangs) as server:
        here = watched(tmp_path, cwd, server)
        here.more = {"MEMFOLD_OBSERVER": "oracle"}
        here.run("start")
        here.turn()
        assert here.settled(4)["tool_uses"] == 4
        assert "WRONG observer: oracle is not used. `observer` is 'oracle'." in here.run("status")
        assert not server.requests


@pytest.mark.usefixtures("ended")
def test_reobserve_shows_old_turns_to_the_model(tmp_path: Path, cwd: Path) -> None:
    with scripted(says(observes)) as server:
        here = watched(tmp_path, cwd, server)
        here.more = {"MEMFOLD_OBSERVER": "builtin"}
        here.run("start")
        here.turn()
        here.settled(4)
        until = time.monotonic() + BOUND_S
        while here.status()["waiting"]:
            assert time.monotonic() < until
            time.sleep(0.02)
        assert "0 observations changed" in here.run("reobserve")
        assert "Nothing to look at" in here.run("reobserve")
        here.run("stop")
        here.more = {}
        dry = here.run("reobserve", "--dry-run")
        assert "1 turn would be shown to the model" in dry
        assert not server.requests
        assert json.loads(here.run("reobserve", "--json"))["asked"] == 1
        here.until("done", 1)
        assert here.status()["observations"] == 1
        assert len(server.requests) == 1


def test_the_hook_is_silent_in_the_observers_own_session(tmp_path: Path, cwd: Path) -> None:
    here = Running(tmp_path / "home")
    done = subprocess.run(
        bell("claude-code"),
        input=json.dumps(tool_use(1, cwd)).encode(),
        env={**here.env(), "MEMFOLD_OBSERVING": "1"},
        capture_output=True, check=False, timeout=30,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"")
    assert not here.home.exists()
