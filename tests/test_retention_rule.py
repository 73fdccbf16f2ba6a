"""When evidence has had its time, the daily run, and clocks that go wrong (decision 0012)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stores import Says

from memfold.errors import InvalidInput
from memfold.records import Alias, Draft
from memfold.retention import (
    DAY_MS,
    STEP_MS,
    EvidenceRetention,
    daily_before_ms,
    is_due,
    retired_before_ms,
)
from memfold.store.sqlite.store import SqliteStore
from memfold.testing import FakeClock

MOMENTS = st.integers(0, 1 << 62)
SPANS = st.tuples(MOMENTS, MOMENTS).map(lambda pair: (min(pair), max(pair)))
DAYS = st.integers(0, 10**9)
TODAY = FakeClock().now_ms


@given(MOMENTS, DAYS, SPANS)
def test_nothing_goes_that_is_younger_than_the_days_by_either_measure(
    now_ms: int, days: int, span: tuple[int, int]
) -> None:
    for before in (retired_before_ms(now_ms, days, span), daily_before_ms(now_ms, days, span)):
        assert 0 <= before < 1 << 63
        if before:
            assert days > 0
            assert before <= now_ms - days * DAY_MS
            assert before <= span[1] - days * DAY_MS, "the newest evidence is always kept"


@given(MOMENTS, DAYS, SPANS)
def test_a_daily_run_takes_the_oldest_week_at_most(
    now_ms: int, days: int, span: tuple[int, int]
) -> None:
    assert daily_before_ms(now_ms, days, span) <= span[0] + STEP_MS


@given(MOMENTS, SPANS)
def test_zero_days_keep_all_for_ever(now_ms: int, span: tuple[int, int]) -> None:
    assert retired_before_ms(now_ms, 0, span) == daily_before_ms(now_ms, 0, span) == 0
    assert retired_before_ms(now_ms, 90, None) == daily_before_ms(now_ms, 90, None) == 0


@given(MOMENTS, st.none() | MOMENTS)
def test_it_is_due_once_a_day_and_after_the_clock_was_set_right(
    now_ms: int, ran: int | None
) -> None:
    assert is_due(now_ms, ran) == (ran is None or ran > now_ms or now_ms - ran >= DAY_MS)


class Desk:
    """A store with evidence of many days, and the retention over it."""

    def __init__(self, folder: Path, days: int = 90) -> None:
        self.store = SqliteStore.open(folder / "m.db")
        self.where = self.store.create("app", [Alias("directory", "/code/app")]).id
        self.clock = FakeClock()
        self.retention = EvidenceRetention(self.store, self.clock, days)
        self.clock.pass_ms(61_000)

    def add(self, days_ago: int, session: str = "") -> None:
        """A tool use that was taken in and observed so long ago, with an observation."""
        at_ms = TODAY - days_ago * DAY_MS
        says = Says(session or f"day-{days_ago}")
        second = at_ms // 1000
        self.store.ingest(self.where, [says.use(f"t{days_ago}", second), says.stop(second)])
        turn = self.store.next_turn(idle_before_ms=1 << 60)
        assert turn is not None
        draft = Draft(
            type="change",
            title=f"Learned {days_ago}",
            evidence=(turn.steps[0].id,),
            at_ms=at_ms,
        )
        self.store.record(turn, [draft], at_ms=at_ms)

    def kept(self) -> list[int]:
        """Days ago of what is there, the oldest first."""
        uses = self.store.tool_uses(range(1, 999), None)
        return sorted((int(use.key[1:]) for use in uses), reverse=True)

    def run(self) -> None:
        """A daily run to its end."""
        for _ in range(1_000):
            if not self.retention.step():
                return
        raise AssertionError("it never ends")

    def collect(self, days: int | None = None, *, dry_run: bool = False) -> dict[str, Any]:
        *progress, last = list(self.retention.collect(days, dry_run=dry_run))
        assert all(line["done"] <= line["total"] for line in progress)
        return dict(last["result"])


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.store.close()


def test_day_by_day_what_is_older_than_ninety_days_goes(desk: Desk) -> None:
    for days_ago in range(95, -1, -1):
        desk.add(days_ago)
    desk.run()
    assert desk.kept() == list(range(90, -1, -1))
    assert desk.store.counts().observations == 96
    desk.run()
    assert desk.kept() == list(range(90, -1, -1)), "once a day is enough"
    desk.clock.pass_ms(DAY_MS)
    desk.add(-1)
    desk.run()
    assert desk.kept() == list(range(89, -2, -1))


def test_much_old_evidence_goes_week_by_week(desk: Desk) -> None:
    for days_ago in range(130, -1, -1):
        desk.add(days_ago)
    left = []
    for _ in range(7):
        desk.run()
        left.append(desk.kept()[0])
        desk.clock.pass_ms(DAY_MS)
        desk.store.note_retention(desk.clock() - DAY_MS)
    assert left == [123, 116, 109, 102, 95, 90, 90]


def test_a_run_that_is_broken_off_takes_no_more_the_same_day(desk: Desk) -> None:
    """However often a daemon is killed and started again under a wrong clock."""
    for days_ago in range(130, -1, -1):
        desk.add(days_ago)
    for _ in range(5):
        again = EvidenceRetention(desk.store, desk.clock, 90)
        desk.clock.pass_ms(61_000)
        again.step()
    assert desk.kept()[0] == 123


def test_a_clock_that_jumped_ahead_makes_nothing_old(desk: Desk) -> None:
    for days_ago in (80, 40, 0):
        desk.add(days_ago)
    desk.clock.pass_ms(70 * 365 * DAY_MS)
    desk.run()
    assert desk.kept() == [80, 40, 0]
    assert desk.collect()["tool_uses"] == 0


def test_under_a_clock_that_jumped_ahead_a_week_goes_a_day_until_it_is_set_right(
    desk: Desk,
) -> None:
    """Something was captured under it, so that it looks like the newest."""
    for days_ago in range(60, -1, -1):
        desk.add(days_ago)
    jump = 10 * 365
    desk.clock.pass_ms(jump * DAY_MS)
    desk.add(-jump)
    desk.run()
    assert desk.kept() == [*range(53, -1, -1), -jump]
    desk.clock.pass_ms(-jump * DAY_MS)
    desk.run()
    desk.clock.pass_ms(DAY_MS)
    desk.run()
    assert desk.kept() == [*range(53, -1, -1), -jump], "set right: all of it is young"


def test_after_a_long_absence_the_last_days_of_work_are_there(desk: Desk) -> None:
    for days_ago in (900, 700, 650):
        desk.add(days_ago)
    desk.run()
    assert desk.kept() == [700, 650]


def test_what_was_taken_in_late_is_young(desk: Desk) -> None:
    """Old sessions that are imported today keep their evidence for ninety days from today."""
    desk.add(100)
    desk.store.ingest(desk.where, [Says("old").use("t500", (TODAY - 500 * DAY_MS) // 1000)])
    turn = desk.store.next_turn(idle_before_ms=1 << 60)
    assert turn is not None
    desk.store.record(turn, [], at_ms=TODAY)
    desk.add(0)
    desk.run()
    assert desk.kept() == [500, 0]


def test_a_daemon_that_was_just_started_waits(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.add(200)
    desk.add(0)
    fresh = EvidenceRetention(desk.store, desk.clock, 90)
    assert not fresh.step()
    assert desk.kept() == [200, 0]
    desk.clock.pass_ms(60_000)
    assert fresh.step()
    assert desk.kept() == [0]
    desk.store.close()


def test_for_ever_is_for_ever(tmp_path: Path) -> None:
    desk = Desk(tmp_path, days=0)
    desk.add(5_000)
    desk.add(0)
    desk.run()
    assert desk.collect()["tool_uses"] == 0
    assert desk.store.retention_ran_at_ms() is None
    assert desk.kept() == [5_000, 0]
    desk.store.close()


def test_what_would_go_is_what_goes(desk: Desk) -> None:
    for days_ago in (200, 100, 50, 0):
        desk.add(days_ago)
    would = desk.collect(dry_run=True)
    assert desk.kept() == [200, 100, 50, 0]
    went = desk.collect()
    for told in (would, went):
        del told["dry_run"], told["given_back_bytes"]
    assert would == went
    assert went["tool_uses"] == 2
    assert went["oldest_at"] == TODAY - 200 * DAY_MS
    assert [share["name"] for share in went["projects"]] == ["app"]
    assert desk.kept() == [50, 0]
    assert desk.collect(7)["tool_uses"] == 1
    assert desk.collect(0)["tool_uses"] == 0
    assert desk.kept() == [0]


def test_more_than_a_batch_is_told_as_it_goes(desk: Desk) -> None:
    for days_ago in range(500, 0, -1):
        desk.add(days_ago)
    lines = list(desk.retention.collect(90, dry_run=False))
    assert [line["done"] for line in lines[:-1]] == [200, 400, 409]
    assert lines[-1]["result"]["projects"][0]["tool_uses"] == 409


@pytest.mark.parametrize("days", [-1, 36_501, 10**30])
def test_days_out_of_range_are_refused(desk: Desk, days: int) -> None:
    with pytest.raises(InvalidInput, match="0 to 36,500"):
        list(desk.retention.collect(days, dry_run=True))
