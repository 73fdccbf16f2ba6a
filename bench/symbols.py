"""Search for symbols in a tree of 5,000 files: the first that makes the index, then the others."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from memfold.capture.redact import redact
from memfold.code.index.build import refresh
from memfold.code.index.search import SymbolSearch
from memfold.code.reading import parsers
from memfold.store.needs.symbols import Within
from memfold.store.symbols.sqlite import SqliteSymbols

TIMES = 21
PARSERS = parsers(lambda text: redact(text)[0])
FILE = '''"""Module {n}: how part {n} of the pool is kept."""

import os


class Pool{n}:
    """Keeps connections of kind {n}."""

    def acquire_{n}(self, wait_s: float) -> object:
        """One connection, waiting for it."""
        return os.getpid()

    def release_{n}(self, connection: object) -> None:
        self.last = connection


def make_{n}(limit: int) -> Pool{n}:
    return Pool{n}()
'''


def tree(folder: Path, files: int) -> None:
    for number in range(files):
        place = folder / f"package{number % 97}" / f"part{number % 13}"
        place.mkdir(parents=True, exist_ok=True)
        file = place / f"module{number}.py"
        file.write_text(FILE.format(n=number) * 3)
        os.utime(file, (1_700_000_000, 1_700_000_000))  # one written just now is read again


def asked(index: SqliteSymbols, root: str, query: str) -> tuple[float, int]:
    """(ms, hits) of one search with the look at the tree before it."""
    began = time.perf_counter()
    for _ in refresh(index, root, PARSERS):
        pass
    found = SymbolSearch(index, root, PARSERS.text).find(query, 20, Within())
    return (time.perf_counter() - began) * 1_000, len(found)


def main() -> None:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "tree"
        tree(root, files)
        index = SqliteSymbols(Path(name) / "symbols.db")
        first, _ = asked(index, str(root), "make_17")
        print(f"{'first search, ' + format(files, ',') + ' files':44} {first:10,.1f} ms")
        for query in ("make_17", "acquire", "pool 4711", "nothing_like_it", "waiting for it"):
            took = [asked(index, str(root), query) for _ in range(TIMES)]
            ms = statistics.median(one for one, _ in took)
            hits = took[0][1]
            print(f"{f'again: {query} ({hits} hits)':44} {ms:10,.1f} ms   1/{first / ms:,.0f}")
        size = index.size(str(root))
        print(f"{'on disk, a file':44} {size.bytes_on_disk / size.files:10,.0f} bytes")
        index.close()


if __name__ == "__main__":
    main()
