"""memfold beside claude-mem, the memory it is measured by: both as shipped, in one run.

Everything is interleaved, so that what else the machine does hits both; medians of many. Search by
meaning is off on both sides: it is an extra of memfold, and claude-mem runs a Chroma for it.
Without npm, node or the package nothing is compared, and the reason is said. No key, and at run
time no network but loopback (where the system allows a namespace).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from isolation import loopback_only
from memfold_side import Memfold
from provider import Provider
from reference import CannotBeHad, ClaudeMem, fetch
from side import EVENTS, Side, cpu_s, mcp_ready, payload, rss_mb, timed

CACHE = Path.home() / ".cache" / "memfold-compare"
WARM_UP = 3


@dataclass(frozen=True, slots=True)
class Figure:
    """One row: the reference's value, ours, and the ratio that was aimed at (0 for none)."""

    name: str
    unit: str
    theirs: float
    ours: float
    goal: float = 0.0

    def row(self) -> str:
        """The row of a Markdown table; the last column says whether the goal is met."""
        # At rest neither may have used a tick of the clock: then there is no ratio.
        ratio = self.theirs / self.ours if self.ours else 0.0
        met = "" if not self.goal else "met" if ratio >= self.goal else "**falls short**"
        times = f"{ratio:.2f}" if ratio else "-"
        goal = f"{self.goal:.3g}" if self.goal else ""
        return (
            f"| {self.name} | {self.theirs:,.2f} {self.unit} | {self.ours:,.2f} {self.unit} "
            f"| {times} | {goal} | {met} |"
        )


def hooks(ours: Memfold, theirs: ClaudeMem, runs: int, cwd: str) -> list[Figure]:
    """Whole processes from spawn to exit, workers warm."""
    transcript = str(Path(cwd, "transcript.jsonl"))
    line = {"type": "assistant", "message": {"role": "assistant", "content": "All steps ended."}}
    Path(transcript).write_text(json.dumps(line) + "\n", "utf-8")
    took: dict[tuple[str, str], list[float]] = {}
    for number in range(runs + WARM_UP):
        for event in EVENTS:
            body = json.dumps(payload(event, number, cwd, transcript)).encode()
            sides: tuple[Side, Side] = (theirs, ours)
            for side in sides:
                ms, _ = timed(side.hook(event), body, side.env())
                if number >= WARM_UP:
                    took.setdefault((event, side.name), []).append(ms)
        tool_use = payload("PostToolUse", 1_000_000 + number, cwd, transcript)
        ms = ours.over_http(json.dumps(tool_use).encode())
        if number >= WARM_UP:
            took.setdefault(("http", ours.name), []).append(ms)
    middle = {key: statistics.median(values) for key, values in took.items()}
    goals: Mapping[str, float] = {"SessionStart": 40, "PostToolUse": 40}
    figures = [
        Figure(
            f"hook {event}, a process",
            "ms",
            middle[event, theirs.name],
            middle[event, ours.name],
            goals.get(event, 0),
        )
        for event in EVENTS
    ]
    http = Figure(
        "hook PostToolUse, as wired by default",
        "ms",
        middle["PostToolUse", theirs.name],
        middle["http", ours.name],
        40,
    )
    return [*figures, http]


def cold(ours: Memfold, theirs: ClaudeMem, runs: int, cwd: str) -> list[Figure]:
    """From no worker to one that answers."""
    took: dict[str, list[float]] = {ours.name: [], theirs.name: []}
    shown: dict[str, list[float]] = {ours.name: [], theirs.name: []}
    start = json.dumps(payload("SessionStart", 0, cwd, "")).encode()
    sides: tuple[Side, Side] = (theirs, ours)
    for _ in range(runs):
        for side in sides:
            side.stop()
            took[side.name].append(side.start())
            side.stop()
            began = time.perf_counter()
            if side is theirs:
                side.start()  # its wiring has a command of its own for this
            _, printed = timed(side.hook("SessionStart"), start, side.env())
            shown[side.name].append((time.perf_counter() - began) * 1000)
            assert printed, side.name
    return [
        Figure(name, "ms", *_middles(values, theirs, ours), goal=4)
        for name, values in (
            ("worker cold start, until it answers", took),
            ("no worker to printed context", shown),
        )
    ]


def _middles(values: Mapping[str, list[float]], *sides: Side) -> tuple[float, float]:
    theirs, ours = (statistics.median(values[side.name]) for side in sides)
    return theirs, ours


