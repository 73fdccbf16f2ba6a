"""What a daemon goes through in long use: a soak with restarts, a storm of hooks, a jumping clock.

Each returns what was seen; the tests demand what must hold in a short run, `bench/endure.py` prints
the figures of a long one.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from running import BOUND_S, Running, bell, running, session_start, tool_use

from memfold import wire
from memfold.front import Front
from memfold.hook import away
from memfold.store.sqlite.store import SqliteStore

SETTLED_S = 300.0  # how long what is behind may take


def stored_keys(home: Path) -> Counter[str]:
    """How often each tool use lies in the store of a daemon that has ended."""
    store = SqliteStore.open(home / wire.DATABASE)
    try:
        ids = range(1, store.counts().tool_uses + 1_000)
        return Counter(use.key for use in store.tool_uses(ids, None))
    finally:
        store.close()


def daemons(home: Path) -> list[int]:
    """Processes that run a daemon over this data directory (Linux), whoever started them."""
    wanted = [b"memfold.daemon", b"--home", str(home).encode()]
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if all(word in words for word in wanted):
                found.append(int(folder.name))
    return found


@dataclass(slots=True)
class Soaked:
    """What a soak left behind."""

    sent: int = 0
    spooled: int = 0  # that met no daemon, or a busy one
    restarts: int = 0
    lost: int = 0
    doubled: int = 0
    observations: int = 0
    most_processes: int = 0
    slope_mb_an_hour: float = 0.0  # of the last daemon's memory, over the quiet half
    first_mb: float = 0.0
    last_mb: float = 0.0
    descriptors: tuple[int, int] = (0, 0)  # first and last of the quiet half
    bytes_a_tool_use: float = 0.0
    worst_ms: float = 0.0  # the longest that a hook waited


def soak(  # the measures of a soak
    home: Path,
    folder: Path,
    *,
    seconds: float,
    rate: float = 30.0,
    sessions: int = 50,
    restarts: int = 4,
    seed: int = 1,
) -> Soaked:
    """``rate`` events a second over ``sessions``, for ``seconds``.

    Restarts, every other one a SIGKILL, fall into the first half; memory and descriptors are
    looked at in the second, in which one daemon lives on.
    """
    seen = Soaked()
    with patch.dict(os.environ, {"MEMFOLD_HOME": str(home)}), running(home) as here:
        with patch.dict(os.environ, here.env()):  # a daemon that a hook starts takes ours
            here.start()
            empty = _database_bytes(home)
            _soak(here, folder, seen, seconds=seconds, rate=rate, sessions=sessions,
                  restarts=restarts, chance=random.Random(seed))  # fmt: skip
            here.start()
            status = _settled(here, seen.sent)
        seen.observations = int(status["observations"])
        here.end()
        _gone(home)
    keys = stored_keys(home)
    seen.lost = seen.sent - len(keys)
    seen.doubled = keys.total() - len(keys)
    seen.bytes_a_tool_use = (_database_bytes(home) - empty) / max(seen.sent, 1)
    return seen


def _soak(  # as above
    here: Running,
    folder: Path,
    seen: Soaked,
    *,
    seconds: float,
    rate: float,
    sessions: int,
    restarts: int,
    chance: random.Random,
) -> None:
    ends = [seconds / 2 * chance.random() for _ in range(restarts)]
    ends.sort(reverse=True)
    samples: list[tuple[float, float, int]] = []  # s, MB, descriptors
    looked_s = 0.0
    locking = threading.Lock()

    def one(body: bytes) -> None:
        began = time.perf_counter()
        kept = ring(body)
        took_ms = (time.perf_counter() - began) * 1000
        with locking:
            seen.spooled += kept
            seen.worst_ms = max(seen.worst_ms, took_ms)

    began = time.monotonic()
    with ThreadPoolExecutor(16) as pool:
        for body in soak_events(folder, sessions):
            passed = time.monotonic() - began
            if passed >= seconds:
                break
            if ends and passed >= ends[-1]:
                ends.pop()
                pool.submit(_end_somehow, here, seen.restarts % 2 == 1)
                seen.restarts += 1
            if passed - looked_s >= min(1.0, seconds / 20):
                looked_s = passed
                seen.most_processes = max(seen.most_processes, len(daemons(here.home)))
                if passed > seconds / 2 and here.answers():
                    samples.append((passed, *_held(here)))
            seen.sent += b'"PostToolUse"' in body
            pool.submit(one, body)
            time.sleep(max(0.0, began + (seen.sent + 1) / rate - time.monotonic()))
    seen.most_processes = max(seen.most_processes, len(daemons(here.home)))
    if len(samples) > 1:
        line = statistics.linear_regression([s for s, _, _ in samples], [m for _, m, _ in samples])
        seen.slope_mb_an_hour = line.slope * 3600
        seen.first_mb, seen.last_mb = samples[0][1], samples[-1][1]
        seen.descriptors = (samples[0][2], samples[-1][2])


def soak_events(folder: Path, sessions: int) -> Iterator[bytes]:
    """Payloads without end: sessions that begin, work, end a turn after ten calls, go on."""
    for number in range(sys.maxsize):
        session = f"soak-{number % sessions}"
        turn = number // sessions
        if turn == 0:
            yield json.dumps(session_start(folder, session)).encode()
        if turn % 10 == 0:
            prompt = {"hook_event_name": "UserPromptSubmit", "prompt": f"Please do part {turn}"}
            yield json.dumps({**session_start(folder, session), **prompt}).encode()
        output = "".join(f"unit {number}-{at}: compiled\n" for at in range(40))
        use = tool_use(number, folder, session)
        use["tool_response"] = {"stdout": output, "stderr": ""}
        yield json.dumps(edit(number, folder, session) if turn % 10 == 9 else use).encode()
        if turn % 10 == 9:
            yield json.dumps(turn_end(number, folder, session)).encode()


def edit(number: int, folder: Path, session: str) -> dict[str, Any]:
    """A call that teaches something: a function changed."""
    change = {
        "file_path": str(folder / f"unit_{number}.py"),
        "old_string": f"def step_{number}(retries):\n    return None\n",
        "new_string": f"def step_{number}(retries, limit):\n    return retries < limit\n",
    }
    use = tool_use(number, folder, session)
    return {**use, "tool_name": "Edit", "tool_input": change, "tool_response": change}


def turn_end(number: int, folder: Path, session: str) -> dict[str, Any]:
    """A Stop, with the agent's last words."""
    said = (
        f"Fixed the leak in `step_{number - 1}` of unit_{number - 1}.py: it gave nothing back after"
        f" a retry, so pool {number} ran empty. The tests of that unit pass now."
    )
    end = {"hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": said}
    return {**session_start(folder, session), **end}


