"""A real daemon and real hooks over a throwaway data directory."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memfold import wire
from memfold.hook import launch
from memfold.hosts import quick
from memfold.hosts.programs import Runner

PLAIN = {"MEMFOLD_SEMANTIC": "no"}  # the same with and without the extra
BOUND_S = 30.0  # for anything a test waits for
# Both ways a hook rings: Python alone, and the quick hook before it.
WAYS = [
    pytest.param("", id="python"),
    pytest.param(
        quick.PERL,
        id="quick",
        marks=pytest.mark.skipif(not quick.perl(), reason=f"no {quick.PERL} that rings here"),
    ),
]


def bell(*words: str, perl: str = "") -> list[str]:
    """The real doorbell of a host, and of an event where the host does not name it."""
    host, *event = words
    return [*Runner(sys.executable, perl=perl).hook(host), *event]


def ends(pid: int) -> bool:
    """Whether a process that was killed is gone within BOUND_S, or only waits to be buried."""
    until = time.monotonic() + BOUND_S
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except ProcessLookupError:
            return True
        except FileNotFoundError:  # no /proc here, or gone between the two
            pass
        time.sleep(0.02)
    return False


class Running:
    """One data directory. ``end`` leaves no process behind."""

    def __init__(self, home: Path, perl: str = "") -> None:
        self.home = home
        self.perl = perl  # runs the quick hook; empty for Python alone

    def env(self) -> dict[str, str]:
        return {**os.environ, "MEMFOLD_HOME": str(self.home), "MEMFOLD_TIMEZONE": "UTC", **PLAIN}

    def start(self) -> int:
        """A daemon answers when this returns; its process id.

        None is started beside one that runs: on a busy machine it could come to its lock only
        after that one was told to end, and then stay.
        """
        if not self.answers():
            launch.start(str(self.home))
        return self.pid()

    def pid(self) -> int:
        return int(self.status()["pid"])

    def status(self) -> dict[str, Any]:
        """What the daemon says, once it says anything."""
        return dict(json.loads(self.ask("GET", "/status")))

    def ask(self, method: str, path: str, body: bytes = b"") -> bytes:
        until = time.monotonic() + BOUND_S
        while True:
            try:
                folder = str(self.home)
                return wire.request(method, path, body, folder=folder, timeout_s=BOUND_S)[1]
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def once(self, method: str, path: str, body: bytes = b"") -> bytes:
        """One try. Raises OSError when no daemon answers."""
        return wire.request(method, path, body, folder=str(self.home), timeout_s=BOUND_S)[1]

    def answers(self) -> bool:
        try:
            return wire.request("GET", "/health", folder=str(self.home))[0] == 200
        except OSError:
            return False

    def hook(
        self, payload: dict[str, Any] | bytes, host: str = "claude-code", timeout_s: float = BOUND_S
    ) -> subprocess.CompletedProcess[bytes]:
        """One event, by the real doorbell."""
        return subprocess.run(
            bell(host, perl=self.perl),
            input=payload if isinstance(payload, bytes) else json.dumps(payload).encode(),
            env=self.env(),
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )

    def spooled(self) -> list[Path]:
        return sorted((self.home / "spool").glob("*.evt"))

    def kill(self) -> None:
        os.kill(self.pid(), signal.SIGKILL)

    def settled(self, tool_uses: int) -> dict[str, Any]:
        """Status once the spool is empty and so many tool uses are stored."""
        until = time.monotonic() + BOUND_S
        while True:
            status = self.status()
            if not status["spooled"] and status["tool_uses"] >= tool_uses:
                return status
            assert time.monotonic() < until, status
            time.sleep(0.02)

    def end(self) -> None:
        with contextlib.suppress(OSError):
            wire.request("POST", "/stop", folder=str(self.home), timeout_s=5)
        until = time.monotonic() + BOUND_S
        while self.answers() and time.monotonic() < until:
            time.sleep(0.01)


@contextlib.contextmanager
def running(home: Path, perl: str = "") -> Iterator[Running]:
    here = Running(home, perl)
    try:
        yield here
    finally:
        here.end()


def tool_use(number: int, cwd: Path, session: str = "s1", **more: Any) -> dict[str, Any]:
    """A PostToolUse payload of its own."""
    return {
        "session_id": session,
        "transcript_path": "",
        "cwd": str(cwd),
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": f"make step-{number}"},
        "tool_response": {"stdout": f"step {number} done", "stderr": ""},
        "tool_use_id": f"toolu_{number:06d}",
        "duration_ms": 5,
        **more,
    }


def session_start(cwd: Path, session: str = "s1", source: str = "startup") -> dict[str, Any]:
    return {
        "session_id": session,
        "transcript_path": "",
        "cwd": str(cwd),
        "hook_event_name": "SessionStart",
        "source": source,
    }
