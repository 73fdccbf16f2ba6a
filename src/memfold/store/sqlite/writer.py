"""The one thread that writes: what arrives together is committed together.

A caller is answered after the commit. Each job has its own savepoint, so that one that fails
leaves the others alone.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import apsw

from memfold.errors import StoreError
from memfold.store.sqlite.connection import Condition, translated

T = TypeVar("T")
log = logging.getLogger(__name__)
_Job = tuple[Callable[[apsw.Connection], Any], Future[Any], bool]
_Alone = tuple[Callable[[apsw.Connection], Any], Future[Any]]
_MOST_IN_ONE = 256  # jobs of one transaction: bounds how long the first one waits


class Writer:
    """Runs jobs on its own connection, in order, in shared transactions."""

    def __init__(self, connection: apsw.Connection, path: Path) -> None:
        self.condition = Condition()
        self._connection = connection
        self._path = path
        self._queue: queue.SimpleQueue[_Job | _Alone | None] = queue.SimpleQueue()
        self._closed = threading.Lock()
        self._open = True
        self._thread = threading.Thread(target=self._loop, name="memfold-writer", daemon=True)
        self._thread.start()

    def run(self, job: Callable[[apsw.Connection], T], *, durable: bool = False) -> T:
        """What ``job`` returned, once it is committed. ``durable``: with synchronous=FULL."""
        future: Future[T] = Future()
        with self._closed:
            self._must_take()
            self._queue.put((job, future, durable))
        return future.result()

    def run_alone(self, job: Callable[[apsw.Connection], T]) -> T:
        """What ``job`` returned; it runs outside any transaction, as VACUUM must."""
        future: Future[T] = Future()
        with self._closed:
            self._must_take()
            self._queue.put((job, future))
        return future.result()

    def _must_take(self) -> None:
        if not self._open:
            raise StoreError("The store is closed.", "Start memfold again.")
        if self.condition.damaged is not None:  # more writing would make it worse
            raise self.condition.damaged

    def close(self) -> None:
        """Finish what was handed over, then end the thread."""
        with self._closed:
            if not self._open:
                return
            self._open = False
            self._queue.put(None)
        self._thread.join()
        self._connection.close()

    def _loop(self) -> None:
        waiting: _Job | _Alone | None = None
        while (first := waiting or self._queue.get()) is not None:
            waiting = None
            if len(first) == 2:
                self._alone(*first)
                continue
            jobs: list[_Job] = [first]
            ended = False
            while len(jobs) < _MOST_IN_ONE and not self._queue.empty():
                job = self._queue.get()
                if job is None:
                    ended = True
                    break
                if len(job) == 2:
                    waiting = job
                    break
                jobs.append(job)
            self._commit(jobs)
            if ended:
                return

    def _alone(self, job: Callable[[apsw.Connection], Any], future: Future[Any]) -> None:
        try:
            with translated(self._path):
                result = job(self._connection)
        except BaseException as error:  # handed to the caller it belongs to
            self._roll_back()
            self.condition.note(error)
            future.set_exception(error)
        else:
            future.set_result(result)

    def _commit(self, jobs: list[_Job]) -> None:
        done: list[tuple[Future[Any], Any, BaseException | None]] = []
        level = "FULL" if any(durable for _, _, durable in jobs) else "NORMAL"
        try:
            with translated(self._path):
                self._connection.execute(f"PRAGMA synchronous={level}")
                self._connection.execute("BEGIN IMMEDIATE")
                for job, future, _ in jobs:
                    done.append((future, *self._one(job)))
                self._connection.execute("COMMIT")
        except BaseException as error:  # every caller must get an answer
            self._roll_back()
            self.condition.note(error)
            for _, future, _ in jobs:
                future.set_exception(error)
            return
        self.condition.written()
        for future, result, failure in done:
            if failure is None:
                future.set_result(result)
            else:
                self.condition.note(failure)
                future.set_exception(failure)

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except apsw.Error:  # the thread must live on: a later job fails too, and is answered
            log.exception("a transaction on %s could not be rolled back", self._path)

    def _one(self, job: Callable[[apsw.Connection], Any]) -> tuple[Any, BaseException | None]:
        self._connection.execute("SAVEPOINT job")
        try:
            with translated(self._path):
                result = job(self._connection)
        except BaseException as error:  # handed to the caller it belongs to
            if not self._connection.in_transaction:
                raise  # the whole transaction is gone (disk full): all callers are told
            self._connection.execute("ROLLBACK TO job")
            self._connection.execute("RELEASE job")
            return None, error
        self._connection.execute("RELEASE job")
        return result, None
