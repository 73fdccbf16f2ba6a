"""A data directory as it is after months of work: evidence of any age, made through the ports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stores import Says

from memfold import wire
from memfold.records import Alias, Draft, Event, ToolUse
from memfold.store.sqlite.store import SqliteStore

DAY_MS = 24 * 60 * 60 * 1000


def day_of_work(at_ms: int, uses: int) -> list[Event]:
    """A session of one turn on one day."""
    says, second = Says(f"session-{at_ms}"), at_ms // 1000
    return [
        says.prompt(f"prompt of {at_ms}", second),
        *(says.use(f"toolu-{at_ms}-{n}", second + n) for n in range(uses)),
        says.reply(f"reply of {at_ms}", second + uses),
        says.stop(second + uses),
    ]


def grow_old(home: Path, cwd: Path, days: Sequence[int], uses: int, *, project: str = "app") -> int:
    """Each of the days (moments, ms) was observed then: an observation a tool use. How many."""
    home.mkdir(parents=True, exist_ok=True)
    store = SqliteStore.open(home / wire.DATABASE)
    where = store.create(project, [Alias("directory", str(cwd))]).id
    for at_ms in days:
        store.ingest(where, day_of_work(at_ms, uses))
        turn = store.next_turn(idle_before_ms=1 << 60)
        assert turn is not None
        drafts = [
            Draft(type="change", title=f"Learned {step.key}", evidence=(step.id,), at_ms=step.at_ms)
            for step in turn.steps
            if isinstance(step, ToolUse)
        ]
        store.record(turn, drafts, at_ms=at_ms)
    store.close()
    return len(days) * uses
