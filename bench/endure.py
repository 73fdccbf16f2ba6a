"""Long use in short: a soak with restarts, a storm of hooks on an absent daemon, a jumping clock.

Short by default; ``--full`` soaks for fifteen minutes. Ends with 1 when anything was lost or
doubled, or more than one daemon served. (Killing at random moments: tests/path/test_kill.py, with
MEMFOLD_KILL_EVENTS, MEMFOLD_KILL_KILLS and MEMFOLD_KILL_SEED for longer runs.)
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from endurance import jumping_clock, soak, storm

FULL_S = 900.0


def percentiles(values: Sequence[float]) -> str:
    """p50, p99 and the largest, in ms."""
    cut = statistics.quantiles(values, n=100)
    return f"p50 {cut[49]:.0f} ms, p99 {cut[98]:.0f} ms, most {max(values):.0f} ms"


def soaked(home: Path, folder: Path, seconds: float, rate: float, seed: int) -> bool:
    seen = soak(home, folder, seconds=seconds, rate=rate, restarts=4, seed=seed)
    print(f"soak: {seconds:.0f} s, {seen.sent} tool uses over 50 sessions, seed {seed}")
    print(f"  {seen.restarts} restarts, every other one SIGKILL; {seen.spooled} events spooled")
    print(f"  lost {seen.lost}, doubled {seen.doubled}; {seen.observations} observations")
    print(f"  daemons at once: {seen.most_processes} at most")
    print(
        f"  own memory in the second half: {seen.first_mb:.1f} MB to {seen.last_mb:.1f} MB,"
        f" {seen.slope_mb_an_hour:+.1f} MB an hour"
    )
    print(f"  file descriptors: {seen.descriptors[0]} to {seen.descriptors[1]}")
    print(
        f"  database: {seen.bytes_a_tool_use:.0f} bytes a tool use of 1 KB, observations included"
    )
    print(f"  longest wait of a hook: {seen.worst_ms:.0f} ms")
    return not seen.lost and not seen.doubled


def stormed(home: Path, folder: Path, hooks: int) -> bool:
    seen = storm(home, folder, hooks)
    print(f"storm: {hooks} hooks at once, no daemon there")
    print(f"  daemons that served: {seen.daemons}; hooks that failed: {seen.failed}")
    print(f"  lost {seen.lost}, doubled {seen.doubled}; {seen.spooled} waited in the spool")
    print(f"  spawn to exit of a hook:        {percentiles(seen.wall_ms)}")
    print(f"  of as many bare Pythons:        {percentiles(seen.bare_wall_ms)}")
    cpu, bare = statistics.mean(seen.cpu_ms), statistics.mean(seen.bare_cpu_ms)
    print(f"  processor a hook: {cpu:.1f} ms, a bare Python: {bare:.1f} ms")
    return seen.daemons == 1 and not (seen.lost or seen.doubled or seen.failed)


def jumped(home: Path, folder: Path) -> bool:
    seen = jumping_clock(home, folder)
    print(f"clock: {seen.jumps} jumps, back and ahead, by an hour to ten years and to 1970")
    print(f"  {seen.stored} of {seen.sent} tool uses stored, {seen.observations} observations")
    print(f"  old enough to retire once the clock is right: {seen.retired} tool uses (of 1970)")
    print(f"  sessions that were shown nothing: {len(seen.silent)} {', '.join(seen.silent)}")
    return seen.stored == seen.sent and not seen.silent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="soak for fifteen minutes")
    parser.add_argument("--seconds", type=float, default=30.0, help="of the soak")
    parser.add_argument("--rate", type=float, default=30.0, help="events a second of the soak")
    parser.add_argument("--hooks", type=int, default=1_000, help="of the storm")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("parts", nargs="*", help="soak, storm, clock; all by default")
    options = parser.parse_args()
    parts = options.parts or ["soak", "storm", "clock"]
    held = True
    with tempfile.TemporaryDirectory() as top:
        for part in parts:
            home, folder = Path(top, part, "home"), Path(top, part, "project")
            folder.mkdir(parents=True)
            if part == "soak":
                seconds = FULL_S if options.full else options.seconds
                held &= soaked(home, folder, seconds, options.rate, options.seed)
            elif part == "storm":
                held &= stormed(home, folder, options.hooks)
            elif part == "clock":
                held &= jumped(home, folder)
            else:
                parser.error(f"{part!r} is no part of this; there are soak, storm and clock.")
    print("all held" if held else "NOT all held")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
