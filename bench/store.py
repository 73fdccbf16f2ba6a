"""How fast the store takes events in and gives entries back. Medians on a noisy machine."""

from __future__ import annotations

import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memfold.records import Alias, Draft, Event, PromptGiven, ToolUsed, TurnEnded
from memfold.store.sqlite.store import SqliteStore

_CHANCE = random.Random(11)
WORDS = ["".join(_CHANCE.choices("etaoinshrdlucmf", k=_CHANCE.randint(3, 9))) for _ in range(3_000)]
SIZES = (10_000, 100_000)


def tool_use(session: str, number: int) -> ToolUsed:
    return ToolUsed(
        host="bench",
        session=session,
        at_ms=number,
        key=f"k{number}",
        tool="Bash",
        input={"command": "make"},
        response="a line of output\n" * 60,
    )


def ingest_rate(folder: Path, threads: int, seconds: float = 3.0) -> float:
    """Events a second, each committed before the next of its thread."""
    store = SqliteStore.open(folder / f"ingest-{threads}.db")
    where = store.create("app", [Alias("directory", "/x")]).id
    until = time.perf_counter() + seconds
    counts = [0] * threads

    def send(at: int) -> None:
        while time.perf_counter() < until:
            store.ingest(where, [tool_use(f"s{at}", counts[at])])
            counts[at] += 1

    senders = [threading.Thread(target=send, args=(n,)) for n in range(threads)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    store.close()
    return sum(counts) / seconds


def filled(folder: Path, size: int) -> tuple[SqliteStore, int]:
    """A store with so many observations of nine-word titles, words as frequent as in prose."""
    chance = random.Random(7)
    weights = [1 / (n + 1) for n in range(len(WORDS))]
    store = SqliteStore.open(folder / f"search-{size}.db")
    where = store.create("app", [Alias("directory", "/x")]).id
    for start in range(0, size, 1_000):
        common: dict[str, Any] = {"host": "bench", "session": f"s{start}", "at_ms": start}
        events: list[Event] = [PromptGiven(**common, text="go"), TurnEnded(**common)]
        store.ingest(where, events)
        turn = store.next_turn(idle_before_ms=0)
        assert turn is not None
        drafts = [
            Draft(
                type="change",
                title=" ".join(chance.choices(WORDS, weights, k=8)) + f" n{number}",
                narrative=" ".join(chance.choices(WORDS, weights, k=40)),
                at_ms=number,
            )
            for number in range(start, start + 1_000)
        ]
        store.record(turn, drafts, at_ms=start)
    return store, where


def median_ms(work: Callable[[int], object], runs: int = 40) -> float:
    took = []
    for number in range(runs):
        began = time.perf_counter()
        work(number)
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


def ask(store: SqliteStore, where: int, size: int) -> None:
    common = " ".join(WORDS[:3])
    rare = median_ms(lambda n: store.search([where], f"n{n * 37}", 20))
    broad = median_ms(lambda n: store.search([where], f"{common} {WORDS[n]}", 20))
    newest = median_ms(lambda _: store.recent([where], "observation", 50))
    print(f"{f'one rare word among {size:,} observations':52} {rare:10.2f}ms")
    print(f"{f'the four commonest words among {size:,} observations':52} {broad:10.2f}ms")
    print(f"{f'the newest 50 of {size:,} observations':52} {newest:10.2f}ms")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{'figure':52} {'value':>12}")
        for threads in (1, 16):
            rate = ingest_rate(folder, threads)
            print(f"{f'events committed a second, {threads} threads':52} {rate:12,.0f}")
        for size in SIZES:
            store, where = filled(folder, size)
            ask(store, where, size)
            store.close()


if __name__ == "__main__":
    main()