def ring(body: bytes) -> bool:
    """What the doorbell does, without its process; whether the event was kept for later."""
    at_ms = time.time_ns() // 1_000_000
    trouble: OSError | None = None
    try:
        status, _ = wire.request(
            "POST", "/hook/claude-code", body, headers={"X-Memfold-At": str(at_ms)}, timeout_s=1.0
        )
    except OSError as error:
        status, trouble = 0, error
    if status == 200:
        return False
    away.take("claude-code", at_ms, body, status, trouble, starting=False)
    return True


def _end_somehow(here: Running, killed: bool) -> None:  # one of two ways
    with contextlib.suppress(OSError, ValueError, KeyError):  # it may be away already
        if killed:
            os.kill(int(json.loads(here.once("GET", "/status"))["pid"]), signal.SIGKILL)
        else:
            here.once("POST", "/stop")


@dataclass(slots=True)
class Storm:
    """What a storm of hooks over an absent daemon did."""

    hooks: int = 0
    failed: int = 0
    daemons: int = 0  # that ever served
    lost: int = 0
    doubled: int = 0
    spooled: int = 0  # seen once all hooks had ended
    wall_ms: list[float] = field(default_factory=list)  # of each hook, spawn to exit
    cpu_ms: list[float] = field(default_factory=list)
    bare_wall_ms: list[float] = field(default_factory=list)  # of as many bare Pythons
    bare_cpu_ms: list[float] = field(default_factory=list)


def storm(home: Path, folder: Path, hooks: int) -> Storm:
    """So many hooks at once with no daemon there, each a process of its own."""
    seen = Storm(hooks)
    with running(home) as here:
        for number in range(hooks):
            body = json.dumps(tool_use(number, folder, session=f"storm-{number % 50}"))
            (folder / f"{number}.json").write_text(body, "utf-8")
        env = here.env()
        bare = [sys.executable, "-I", "-S", "-c", "pass"]
        seen.bare_wall_ms, seen.bare_cpu_ms, _ = _at_once(bare, folder, hooks, env)
        hook = bell("claude-code")
        seen.wall_ms, seen.cpu_ms, seen.failed = _at_once(hook, folder, hooks, env)
        seen.spooled = len(here.spooled())
        _settled(here, hooks)
        seen.daemons = (home / "daemon.log").read_text("utf-8").count(" serves ")
        here.end()
        _gone(home)
    keys = stored_keys(home)
    seen.lost = hooks - len(keys)
    seen.doubled = keys.total() - len(keys)
    return seen


