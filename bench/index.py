"""What a session's start costs: the index made on the spot and kept ready, one hook and two.

The index is that of 5,000 observations whose 50 newest each changed a file of 20 KB. Hooks are
whole processes against a warm daemon, begun together where there are two, as hosts do; compared
figures alternate. Medians on a noisy machine; run it again before believing a difference.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memfold import wire
from memfold.disclose.gather import gather_index
from memfold.disclose.index import render_index
from memfold.disclose.mode import load_mode
from memfold.disclose.prepared import PreparedIndexes, Wanted
from memfold.hook import launch
from memfold.measure import utf16_units
from memfold.records import Alias, Draft, Event, FileMark, PromptGiven, TurnEnded
from memfold.settings import Settings
from memfold.store.sqlite.store import SqliteStore

HOOK = Path(wire.__file__).parent / "hook" / "hook.py"
NOW_MS = 1_800_000_000_000
_OBSERVATIONS, _FILES, _FILE_BYTES, _LIMIT = 5_000, 50, 20_000, 10_000


def filled(path: Path, checkout: Path) -> tuple[SqliteStore, int]:
    """A project with some history in ``checkout``."""
    store = SqliteStore.open(path)
    where = store.create("app", [Alias("directory", str(checkout))]).id
    sums = []
    for number in range(_FILES):
        body = f"{number}\n".encode() * (_FILE_BYTES // 4)
        (checkout / f"f{number}.py").write_bytes(body)
        sums.append(hashlib.sha256(body).hexdigest())
    at_ms = NOW_MS - _OBSERVATIONS * 60_000
    common: dict[str, Any] = {
        "host": "claude-code",
        "session": "s",
        "at_ms": at_ms,
        "cwd": str(checkout),
    }
    events: list[Event] = [PromptGiven(**common, text="go"), TurnEnded(**common)]
    store.ingest(where, events)
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    drafts = [
        Draft(
            type="change",
            title=f"Step {n} of the {['parser', 'pool', 'client', 'retry'][n % 4]} is done now",
            at_ms=at_ms + n * 60_000,
            read_tokens=60,
            work_tokens=900,
            files_changed=(FileMark(f"f{n % _FILES}.py", sums[n % _FILES]),),
        )
        for n in range(_OBSERVATIONS)
    ]
    store.record(turn, drafts, at_ms=at_ms)
    return store, where


def took_ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def index_cost(store: SqliteStore, where: int, rounds: int) -> dict[str, float]:
    """Median ms: on the spot, kept ready, kept ready after memory changed."""
    values, mode = Settings({"timezone": "Europe/Berlin"}), load_mode("code")
    wanted = Wanted("app", (where,), "utf16", mode)
    ready = PreparedIndexes(store, values)
    texts: set[str] = set()

    def live() -> None:
        view = gather_index(
            store, values, project="app", project_ids=(where,), now_ms=NOW_MS, mode=mode
        )
        texts.add(render_index(view, _LIMIT).text)

    def hit() -> None:
        texts.add(ready.render(wanted, _LIMIT, NOW_MS).text)

    figures: dict[str, list[float]] = {"made on the spot": [], "kept ready": []}
    live()
    hit()
    for _ in range(rounds):
        figures["made on the spot"].append(took_ms(live))
        figures["kept ready"].append(took_ms(hit))
    assert len(texts) == 1, "a hit is the very text"
    print(f"(an index of {utf16_units(texts.pop()):,} units)")
    return {name: statistics.median(found) for name, found in figures.items()}


def spawn(stdin: Path) -> int:
    command = [sys.executable, "-I", "-S", str(HOOK), "claude-code"]
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(stdin), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    ]
    return os.posix_spawn(command[0], command, os.environ, file_actions=actions)


def hooks_ms(payloads: list[Path]) -> tuple[float, float]:
    """(ms until the last of these hooks has ended, ms of processor time that they used)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    children = [spawn(payload) for payload in payloads]
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    wall = (time.perf_counter() - began) * 1000
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return wall, used * 1000


def hook_cost(home: Path, checkout: Path, runs: int) -> dict[str, float]:
    """Medians for one SessionStart hook and for two at once."""
    os.environ["MEMFOLD_HOME"] = str(home)
    launch.start(str(home))
    while not (home / wire.SOCKET).exists():
        time.sleep(0.01)
    payloads = []
    for number in (1, 2):
        file = home.parent / f"start{number}.json"
        start = {"session_id": f"b{number}", "cwd": str(checkout), "source": "startup"}
        file.write_text(json.dumps({**start, "hook_event_name": "SessionStart"}))
        payloads.append(file)
    one, two = [], []
    for _ in range(runs + 3):
        one.append(hooks_ms(payloads[:1]))
        two.append(hooks_ms(payloads))
    wire.request("POST", "/stop", folder=str(home), timeout_s=5)
    figures = {}
    for name, found in (("one hook", one[3:]), ("two hooks at once", two[3:])):
        figures[name] = statistics.median(wall for wall, _ in found)
        figures[f"{name}, processor"] = statistics.median(used for _, used in found)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        home, checkout = Path(name, "home"), Path(name, "checkout")
        home.mkdir()
        checkout.mkdir()
        store, where = filled(home / wire.DATABASE, checkout)
        time.sleep(2.1)  # files are known by their looks once they are older than a tick
        figures = index_cost(store, where, options.runs)
        store.close()
        figures |= hook_cost(home, checkout, options.runs)
    for title, figure in figures.items():
        print(f"{title:44} {figure:8.2f} ms")


if __name__ == "__main__":
    main()
