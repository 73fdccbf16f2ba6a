"""What a large memory costs: the startup index and search at 1,000, 100,000 and 1,000,000.

Sizes alternate within each round, so that a busy machine slows all of them. Beside each search
stands what a plain bm25 query over the same table takes. Making the largest store takes minutes;
`python bench/scale.py 100000` leaves larger ones out.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw

from memfold.disclose.gather import gather_index
from memfold.disclose.index import render_index
from memfold.records import Alias, Draft, Event, PromptGiven, TurnEnded
from memfold.settings import Settings
from memfold.store.sqlite.store import SqliteStore

_CHANCE = random.Random(11)
WORDS = ["".join(_CHANCE.choices("etaoinshrdlucmf", k=_CHANCE.randint(3, 9))) for _ in range(3_000)]
SIZES = (1_000, 100_000, 1_000_000)
_BATCH = 1_000
_ROUNDS = 25
_NAIVE_ROUNDS = 3  # a plain query takes seconds
_NAIVE = """SELECT rowid, bm25(entries_fts) AS score FROM entries_fts
 WHERE entries_fts MATCH ? ORDER BY score LIMIT 20"""


def filled(folder: Path, size: int) -> tuple[SqliteStore, int]:
    """A store with so many observations of nine-word titles, words as frequent as in prose."""
    chance = random.Random(7)
    weights = [1 / (n + 1) for n in range(len(WORDS))]
    store = SqliteStore.open(folder / f"scale-{size}.db")
    where = store.create("app", [Alias("directory", "/x")]).id
    for start in range(0, size, _BATCH):
        common: dict[str, Any] = {"host": "bench", "session": f"s{start}", "at_ms": start}
        events: list[Event] = [PromptGiven(**common, text="go"), TurnEnded(**common)]
        store.ingest(where, events)
        turn = store.next_turn(idle_before_ms=0)
        assert turn is not None
        words = chance.choices(WORDS, weights, k=48 * _BATCH)
        drafts = [
            Draft(
                type="change",
                title=" ".join(words[at * 48 : at * 48 + 8]) + f" n{start + at}",
                narrative=" ".join(words[at * 48 + 8 : at * 48 + 48]),
                at_ms=start + at,
                read_tokens=60,
                work_tokens=900,
            )
            for at in range(_BATCH)
        ]
        store.record(turn, drafts, at_ms=start)
    return store, where


def index(at: tuple[SqliteStore, int]) -> int:
    """Characters of the startup index as a session would get it, nothing cached."""
    store, where = at
    view = gather_index(
        store, Settings({}), project="app", project_ids=[where], now_ms=2_000_000_000
    )
    return len(render_index(view, 7_000).text)


def median_ms(work: Callable[[Any], object], given: Sequence[Any]) -> float:
    return statistics.median(took_ms(work, one) for one in given)


def took_ms(work: Callable[[Any], object], given: Any) -> float:
    began = time.perf_counter()
    work(given)
    return (time.perf_counter() - began) * 1000


def searches(store: SqliteStore, where: int, path: Path) -> None:
    broad = " ".join(WORDS[:4])
    queries: dict[str, Callable[[int], str]] = {
        "one rare word": lambda n: f"n{n * 37 + 5}",
        "the four commonest words": lambda _: broad,
        "three common words and a rare one": lambda n: f"{' '.join(WORDS[:3])} n{n * 41 + 9}",
        "a question of ten words": lambda n: " ".join(WORDS[n * 10 + 20 : n * 10 + 30]),
    }
    plain = apsw.Connection(str(path))
    for pragma in ("cache_size=-8000", "mmap_size=268435456"):
        plain.execute(f"PRAGMA {pragma}")

    def naive(query: str) -> object:
        words = " OR ".join(f'"{word}"' for word in query.split())
        return list(plain.execute(_NAIVE, (words,)))

    for name, query in queries.items():
        asked = [query(n) for n in range(_ROUNDS)]
        ours = median_ms(lambda one: store.search([where], one, 20), asked)
        theirs = median_ms(naive, asked[:_NAIVE_ROUNDS])
        line(f"  {name}", ours, f"plain bm25 {theirs:,.1f} ms")
    plain.close()


def line(name: str, figure_ms: float, beside: str = "") -> None:
    print(f"{name:48} {figure_ms:10.2f} ms   {beside}", flush=True)


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else SIZES[-1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stores = {size: filled(folder, size) for size in SIZES if size <= most}
        try:
            renders: dict[int, list[float]] = {size: [] for size in stores}
            for _ in range(_ROUNDS):
                for size, at in stores.items():
                    renders[size].append(took_ms(index, at))
            smallest = statistics.median(renders[SIZES[0]])
            for size, figures in renders.items():
                figure = statistics.median(figures)
                line(f"startup index of {size:,} observations", figure, f"×{figure / smallest:.2f}")
            for number, (store, where) in stores.items():
                print(f"search among {number:,} observations")
                searches(store, where, folder / f"scale-{number}.db")
        finally:
            for store, _ in stores.values():
                store.close()


if __name__ == "__main__":
    main()
