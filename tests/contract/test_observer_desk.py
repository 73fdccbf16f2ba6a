"""ports.ObserverDesk on every store: work is a query, so a crash loses none."""

from __future__ import annotations

import pytest
from stores import Says, store  # the fixture

from memfold.errors import NotFound
from memfold.records import Alias, Draft, Event, FileMark, SummaryDraft, ToolUse, Turn
from memfold.store.ports import Store

SAYS = Says()


def taken(store: Store, *events: Event) -> int:
    where = store.create("app", [Alias("directory", "/code/app")]).id
    store.ingest(where, events)
    return where


def next_turn(store: Store) -> Turn:
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    return turn


@pytest.mark.parametrize(
    ("closing", "idle_before_ms"),
    [
        ([SAYS.stop(9)], 0),
        ([SAYS.prompt("next", 9)], 0),
        ([SAYS.end(9)], 0),
        ([], 9_000),
    ],
    ids=["stopped", "next prompt", "session ended", "idle"],
)
def test_a_closed_turn_is_given(
    store: Store,
    closing: list[Event],
    idle_before_ms: int,
) -> None:
    taken(store, SAYS.prompt("go", 1), SAYS.use("t1", 2))
    assert store.next_turn(idle_before_ms=0) is None
    store.ingest(1, closing)
    turn = store.next_turn(idle_before_ms=idle_before_ms)
    assert turn is not None
    assert [step.key for step in turn.steps if isinstance(step, ToolUse)] == ["t1"]


def test_turns_come_oldest_first_and_once(store: Store) -> None:
    taken(
        store, SAYS.prompt("a", 1), SAYS.use("t1", 2, files_read=("/x.py",)), SAYS.stop(3),
        SAYS.prompt("b", 4), SAYS.use("t2", 5), SAYS.reply("told", 6), SAYS.stop(7),
    )  # fmt: skip
    first = next_turn(store)
    assert first.prompt is not None
    assert first.prompt.text == "a"
    store.record(first, [], at_ms=8)
    second = next_turn(store)
    assert [p.text for p in second.earlier_prompts] == ["a"]
    assert second.earlier_files == ("/x.py",)
    store.record(second, [], at_ms=8)
    assert store.next_turn(idle_before_ms=1 << 60) is None


def test_what_comes_late_is_given_again_alone(store: Store) -> None:
    where = taken(store, SAYS.prompt("a", 1), SAYS.use("t1", 2), SAYS.stop(9))
    store.record(next_turn(store), [], at_ms=10)
    store.ingest(where, [SAYS.use("t2", 5)])
    late = next_turn(store)
    assert [step.key for step in late.steps if isinstance(step, ToolUse)] == ["t2"]


def test_an_observation_keeps_all_it_was_given(store: Store) -> None:
    taken(store, SAYS.prompt("a", 1), SAYS.use("t1", 2), SAYS.stop(3))
    turn = next_turn(store)
    draft = Draft(
        type="bugfix", title="Fixed it", subtitle="s", narrative="n", facts=("f",),
        concepts=("gotcha",), files_read=("r",), files_changed=(FileMark("c", "ab"),),
        evidence=(turn.steps[0].id,), at_ms=2_000, agent="a1", read_tokens=7, work_tokens=70,
        observer="builtin/9", reason="title: the sentence\ntype: bugfix", said="I fixed it.",
    )  # fmt: skip
    (made,) = store.record(turn, [draft], at_ms=4)
    (details,) = store.details([("observation", made.id, made.project_id)])
    assert details.observation is not None
    assert details.observation.draft == draft
    assert details.evidence == draft.evidence


def test_the_same_fact_is_strengthened_not_repeated(store: Store) -> None:
    """Titles are compared without case and blanks, within project and type."""
    taken(
        store, SAYS.prompt("a", 1), SAYS.use("t1", 2), SAYS.stop(3),
        SAYS.prompt("b", 4), SAYS.use("t2", 5), SAYS.stop(6),
    )  # fmt: skip
    one = next_turn(store)
    first = Draft(type="bugfix", title="Fixed the leak", evidence=(one.steps[0].id,), at_ms=2)
    store.record(one, [first], at_ms=7)
    two = next_turn(store)
    again = Draft(type="bugfix", title="fixed  the LEAK", evidence=(two.steps[0].id,), at_ms=5)
    other = Draft(type="change", title="Fixed the leak", at_ms=5)
    store.record(two, [again, other], at_ms=7)
    found = store.recent([1], "observation", 9)
    assert sorted((e.type, e.seen_count) for e in found) == [("bugfix", 2), ("change", 1)]
    strong = next(e for e in found if e.type == "bugfix")
    assert store.evidence_of([strong.id], None)[0][1] == (one.steps[0].id, two.steps[0].id)


