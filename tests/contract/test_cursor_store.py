"""ports.CursorStore on every cursor store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memfold.store.cursors.memory import MOST_BYTES, MOST_RECORDS, MemoryCursors
from memfold.store.cursors.sqlite import SqliteCursors
from memfold.store.ports import CursorStore

MAKERS: dict[str, Callable[[Path], CursorStore]] = {
    "memory": lambda _: MemoryCursors(),
    "sqlite": lambda folder: SqliteCursors(folder / "cursors.db"),
}


@pytest.fixture(params=sorted(MAKERS))
def cursors(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CursorStore]:
    made = MAKERS[request.param](tmp_path)
    yield made
    if isinstance(made, SqliteCursors):
        made.close()


def test_a_record_may_be_read_again_until_it_expires(cursors: CursorStore) -> None:
    cursors.put(b"k", b"state", expires_at_ms=100, now_ms=0)
    for now in (0, 50, 99):
        assert cursors.get(b"k", now_ms=now).record == b"state"
    late = cursors.get(b"k", now_ms=100)
    assert (late.record, late.expired) == (None, True)


def test_an_unknown_key_is_not_an_expired_one(cursors: CursorStore) -> None:
    hit = cursors.get(b"never", now_ms=0)
    assert (hit.record, hit.expired) == (None, False)


def test_the_oldest_goes_when_there_are_too_many(cursors: CursorStore) -> None:
    for number in range(MOST_RECORDS + 1):
        cursors.put(b"%d" % number, b"x", expires_at_ms=100, now_ms=0)
    assert cursors.get(b"0", now_ms=1).record is None
    assert cursors.get(b"1", now_ms=1).record == b"x"
    assert cursors.get(b"%d" % MOST_RECORDS, now_ms=1).record == b"x"


def test_the_oldest_goes_when_they_are_too_large(cursors: CursorStore) -> None:
    half = b"x" * (MOST_BYTES // 2)
    for number in range(3):
        cursors.put(b"%d" % number, half[:-10], expires_at_ms=100, now_ms=0)
    assert cursors.get(b"0", now_ms=1).record is None
    assert cursors.get(b"2", now_ms=1).record is not None


def test_writing_again_replaces(cursors: CursorStore) -> None:
    cursors.put(b"k", b"one", expires_at_ms=100, now_ms=0)
    cursors.put(b"k", b"two", expires_at_ms=200, now_ms=0)
    assert cursors.get(b"k", now_ms=150).record == b"two"


def test_what_expired_is_remembered_for_a_while(cursors: CursorStore) -> None:
    """A late caller hears "expired" and not "unknown", and the memory of it is bounded."""
    for number in range(10_000):
        cursors.put(b"%d" % number, b"x", expires_at_ms=number + 1, now_ms=number)
    assert cursors.get(b"9000", now_ms=20_000).expired
    assert not cursors.get(b"1", now_ms=20_000).expired


def test_a_record_larger_than_all_room_is_not_kept(cursors: CursorStore) -> None:
    cursors.put(b"k", b"x" * (MOST_BYTES + 1), expires_at_ms=100, now_ms=0)
    assert cursors.get(b"k", now_ms=1).record is None
    cursors.put(b"k", b"small", expires_at_ms=100, now_ms=0)
    assert cursors.get(b"k", now_ms=1).record == b"small"


def test_writing_again_makes_it_the_newest(cursors: CursorStore) -> None:
    for number in range(MOST_RECORDS):
        cursors.put(b"%d" % number, b"x", expires_at_ms=100, now_ms=0)
    cursors.put(b"0", b"again", expires_at_ms=100, now_ms=0)
    cursors.put(b"new", b"x", expires_at_ms=100, now_ms=0)
    assert cursors.get(b"0", now_ms=1).record == b"again"
    assert cursors.get(b"1", now_ms=1).record is None


def test_a_clock_that_jumps_back_brings_nothing_back_that_was_seen_to_expire(
    cursors: CursorStore,
) -> None:
    cursors.put(b"k", b"x", expires_at_ms=100, now_ms=0)
    cursors.put(b"other", b"x", expires_at_ms=500, now_ms=200)
    assert cursors.get(b"k", now_ms=50).record is None


def test_many_threads_each_find_their_own(cursors: CursorStore) -> None:
    wrong: list[bytes] = []

    def work(name: int) -> None:
        for number in range(20):
            key = b"%d-%d" % (name, number)
            cursors.put(key, key * 3, expires_at_ms=100, now_ms=0)
            if cursors.get(key, now_ms=1).record != key * 3:
                wrong.append(key)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
