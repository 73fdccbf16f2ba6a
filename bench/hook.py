"""What a hook costs by either way, how fast a cold daemon answers, and what an idle one uses.

Whole processes, timed from posix_spawn to wait, the compared commands interleaved. Medians of
many on a noisy machine; run it again before believing a difference.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from memfold import wire
from memfold.front import rss_bytes
from memfold.hook import launch
from memfold.hosts import quick

HOOK = Path(wire.__file__).parent / "hook" / "hook.py"
GOAL_RATIO, GOAL_QUICK_RATIO = 1.6, 0.9
GOAL_COLD_MS, GOAL_RSS_MB, GOAL_CPU_PERCENT = 350, 60, 0.2


def payload(number: int, folder: str) -> bytes:
    """A PostToolUse as Claude Code sends it, about 4 KB."""
    return json.dumps(
        {
            "session_id": "bench",
            "transcript_path": "",
            "cwd": folder,
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "ls -la", "description": "list"},
            "tool_response": {"stdout": "a line of output\n" * 220, "stderr": ""},
            "tool_use_id": f"toolu_{number:08d}",
            "duration_ms": 12,
        }
    ).encode()


def timed(command: list[str], stdin: Path) -> tuple[float, bytes]:
    """(ms of the whole process, its stdout)."""
    with tempfile.TemporaryFile() as out:
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, str(stdin), os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, out.fileno(), 1),
        ]
        began = time.perf_counter()
        child = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
        _, status = os.waitpid(child, 0)
        took_ms = (time.perf_counter() - began) * 1000
        assert status == 0
        out.seek(0)
        return took_ms, out.read()


def stop(home: str) -> None:
    """End the daemon; its process is gone when this returns.

    One that ends closes its socket first and its store last. A daemon started between the two
    waits for the lock, and that wait is no part of a cold start.
    """
    pid = json.loads(wire.request("GET", "/status", folder=home, timeout_s=5)[1])["pid"]
    wire.request("POST", "/stop", folder=home, timeout_s=5)
    while Path(f"/proc/{pid}").exists():
        time.sleep(0.005)


def hook_cost(home: str, runs: int, folder: str) -> list[float]:
    """Median ms of bare Python, of the hook, and of the quick hook where it rings here:
    interleaved, daemon warm, commit included."""
    file = Path(folder, "payload.json")
    hook = [sys.executable, "-I", "-S", str(HOOK), "claude-code"]
    commands = [[sys.executable, "-I", "-S", "-c", "pass"], hook]
    if perl := quick.perl():
        commands.append([*quick.words(perl), *hook])
    took: list[list[float]] = [[] for _ in commands]
    for number in range(runs + 5):
        for way, command in enumerate(commands):
            file.write_bytes(payload(number * len(commands) + way, folder))
            ms, _ = timed(command, file)
            if number >= 5:
                took[way].append(ms)
    status = json.loads(wire.request("GET", "/status", folder=home, timeout_s=5)[1])
    assert status["tool_uses"] == (runs + 5) * (len(commands) - 1), status
    assert status["spooled"] == 0, status
    return [statistics.median(values) for values in took]


def cold_start(home: str, runs: int, folder: str) -> float:
    """Median ms from no daemon to the context a SessionStart hook prints."""
    file = Path(folder, "start.json")
    start = {"session_id": "cold", "cwd": folder, "hook_event_name": "SessionStart"}
    file.write_text(json.dumps({**start, "source": "startup"}))
    took = []
    for _ in range(runs):
        stop(home)
        ms, printed = timed([sys.executable, "-I", "-S", str(HOOK), "claude-code"], file)
        assert b"memfold-context" in printed
        took.append(ms)
    return statistics.median(took)


def idle(home: str, seconds: int) -> tuple[float, float]:
    """(MB held, percent of a core) of a daemon nobody rings."""
    status = json.loads(wire.request("GET", "/status", folder=home, timeout_s=5)[1])
    stat = Path(f"/proc/{status['pid']}/stat")
    before = ticks(stat)
    time.sleep(seconds)
    used = (ticks(stat) - before) / os.sysconf("SC_CLK_TCK")
    return status["rss_bytes"] / 1e6, used / seconds * 100


def ticks(stat: Path) -> int:
    fields = stat.read_text("ascii").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--idle-seconds", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = str(Path(folder, "home"))
        os.environ["MEMFOLD_HOME"] = home
        launch.start(home)
        while not Path(home, wire.SOCKET).exists():
            time.sleep(0.01)
        bare, hook, *quicker = hook_cost(home, options.runs, folder)
        cold = cold_start(home, 11, folder)
        memory, cpu = idle(home, options.idle_seconds)
        stop(home)
    print(f"{'figure':44} {'value':>10} {'goal':>10}")
    print(f"{'bare python -I -S -c pass, median':44} {bare:8.1f}ms")
    print(f"{'hook, whole process, commit included':44} {hook:8.1f}ms")
    print(f"{'ratio':44} {hook / bare:10.2f} {GOAL_RATIO:>10}")
    for ms in quicker:
        print(f"{'quick hook, the same':44} {ms:8.1f}ms")
        print(f"{'ratio':44} {ms / bare:10.2f} {GOAL_QUICK_RATIO:>10}")
    print(f"{'cold daemon to printed context, median':44} {cold:8.0f}ms {GOAL_COLD_MS:>8}ms")
    print(f"{'idle daemon, memory':44} {memory:8.1f}MB {GOAL_RSS_MB:>8}MB")
    print(f"{'idle daemon, CPU':44} {cpu:9.2f}% {GOAL_CPU_PERCENT:>9}%")
    print(f"(this benchmark itself holds {rss_bytes() / 1e6:.0f} MB)")


if __name__ == "__main__":
    main()