def _at_once(
    command: Sequence[str], folder: Path, count: int, env: dict[str, str]
) -> tuple[list[float], list[float], int]:
    """(wall ms of each, CPU ms of each, how many failed)."""
    began: dict[int, float] = {}
    wall, cpu, failed = [], [], 0
    for number in range(count):
        given = str(folder / f"{number}.json")
        actions = [(os.POSIX_SPAWN_OPEN, 0, given, os.O_RDONLY, 0)]
        at = time.perf_counter()
        began[os.posix_spawn(command[0], list(command), env, file_actions=actions)] = at
    for _ in range(count):
        child, status, used = os.wait3(0)
        while child not in began:  # somebody else's: a daemon's first half, in the tests' process
            child, status, used = os.wait3(0)
        wall.append((time.perf_counter() - began[child]) * 1000)
        cpu.append((used.ru_utime + used.ru_stime) * 1000)
        failed += status != 0
    return wall, cpu, failed


@dataclass(slots=True)
class Jumped:
    """What a clock that jumps did to what was captured."""

    jumps: int = 0
    sent: int = 0
    stored: int = 0
    observations: int = 0
    silent: list[str] = field(default_factory=list)  # jumps after which no context was shown
    retired: int = 0


HOUR_MS, DAY_MS = 3_600_000, 86_400_000
JUMPS = (
    ("an hour ahead", HOUR_MS),
    ("an hour back", -HOUR_MS),
    ("a day ahead", DAY_MS),
    ("two days back", -2 * DAY_MS),
    ("ten years ahead", 3_652 * DAY_MS),
    ("ten years back", -3_652 * DAY_MS),
    ("to 1970", 0),
    ("to now", 0),
)


def jumping_clock(home: Path, folder: Path, *, each: int = 20) -> Jumped:
    """A house in this process under a clock that jumps between turns of one session each."""
    seen = Jumped()
    now = [time.time_ns() // 1_000_000]
    real = now[0]
    home.mkdir(mode=0o700, exist_ok=True)
    with _clock(lambda: now[0]), patch.dict(os.environ, {"MEMFOLD_SEMANTIC": "no"}):
        for name, by_ms in (("now", 0), *JUMPS):
            now[0] = {"to 1970": 1_000, "to now": real}.get(name, now[0] + by_ms)
            front = Front(home)  # a daemon starts under this clock, and ends under it
            try:
                _day(front, folder, seen, now, each)
                front.sweep()
                assert front.settle(BOUND_S)
                start = json.dumps(session_start(folder, f"look-{name}")).encode()
                taken = front.take_hook("claude-code", start, now[0])
                if seen.observations and "memfold-context" not in front.session_context(taken):
                    seen.silent.append(name)
                status = front.status()
                seen.stored, seen.observations = status["tool_uses"], status["observations"]
                seen.jumps += name != "now"
            finally:
                front.close()
        front = Front(home)
        try:
            for line in front.collect(None, dry_run=True):
                if "result" in line:
                    seen.retired = int(line["result"].get("tool_uses", 0))
        finally:
            front.close()
    return seen


def _day(front: Front, folder: Path, seen: Jumped, now: list[int], each: int) -> None:
    session = f"clock-{seen.jumps}"
    prompt = {"hook_event_name": "UserPromptSubmit", "prompt": "Please find the broken build step"}
    common = session_start(folder, session)
    bodies: list[dict[str, Any]] = [common, {**common, **prompt}]
    for _ in range(each):
        bodies.append(edit(seen.sent, folder, session))
        seen.sent += 1
    for body in (*bodies, turn_end(seen.sent, folder, session)):
        now[0] += 1_000
        front.after(front.take_hook("claude-code", json.dumps(body).encode(), now[0]))


@contextlib.contextmanager
def _clock(clock: Callable[[], int]) -> Iterator[None]:
    """The daemon's clock in this process."""
    with patch("memfold.house.now_ms", clock):
        yield


def _settled(here: Running, tool_uses: int) -> dict[str, Any]:
    until = time.monotonic() + SETTLED_S
    while True:
        status = here.status()
        if not status["spooled"] and status["tool_uses"] >= tool_uses:
            return status
        assert time.monotonic() < until, status
        time.sleep(0.05)


def _gone(home: Path) -> None:
    """No daemon of this data directory runs when this returns."""
    until = time.monotonic() + BOUND_S
    while daemons(home):
        assert time.monotonic() < until, "a daemon was left"
        time.sleep(0.02)


def _held(here: Running) -> tuple[float, int]:
    """(MB of its own, file descriptors) of the daemon.

    Its own: pages of the database file that are mapped count for nothing, the system takes them
    back when it likes. Where it does not tell (not Linux), all memory.
    """
    status = here.status()
    folder = Path(f"/proc/{status['pid']}")
    try:
        lines = (folder / "status").read_text("ascii").splitlines()
        own_kb = next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))
        return own_kb / 1000, len(list((folder / "fd").iterdir()))
    except (OSError, StopIteration):
        return int(status["rss_bytes"]) / 1e6, 0


def _database_bytes(home: Path) -> int:
    return sum(file.stat().st_size for file in home.glob("*.db*"))
