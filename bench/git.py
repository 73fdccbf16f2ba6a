"""What history costs: `memfold import git` of this repository and of a long one, full and again.

``python bench/git.py [COMMITS]`` makes a repository of 1,600 commits in a temporary folder. The
times are those of the whole import into an empty store, of one more with nothing new, of one with
ten new commits, and of what a session's start does.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from repositories import git, long_history

from memfold.backlog import now_ms
from memfold.capture.identity import ProjectFinder
from memfold.git_history import GitHistory
from memfold.settings import Settings
from memfold.store.sqlite.store import SqliteStore

FULL_S, AGAIN_S = 10.0, 0.5


def measure(name: str, place: Path, change: Callable[[], None] | None) -> bool:
    """Prints one line a step; whether all were within their bounds."""
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore.open(Path(folder) / "m.db")
        finder = ProjectFinder(store)
        history = GitHistory(store, finder, Settings({}), now_ms)

        def take() -> tuple[float, dict[str, int]]:
            began = time.perf_counter()
            *_, last = history.take(str(place), since_ms=None, limit=100_000)
            return time.perf_counter() - began, last["result"]

        full_s, result = take()
        made = result["observations"]
        print(f"{name}: {result['commits']:,} commits, {made:,} observations in {full_s:.2f} s")
        again_s, _ = take()
        print(f"{name}: nothing new in {again_s:.3f} s")
        within = full_s < FULL_S and again_s < AGAIN_S
        if change is not None:
            change()
            some_s, result = take()
            print(f"{name}: {result['observations']} new observations in {some_s:.3f} s")
            change()
            began = time.perf_counter()
            looked = history.catch_up(str(place))
            start_s = time.perf_counter() - began
            print(f"{name}: {looked} new commits at a session's start in {start_s:.3f} s")
            within = within and max(some_s, start_s) < AGAIN_S
        store.close()
    return within


def main() -> int:
    commits = int(sys.argv[1]) if len(sys.argv) > 1 else 1_600
    own = measure("this repository", Path(__file__).parents[1], None)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "long"
        long_history(place, commits)
        count = [0]

        def ten_more() -> None:
            for _ in range(10):
                count[0] += 1
                (place / "more.py").write_text(f"more = {count[0]}\n")
                git(place, "add", "-A")
                git(place, "commit", "-q", "-m", f"The pool holds {count[0]} more connections")

        long = measure("a long one", place, ten_more)
    print("within the bounds" if own and long else "over a bound")
    return 0 if own and long else 1


if __name__ == "__main__":
    sys.exit(main())
