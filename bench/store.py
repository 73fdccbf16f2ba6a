"""How fast the store takes events in and gives entries back. Medians on a noisy machine."""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path

from memfold.records import Alias, ToolUsed
from memfold.store.sqlite.store import SqliteStore


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


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{'figure':52} {'value':>12}")
        for threads in (1, 16):
            rate = ingest_rate(folder, threads)
            print(f"{f'events committed a second, {threads} threads':52} {rate:12,.0f}")


if __name__ == "__main__":
    main()
