"""When raw evidence has had its time: the rule, the daily run, and what `memfold gc` does."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from memfold.errors import InvalidInput
from memfold.store.ports import ProjectShare, Retention, RetentionCount

log = logging.getLogger(__name__)
DAY_MS = 24 * 60 * 60 * 1000
MOST_DAYS = 36_500
STEP_MS = 7 * DAY_MS  # of the oldest evidence: the most that one daily run takes
BATCH = 200  # tool uses of one transaction: some 25 ms, in which hooks wait
_SETTLE_MS = 60_000  # a daemon that was just started has better things to do
_GIVE_BACK_BYTES = 4 * 1024 * 1024  # at a time, some 50 ms
_GIVE_BACK_A_DAY = 16  # times


def retired_before_ms(now_ms: int, days: int, span: tuple[int, int] | None) -> int:
    """Evidence observed before this moment has had its time; 0 where none has.

    ``span``: when the oldest and the newest evidence were observed. Days count back from now or
    from the newest, whichever is earlier: after a long absence the last days of work are still
    there, and a clock that jumped ahead makes nothing old.
    """
    if days <= 0 or span is None:
        return 0
    return max(min(now_ms, span[1]) - days * DAY_MS, 0)


def daily_before_ms(now_ms: int, days: int, span: tuple[int, int] | None) -> int:
    """The same for a run that nobody watches: it takes at most the oldest seven days.

    So a clock that jumped ahead, and under which something was captured already, costs a week of
    the oldest evidence for each day that nobody sets it right, not all of it at once.
    """
    if span is None:
        return 0
    return min(retired_before_ms(now_ms, days, span), span[0] + STEP_MS)


def is_due(now_ms: int, ran_at_ms: int | None) -> bool:
    """Once a day. A run in the future was one under a clock that has been set right since."""
    return ran_at_ms is None or not 0 <= now_ms - ran_at_ms < DAY_MS


@dataclass(slots=True)
class _Run:
    """A daily run under way."""

    before_ms: int
    retired: int = 0
    given_back: int = 0  # times


class EvidenceRetention:
    """Retires evidence of one store; ``days`` 0 keeps it for ever."""

    def __init__(self, store: Retention, clock: Callable[[], int], days: int) -> None:
        self._store = store
        self._clock = clock
        self._days = days
        self._began_ms = clock()
        self._run: _Run | None = None

    def step(self) -> bool:
        """A little of the daily run, where one is due; whether to call again soon."""
        if self._run is None:
            self._run = self._begin()
        if self._run is None:
            return False
        if self._goes_on(self._run):
            return True
        if self._run.retired:
            log.info("%d tool uses were retired by age", self._run.retired)
        self._run = None
        return False

    def _begin(self) -> _Run | None:
        now_ms = self._clock()
        if not self._days or abs(now_ms - self._began_ms) < _SETTLE_MS:
            return None
        if not is_due(now_ms, self._store.retention_ran_at_ms()):
            return None
        # Noted first: a run that is broken off goes on tomorrow, so that however often a daemon
        # is killed, one day takes no more than its share.
        self._store.note_retention(now_ms)
        return _Run(daily_before_ms(now_ms, self._days, self._store.evidence_span()))

    def _goes_on(self, run: _Run) -> bool:
        gone = self._store.retire(run.before_ms, BATCH).tool_uses
        run.retired += gone
        if gone:
            return True
        run.given_back += 1
        return run.given_back <= _GIVE_BACK_A_DAY and self._store.give_back(_GIVE_BACK_BYTES) > 0

    def collect(self, days: int | None, *, dry_run: bool) -> Iterator[dict[str, Any]]:
        """Retire at once what has had its time, or say what would go.

        Progress lines ``{"done", "total"}`` (tool uses), then ``{"result": ...}``. ``days`` None:
        as set. Raises InvalidInput.
        """
        if days is not None and not 0 <= days <= MOST_DAYS:
            raise InvalidInput(
                f"`days` is {days}; it must be 0 to {MOST_DAYS:,}.",
                "Give the days of evidence to keep, or 0 to keep all.",
            )
        days = self._days if days is None else days
        before_ms = retired_before_ms(self._clock(), days, self._store.evidence_span())
        would_go = self._store.retirable(before_ms)
        told = {"days": days, "dry_run": dry_run, "before": before_ms}
        if dry_run:
            yield {"result": {**told, **_figures(would_go), "given_back_bytes": 0}}
            return
        went = RetentionCount()
        while (batch := self._store.retire(before_ms, BATCH)).tool_uses:
            went = _added(went, batch)
            yield {"done": went.tool_uses, "total": max(would_go.tool_uses, went.tool_uses)}
        given_back = 0
        if went.tool_uses:
            while freed := self._store.give_back(_GIVE_BACK_BYTES):
                given_back += freed
        yield {"result": {**told, **_figures(went), "given_back_bytes": given_back}}


def _figures(count: RetentionCount) -> dict[str, Any]:
    return {
        "tool_uses": count.tool_uses,
        "bytes": count.bytes,
        "oldest_at": count.oldest_at_ms,
        "projects": [
            {"name": share.project, "tool_uses": share.tool_uses, "bytes": share.bytes}
            for share in count.projects
        ],
    }


def _added(one: RetentionCount, other: RetentionCount) -> RetentionCount:
    uses: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for share in (*one.projects, *other.projects):
        uses[share.project] += share.tool_uses
        sizes[share.project] += share.bytes
    first = [at for at in (one.oldest_at_ms, other.oldest_at_ms) if at is not None]
    return RetentionCount(
        tool_uses=one.tool_uses + other.tool_uses,
        bytes=one.bytes + other.bytes,
        oldest_at_ms=min(first, default=None),
        projects=tuple(
            ProjectShare(name, count, sizes[name])
            for name, count in sorted(uses.items(), key=lambda pair: (-pair[1], pair[0]))
        ),
    )