def test_a_fact_that_is_looked_at_again_is_not_counted_again(store: Store) -> None:
    """A turn is given again for what came late; its replies come with it."""
    where = taken(store, SAYS.prompt("a", 1), SAYS.use("t1", 2), SAYS.stop(9))
    turn = next_turn(store)
    draft = Draft(type="decision", title="Keep it", evidence=(turn.steps[0].id,), at_ms=2_000)
    store.record(turn, [draft], at_ms=10)
    store.ingest(where, [SAYS.use("t2", 5)])
    store.record(next_turn(store), [draft], at_ms=11)
    (entry,) = store.recent([where], "observation", 9)
    assert entry.seen_count == 1
    assert store.details([("observation", entry.id, where)])[0].evidence_retired == 0


def test_what_another_session_strengthens_is_given_back(store: Store) -> None:
    where = taken(store, SAYS.prompt("a", 1), SAYS.use("t1", 2), SAYS.stop(3))
    draft = Draft(type="bugfix", title="Fixed the leak", at_ms=2_000)
    (made,) = store.record(next_turn(store), [draft], at_ms=4)
    other = Says("s2")
    store.ingest(where, [other.prompt("b", 1), other.use("t1", 2), other.stop(3)])
    (again,) = store.record(next_turn(store), [draft], at_ms=5)
    assert (again.id, again.seen_count) == (made.id, 2)


def test_what_a_turn_took_back_is_superseded_with_what_it_taught(store: Store) -> None:
    where = taken(store, SAYS.prompt("a", 1), SAYS.use("t1", 2), SAYS.stop(3))
    drafts = [Draft(type="change", title=title, at_ms=2_000) for title in ("Waits", "Logs")]
    waits, logs = (one.id for one in store.record(next_turn(store), drafts, at_ms=4))
    foreign = store.note(store.create("other", []).id, "h", "s9", drafts[0]).id
    store.ingest(where, [SAYS.prompt("b", 5), SAYS.use("t2", 6), SAYS.stop(7)])
    back = [
        Draft(type="change", title="Took it back", at_ms=6_000),
        Draft(type="change", title="logs", at_ms=6_000),
    ]
    # Its own project's alone, and not what the turn itself met again.
    undone = [[waits, logs, foreign, 999], []]
    took, again = store.record(next_turn(store), back, at_ms=8, taken_back=undone)
    assert again.id == logs
    found = {one.id: one.superseded_by for one in store.recent([where], "observation", 9)}
    assert found == {waits: took.id, logs: None, took.id: None}
    other = store.find("observation", foreign)
    assert other is not None
    assert other.superseded_by is None


@pytest.mark.parametrize(
    ("observer", "at_ms", "stale"),
    [("builtin/1", 9_001, True), ("builtin/1", 9_000, False), ("model/x", 9_001, False)],
)
def test_a_summary_is_stale_that_is_older_than_what_our_observer_made(
    store: Store, observer: str, at_ms: int, stale: bool
) -> None:
    taken(store, SAYS.prompt("a", 1), SAYS.use("t1", 2), SAYS.stop(3))
    draft = Draft(type="change", title="T", at_ms=at_ms, observer=observer)
    store.record(next_turn(store), [draft], at_ms=10)
    assert store.sessions_to_summarise() == (1,)  # it has none
    store.put_summary(1, SummaryDraft(request="a", at_ms=9_000))
    assert store.sessions_to_summarise() == ((1,) if stale else ())


def test_evidence_that_is_not_there_is_not_linked(store: Store) -> None:
    """A model may name what it was not shown."""
    where = taken(store, SAYS.prompt("a", 1), SAYS.use("t1", 2), SAYS.stop(3))
    (made,) = store.record(
        next_turn(store), [Draft(type="change", title="T", evidence=(1, 999))], at_ms=4
    )
    (details,) = store.details([("observation", made.id, where)])
    assert (details.evidence, details.evidence_retired) == ((1,), 0)


def test_a_session_has_one_summary(store: Store) -> None:
    taken(store, SAYS.prompt("a", 1), SAYS.use("t1", 2, files_changed=("/c",)), SAYS.reply("r", 3))
    digest = store.digest(1)
    assert [p.text for p in digest.prompts] == ["a"]
    assert digest.files_changed == ("/c",)
    assert [r.text for r in digest.replies] == ["r"]
    made = store.put_summary(1, SummaryDraft(request="one", at_ms=1))
    again = store.put_summary(1, SummaryDraft(request="two", learned="x", at_ms=2))
    assert made.id == again.id
    assert [e.title for e in store.recent([1], "summary", 9)] == ["two"]
    with pytest.raises(NotFound):
        store.digest(99)


def test_titles_that_are_known_are_listed(store: Store) -> None:
    taken(store, SAYS.prompt("a", 1), SAYS.use("t1", 2), SAYS.stop(3))
    drafts = [Draft(type="change", title=f"Title {n}", at_ms=n) for n in range(3)]
    store.record(next_turn(store), drafts, at_ms=4)
    assert store.existing_titles(1, 2) == ("Title 2", "Title 1")
