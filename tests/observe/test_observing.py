"""A process that ends between two steps of observing: the next one makes up for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from stores import Says

from memfold.observing import Observing
from memfold.records import Alias, Summary, SummaryDraft
from memfold.store.sqlite.store import SqliteStore

SAYS = Says()


class Killed(BaseException):
    """As a kill: nothing that is under way catches it."""


class EndsBeforeTheSummary(SqliteStore):
    def put_summary(self, session_id: int, draft: SummaryDraft) -> Summary:
        raise Killed(session_id, draft.request)


def _edit(old: str, new: str) -> dict[str, str]:
    return {"file_path": "/code/app/pool.py", "old_string": old, "new_string": new}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """One observed turn that changed a file, and one not yet observed that took it back."""
    path = tmp_path / "m.db"
    store = SqliteStore.open(path)
    where = store.create("app", [Alias("directory", "/code/app")]).id
    file = ("/code/app/pool.py",)
    store.ingest(
        where,
        [
            SAYS.prompt("the pool runs empty", 1),
            SAYS.use("t1", 2, tool="Edit", input=_edit("take()", "wait()"), files_changed=file),
            SAYS.reply("`Pool.take` now waits because the last connection may come back.", 3),
            SAYS.stop(4),
        ],
    )
    assert Observing(store, lambda: 5_000).all_waiting() == 1
    store.ingest(
        where,
        [
            SAYS.prompt("that makes it slow, undo it", 6),
            SAYS.use("t2", 7, tool="Edit", input=_edit("wait()", "take()"), files_changed=file),
            SAYS.reply("Reverted the waiting in `pool.py`, because every request became slow.", 8),
            SAYS.stop(9),
        ],
    )
    store.close()
    return path


def test_a_kill_after_a_turn_was_stored_costs_neither_its_revert_nor_its_summary(
    database: Path,
) -> None:
    dying = EndsBeforeTheSummary.open(database)
    with pytest.raises(Killed):
        Observing(dying, lambda: 10_000).all_waiting()
    dying.close()

    store = SqliteStore.open(database)
    observing = Observing(store, lambda: 11_000)
    assert observing.all_waiting() == 0
    observing.summarise_missing()
    newer, older = store.recent([1], "observation", 9)
    assert older.superseded_by == newer.id
    (summary,) = store.recent([1], "summary", 9)
    (details,) = store.details([("summary", summary.id, 1)])
    assert details.summary is not None
    assert "Reverted the waiting" in details.summary.draft.completed + details.summary.draft.learned
    assert store.sessions_to_summarise() == ()
    store.close()
