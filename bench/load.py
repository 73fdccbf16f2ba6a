"""What load does to a daemon: many sessions at once, very large payloads, a very long session.

Over the Unix socket, as the doorbell does it, without the doorbell's process: what is refused is
spooled, and counted. Bounded in count and time; run it again before believing a difference.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from memfold import wire
from memfold.hook import launch, spool

LIMIT_S = 300.0  # for any one part
BUDGET_S = 1.0  # how long a hook waits, as in the doorbell


def event(number: int, session: str, folder: str, size: int) -> bytes:
    """A PostToolUse with a response of about ``size`` bytes."""
    line = "a line of output, as a build prints them\n"
    return json.dumps(
        {
            "session_id": session,
            "transcript_path": "",
            "cwd": folder,
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": f"make step-{number}"},
            "tool_response": {"stdout": line * (size // len(line) + 1), "stderr": ""},
            "tool_use_id": f"toolu_{session}_{number:08d}",
        }
    ).encode()


class Load:
    """One daemon under load."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.spooled = 0
        self._lock = threading.Lock()
        self._peak = 0

    def ring(self, body: bytes, timeout_s: float) -> None:
        try:
            status, _ = wire.request("POST", "/hook/claude-code", body, timeout_s=timeout_s)
        except OSError:
            status = 0
        if status != 200:
            spool.keep(self.home, "claude-code", time.time_ns() // 1_000_000, body)
            with self._lock:
                self.spooled += 1

    def status(self) -> dict[str, Any]:
        return dict(json.loads(wire.request("GET", "/status", timeout_s=60)[1]))

    def settled(self, tool_uses: int) -> dict[str, Any]:
        """Status once so many are stored and nothing waits in the spool."""
        until = time.monotonic() + LIMIT_S
        while True:
            status = self.status()
            if status["tool_uses"] >= tool_uses and not status["spooled"]:
                return status
            assert time.monotonic() < until, status
            time.sleep(0.1)

    def peak_mb(self) -> float:
        """The most memory the daemon ever held (Linux), or holds now."""
        try:
            text = Path(f"/proc/{self.status()['pid']}/status").read_text("ascii")
            line = next(line for line in text.splitlines() if line.startswith("VmHWM"))
            return int(line.split()[1]) / 1000
        except OSError:
            return float(self.status()["rss_bytes"]) / 1e6


def part(load: Load, name: str, bodies: list[list[bytes]], stored: int, timeout_s: float) -> int:
    """Each list is one session, all at once; the tool uses stored after it."""
    before = load.spooled
    began = time.perf_counter()

    def session(events: list[bytes]) -> None:
        for body in events:
            load.ring(body, timeout_s)

    with ThreadPoolExecutor(len(bodies)) as pool:
        list(pool.map(session, bodies))
    rung_s = time.perf_counter() - began
    count = sum(map(len, bodies))
    status = load.settled(stored + count)
    whole_s = time.perf_counter() - began
    print(
        f"{name:34} {count:9} {count / rung_s:7.0f}/s {load.spooled - before:9} {whole_s:8.1f}s"
        f" {load.peak_mb():7.0f}MB {status['rss_bytes'] / 1e6:7.0f}MB"
    )
    return stored + count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--each", type=int, default=20, help="tool uses of each session")
    parser.add_argument("--large", type=int, default=4, help="payloads of 50 MB, all at once")
    parser.add_argument("--long", type=int, default=20_000, help="tool uses of one session")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        os.environ.update(MEMFOLD_HOME=home, MEMFOLD_SEMANTIC="no")
        launch.start(home)
        while not Path(home, wire.SOCKET).exists():
            time.sleep(0.01)
        load = Load(home)
        titles = ("events", "rung", "spooled", "stored in", "peak", "now")
        print(f"{'':34}", *(f"{title:>9}" for title in titles))
        many = [
            [event(number, f"many-{at}", folder, 4_000) for number in range(options.each)]
            for at in range(options.sessions)
        ]
        done = part(load, f"{options.sessions} sessions at once, 4 KB", many, 0, BUDGET_S)
        long = [[event(number, "long", folder, 1_000) for number in range(options.long)]]
        done = part(load, f"one session of {options.long}, 1 KB", long, done, BUDGET_S)
        large = [[event(at, f"large-{at}", folder, 50_000_000)] for at in range(options.large)]
        done = part(load, f"{options.large} payloads of 50 MB at once", large, done, 60.0)
        print(f"stored: {load.status()['tool_uses']} of {done}")
        wire.request("POST", "/stop", timeout_s=10)


if __name__ == "__main__":
    main()