def mcp(ours: Memfold, theirs: ClaudeMem, runs: int, cwd: str) -> list[Figure]:
    """From the server's spawn to its answer to tools/list, and how long that is."""
    took: dict[str, list[float]] = {ours.name: [], theirs.name: []}
    size: dict[str, int] = {}
    sides: tuple[Side, Side] = (theirs, ours)
    for number in range(runs + 1):
        for side in sides:
            ms, size[side.name] = mcp_ready(side.mcp(), side.env(), cwd)
            if number:
                took[side.name].append(ms)
    ready = [statistics.median(took[side.name]) for side in sides]
    return [
        Figure("MCP server ready, tools/list answered", "ms", ready[0], ready[1], 3),
        Figure("tools/list", "characters", size[theirs.name], size[ours.name], 1),
    ]


def memory(ours: Memfold, theirs: ClaudeMem, when: str) -> Figure:
    """What the workers hold, two seconds after the last thing they were asked."""
    time.sleep(2)
    held = (rss_mb(theirs.pid()), rss_mb(ours.pid()))
    return Figure(f"worker idle, memory, {when}", "MB", *held, goal=1 / 0.6)


def idle(ours: Memfold, theirs: ClaudeMem, seconds: int) -> list[Figure]:
    """Processor used by workers nobody rings, at the same time."""
    pids = (theirs.pid(), ours.pid())
    before = [cpu_s(pid) for pid in pids]
    time.sleep(seconds)
    used = [(cpu_s(pid) - was) / seconds * 100 for pid, was in zip(pids, before, strict=True)]
    return [Figure("worker idle, processor", "%", used[0], used[1])]


def disk(ours: Memfold, theirs: ClaudeMem, count: int, cwd: str) -> list[Figure]:
    """How much the databases grow by 1,000 tool uses of 4 KB and what was observed of them.

    claude-mem has its model observe each; memfold's rules make one observation a turn of ten.
    """
    uses = [payload("PostToolUse", 2_000_000 + number, cwd, "") for number in range(count)]
    grown = []
    sides: tuple[Side, Side] = (theirs, ours)
    for side in sides:
        side.stop()  # the log is folded into the database at the end
        side.start()
        before = side.disk_bytes()
        side.send(uses)
        side.stop()
        side.start()
        grown.append((side.disk_bytes() - before) / count * 1000 / 1e6)
    return [Figure("disk for 1,000 tool uses of 4 KB, observed", "MB", grown[0], grown[1])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20, help="of each hook")
    parser.add_argument("--colds", type=int, default=5)
    parser.add_argument("--idle-seconds", type=int, default=20)
    parser.add_argument("--tool-uses", type=int, default=1_000)
    parser.add_argument(
        "--semantic", action="store_true", help="with memfold's optional embedder, if installed"
    )
    parser.add_argument("--cache", type=Path, default=CACHE, help="where claude-mem is installed")
    options = parser.parse_args()
    try:
        cache = fetch(options.cache)
    except CannotBeHad as reason:
        print(f"nothing to compare with: {reason}")
        return
    if not loopback_only():
        print("(no network namespace here: what claude-mem asks of the network may go out)")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, Provider() as model:
        cwd = str(Path(folder, "project"))
        Path(cwd).mkdir()
        theirs = ClaudeMem(cache, Path(folder, "theirs"), model.url)
        ours = Memfold(Path(folder, "ours"), semantic=options.semantic)
        os.chdir(cwd)
        theirs.start()
        try:
            ours.start()
            try:
                figures = hooks(ours, theirs, options.runs, cwd)
                figures.append(memory(ours, theirs, "before MCP is used"))
                figures += mcp(ours, theirs, options.runs, cwd)
                figures.append(memory(ours, theirs, "after"))
                figures += idle(ours, theirs, options.idle_seconds)
                figures += cold(ours, theirs, options.colds, cwd)
                figures += disk(ours, theirs, options.tool_uses, cwd)
            finally:
                ours.stop()
        finally:
            theirs.stop()
            os.chdir("/")
    print(f"| | {theirs.name} | {ours.name} | ratio | goal | |")
    print("| --- | ---: | ---: | ---: | ---: | --- |")
    for figure in figures:
        print(figure.row())
    print(f"\nThe scripted model was asked {model.asked} times; {os.cpu_count()} processors.")


if __name__ == "__main__":
    main()
