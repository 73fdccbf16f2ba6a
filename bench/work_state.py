"""What the work state section costs as its log grows: 20 rows against 100,000. Medians.

Each store has the same 20 items open. Rounds go in turns, so that both meet the same noise.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from memfold.records import Caller, WorkRow
from memfold.store.sqlite.store import SqliteStore
from memfold.workstate.section import section
from memfold.workstate.tools import write
from memfold.workstate.verify import verify

OPEN = 20
NOW = 1_790_000_000_000
ROUNDS = 200
Case = tuple[SqliteStore, Caller]


def filled(folder: Path, name: str, rows: list[WorkRow]) -> Case:
    """A store of one project with these rows."""
    store = SqliteStore.open(folder / f"{name}.db")
    project = store.create("app", [])
    for start in range(0, len(rows), 5_000):
        store.append(project.id, rows[start : start + 5_000])
    return store, Caller(project=project, project_ids=(project.id,))


def worked_through(count: int) -> list[WorkRow]:
    """So many rows of two lists in which all but ``OPEN`` items end closed."""
    rows: list[WorkRow] = []
    number = 0
    while len(rows) < count - OPEN:
        number += 1
        for status in ("todo", "doing", "done"):
            item = {"task": f"step {number}: make the thing work", "status": status, "pr": number}
            rows.append(WorkRow(f"list {number % 2}", item, NOW - count + len(rows)))
    rows = rows[: count - OPEN]
    if rows:
        closing = {"task": f"step {number}: make the thing work", "status": "done"}
        rows[-1] = WorkRow(f"list {number % 2}", closing, NOW)
    items = [
        {"task": f"open item {n}", "status": "doing" if n < 2 else "todo"} for n in range(OPEN)
    ]
    return rows + [WorkRow(f"list {n % 2}", item, NOW) for n, item in enumerate(items)]


def median_ms(jobs: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Median of each job, all taken in turns."""
    took: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            took[name].append((time.perf_counter() - start) * 1000)
    return {name: statistics.median(times) for name, times in took.items()}


def say(name: str, value: float, unit: str = "ms") -> None:
    print(f"{name:56} {value:10.2f} {unit}")


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        cases = {
            f"{OPEN} rows": filled(folder, "small", worked_through(OPEN)),
            "100,000 rows": filled(folder, "large", worked_through(100_000)),
            "10,000 open items": filled(
                folder, "open", [WorkRow("big", {"task": f"item {n}"}, NOW) for n in range(10_000)]
            ),
            "2,000 open lists": filled(
                folder, "lists", [WorkRow(f"l{n}", {"task": "one"}, NOW) for n in range(2_000)]
            ),
        }
        for store, who in cases.values():
            assert section(store, who.project_ids, NOW).count("\n[") >= OPEN
        took = median_ms(
            {
                name: lambda case=case: section(case[0], case[1].project_ids, NOW)  # type: ignore[misc]
                for name, case in cases.items()
            }
        )
        for name, value in took.items():
            say(f"the section, {name}", value)
        say("100,000 rows against 20", took["100,000 rows"] / took[f"{OPEN} rows"], "times")
        large, who = cases["100,000 rows"]
        say(
            "the whole list read instead, 100,000 rows",
            median_ms({"all": lambda: large.current(who.project_ids)}, 5)["all"],
        )
        args = {"list": "list 1", "items": [{"task": "open item 1", "status": "doing"}]}
        writes = median_ms(
            {
                name: lambda case=case: write(case[0], case[1], args, NOW)  # type: ignore[misc]
                for name, case in cases.items()
            },
            30,
        )
        for name, value in writes.items():
            say(f"a write and the list as it stands, {name}", value)
        start = time.perf_counter()
        assert who.project is not None
        assert verify(large, who.project.id).differences == []
        say("the replay of 100,000 rows (doctor --verify)", (time.perf_counter() - start) * 1000)
        for store, _ in cases.values():
            store.close()


if __name__ == "__main__":
    main()
