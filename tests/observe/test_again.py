"""The present observer over old evidence: ids stay, and nothing is overwritten by less."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from stores import Says

from memfold.observe.again import Again, matched
from memfold.records import Alias, Draft, FileMark, Observation
from memfold.store.ports import Known, Rewrite
from memfold.store.sqlite.store import SqliteStore

OLD = Draft("change", "Old title", evidence=(1, 2), at_ms=7, work_tokens=5)


def known(draft: Draft, at: int = 1, *, shared: bool = False) -> Known:
    return Known(Observation(at, f"u{at}", 1, 1, draft, 0), shared)


def test_the_same_evidence_is_the_same_observation() -> None:
    new = Draft("bugfix", "New title", evidence=(1, 2), at_ms=9)
    found = matched([new], [known(OLD)])
    assert found.changed[1].title == "New title"
    assert (found.changed[1].at_ms, found.changed[1].work_tokens) == (7, 5)
    assert not found.added


def test_a_title_finds_its_observation_before_the_evidence_does() -> None:
    new = Draft("bugfix", "old  TITLE", narrative="more", evidence=(3,))
    other = known(Draft("change", "Other", evidence=(3,)), 2)
    found = matched([new], [other, known(OLD)])
    assert list(found.changed) == [1]
    assert found.kept == 1


def test_what_says_the_same_is_not_touched() -> None:
    found = matched([OLD], [known(OLD)])
    assert (found.changed, found.added, found.same) == ({}, [], 1)


def test_what_a_model_or_a_person_wrote_is_not_overwritten() -> None:
    better = Draft("bugfix", "By a model", evidence=(1, 2), observer="claude/haiku")
    found = matched([OLD], [known(better)])
    assert (found.changed, found.added) == ({}, [])


def test_what_stands_on_other_turns_too_is_not_overwritten() -> None:
    found = matched([Draft("bugfix", "New", evidence=(1, 2))], [known(OLD, shared=True)])
    assert (found.changed, found.added) == ({}, [])


def test_hashes_of_that_time_stay() -> None:
    before = Draft("change", "T", files_changed=(FileMark("a", "ff"),), evidence=(1,))
    new = Draft("bugfix", "T", files_changed=(FileMark("a"), FileMark("b")), evidence=(1,))
    assert matched([new], [known(before)]).changed[1].files_changed == (
        FileMark("a", "ff"), FileMark("b"),
    )  # fmt: skip


def test_a_run_repairs_what_an_older_observer_made_and_goes_on(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "m.db")
    where = store.create("app", [Alias("directory", "/code/app")]).id
    made = []
    for at in range(60):
        say = Says(f"s{at}")
        told = f"Fixed the leak number {at}: the pool never gave connection {at} back to `run`."
        store.ingest(
            where, [say.prompt("mend", 1), say.use(f"t{at}", 2), say.reply(told, 3), say.stop(4)]
        )
        turn = store.next_turn(idle_before_ms=0)
        assert turn is not None
        old = Draft(
            "change", f"Old {at}", evidence=(turn.steps[0].id,), at_ms=2_000, observer="builtin/0"
        )
        made += [one.id for one in store.record(turn, [old], at_ms=9)]
    run = Again(store, lambda draft: len(draft.title), lambda: 10, threading.Lock)

    def result(**more: Any) -> dict[str, Any]:
        *_, last = run.run(0, None, **{"dry_run": False, "anew": False, **more})
        return dict(last["result"])

    dry = result(dry_run=True)
    assert (dry["turns"], dry["changed"]) == (60, 60)
    assert {entry.title for entry in store.recent([where], "observation", 1)} == {"Old 59"}
    broken_off = run.run(0, None, dry_run=False, anew=False)
    next(broken_off)
    del broken_off
    rest = result()
    assert 0 < rest["turns"] < 60
    assert rest["changed"] == rest["turns"]
    entries = store.recent([where], "observation", 99)
    assert sorted(entry.id for entry in entries) == sorted(made)
    assert all("leak number" in entry.title and entry.seen_count == 1 for entry in entries)
    again = result(anew=True)
    assert (again["turns"], again["changed"], again["added"], again["same"]) == (60, 0, 0, 60)
    assert result()["turns"] == 0
    assert store.rewrite([Rewrite(1, {})]) == ()
    store.close()
