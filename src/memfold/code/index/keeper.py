"""Indexes of workspaces kept up to date in the background: who asks waits a little for the rest."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLong

from memfold.code.index.build import Parsers, Progress, refresh
from memfold.code.index.search import Hit, SymbolSearch
from memfold.store.needs.symbols import IndexSize, SymbolIndex, Within

log = logging.getLogger(__name__)


class SymbolKeeper:
    """One index over many roots. Safe to use from any thread."""

    def __init__(self, index: SymbolIndex, parsers: Parsers) -> None:
        self._index = index
        self._parsers = parsers
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="memfold-symbols")
        self._lock = threading.Lock()
        self._running: dict[str, Future[Progress]] = {}
        self._last: dict[str, Progress] = {}
        self._ended = threading.Event()

    def ready(self, root: str, wait_s: float) -> Progress:
        """Bring the index of ``root`` up to date; how far it came within ``wait_s``.

        What is not done then goes on in the background. Raises StoreError.
        """
        with self._lock:
            run = self._running.get(root)
            if run is None or run.done():
                run = self._running[root] = self._pool.submit(self._refresh, root)
        try:
            return run.result(wait_s)
        except TooLong:
            return self._last.get(root, Progress(0, 1))

    def find(self, root: str, query: str, most: int, within: Within) -> tuple[Hit, ...]:
        """Best first, from what is indexed now. Raises StoreError."""
        return SymbolSearch(self._index, root, self._parsers.text).find(query, most, within)

    def size(self, root: str) -> IndexSize:
        return self._index.size(root)

    def clear(self) -> None:
        """Nothing is kept; what is asked for next is made anew."""
        self._index.clear()

    def close(self) -> None:
        """End what runs after its present step."""
        self._ended.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._index.close()

    def _refresh(self, root: str) -> Progress:
        self._last[root] = Progress(0, 1)
        for step in refresh(self._index, root, self._parsers):
            self._last[root] = step
            if self._ended.is_set():
                break
        return self._last[root]
