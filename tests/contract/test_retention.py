"""ports.Retention on every store: evidence goes by age, what was learned from it stays."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from stores import STORES, Says, store  # the fixture

from memfold.records import Alias, Draft, Event, FileMark, SummaryDraft, ToolUse
from memfold.store.ports import RetentionCount, Store

SAYS = Says()
STORY: list[Event] = [
    SAYS.prompt("first", 10, "p1"),
    SAYS.use("t1", 11, files_read=("/code/app/a.py",), files_changed=("/code/app/b.py",)),
    SAYS.reply("looked", 12),
    SAYS.use("t2", 13),
    SAYS.stop(14),
    SAYS.prompt("second", 20, "p2"),
    SAYS.use("t3", 21),
    SAYS.stop(22),
]
LAST = Says("last")  # what is stored last never goes


def remembered(store: Store, events: list[Event], at_ms: int) -> int:
    """The events taken in and observed at a moment: one observation a turn with tool uses."""
    known = store.by_name("app")
    where = known.id if known else store.create("app", [Alias("directory", "/code/app")]).id
    store.ingest(where, events)
    observe(store, at_ms)
    return where


def observe(store: Store, at_ms: int) -> None:
    while (turn := store.next_turn(idle_before_ms=1 << 60)) is not None:
        used = [step for step in turn.steps if isinstance(step, ToolUse)]
        asked = turn.prompt.text if turn.prompt else turn.session.host_session
        draft = Draft(type="change", title=f"Learned {asked}", evidence=tuple(u.id for u in used),
                      at_ms=turn.session.started_at_ms)  # fmt: skip
        store.record(turn, [draft] if used else [], at_ms=at_ms)


def keys(store: Store) -> list[str]:
    return [use.key for use in store.tool_uses(range(1, 200), None)]


def evidence(store: Store, where: int) -> list[tuple[str, int, int]]:
    """(title, kept, retired) of every observation."""
    found = sorted(store.recent([where], "observation", 99), key=lambda e: e.id)
    details = store.details([("observation", e.id, where) for e in found])
    return [(d.entry.title, len(d.evidence), d.evidence_retired) for d in details]


def test_old_evidence_goes_and_what_it_taught_stays(store: Store) -> None:
    where = remembered(store, STORY, 100)
    remembered(store, [LAST.use("new", 90), LAST.stop(91)], 200)
    before = store.counts()
    would = store.retirable(150)
    assert (would.tool_uses, would.oldest_at_ms) == (3, 100)
    assert [(s.project, s.tool_uses) for s in would.projects] == [("app", 3)]
    assert store.retire(150, 99) == would
    assert keys(store) == ["new"]
    assert evidence(store, where) == [
        ("Learned first", 0, 2), ("Learned second", 0, 1), ("Learned last", 1, 0),
    ]  # fmt: skip
    after = store.counts()
    assert after.tool_uses == 1
    assert (after.prompts, after.observations, after.sessions, after.waiting) == (
        before.prompts, before.observations, before.sessions, 0,
    )  # fmt: skip
    assert [e.title for e in store.search([where], "learned first", 1)] == ["Learned first"]
    assert [r.text for r in store.digest(1).replies] == ["looked"]


def test_what_it_says_about_bytes_is_what_is_stored(store: Store) -> None:
    remembered(store, [SAYS.use("t1", 1, input={}, response="x" * 998), SAYS.stop(2)], 100)
    remembered(store, [LAST.use("new", 3)], 200)
    assert store.retirable(150).bytes == 1_002  # {} and the text in quotes


def test_nothing_goes_that_waits_for_the_observer(store: Store) -> None:
    remembered(store, STORY, 100)
    store.ingest(1, [SAYS.use("late", 12), LAST.use("new", 90)])
    assert store.retire(1 << 60, 99).tool_uses == 3
    assert keys(store) == ["late", "new"]
    assert store.evidence_span() is None
    observe(store, 300)
    assert store.evidence_span() == (300, 300)


def test_it_goes_at_the_moment_and_not_before(store: Store) -> None:
    remembered(store, [SAYS.use("t1", 1), SAYS.stop(2)], 100)
    remembered(store, [LAST.use("new", 3)], 200)
    assert store.evidence_span() == (100, 200)
    assert store.retirable(100) == store.retire(100, 9) == RetentionCount()
    assert store.retire(101, 9).tool_uses == 1


def test_the_oldest_go_first_and_no_more_than_asked_for(store: Store) -> None:
    for number in range(6):
        remembered(store, [SAYS.use(f"t{number}", number), SAYS.stop(number)], 600 - number)
    remembered(store, [LAST.use("new", 90)], 700)
    assert store.retire(1_000, 4).tool_uses == 4
    assert keys(store) == ["t0", "t1", "new"]
    assert [store.retire(1_000, 4).tool_uses for _ in range(2)] == [2, 0]


def test_a_batch_is_bounded_in_bytes_and_never_stuck(store: Store) -> None:
    big = [SAYS.use(f"t{n}", n, response=_noise(n, 1_000_000)) for n in range(40)]
    remembered(store, [*big, SAYS.stop(50)], 100)
    remembered(store, [LAST.use("new", 90)], 200)
    batches = []
    while (gone := store.retire(150, 99)).tool_uses:
        assert gone.bytes <= 16 * 1024 * 1024
        batches.append(gone.tool_uses)
    assert sum(batches) == 40
    assert len(batches) > 1


def _noise(seed: int, size: int) -> str:
    return random.Random(seed).randbytes(size // 2).hex()  # compresses to a half


@pytest.mark.parametrize("limit", [1, 99])
def test_a_retired_tool_use_does_not_come_back(store: Store, limit: int) -> None:
    """Its transcript may be read again, its event may be delivered twice."""
    where = remembered(store, STORY, 100)
    remembered(store, [LAST.use("new", 90)], 200)
    while store.retire(150, limit).tool_uses:
        pass
    taught = evidence(store, where)
    again = store.ingest(where, STORY)
    assert (again.prompts, again.tool_uses, again.replies, again.known) == (0, 0, 0, 6)
    assert keys(store) == ["new"]
    assert store.next_turn(idle_before_ms=1 << 60) is None
    assert evidence(store, where) == taught
    assert store.ingest(where, [SAYS.use("t1", 11, work_tokens=70)]).known == 1


def test_the_same_key_in_another_session_is_another_tool_use(store: Store) -> None:
    where = remembered(store, STORY, 100)
    remembered(store, [LAST.use("new", 90)], 200)
    store.retire(150, 99)
    assert store.ingest(where, [Says("s2").use("t1", 11)]).tool_uses == 1


def test_what_was_never_there_is_still_taken_in(store: Store) -> None:
    """A part of an old session that is heard of for the first time teaches something yet."""
    where = remembered(store, STORY, 100)
    remembered(store, [LAST.use("new", 90)], 200)
    store.retire(150, 99)
    assert store.ingest(where, [SAYS.use("t9", 13)]).tool_uses == 1
    turn = store.next_turn(idle_before_ms=1 << 60)
    assert turn is not None
    assert [step.key for step in turn.steps if isinstance(step, ToolUse)] == ["t9"]


def test_ids_are_never_given_again(store: Store) -> None:
    """An agent may still hold an id that was shown to it."""
    remembered(store, [SAYS.use("t1", 1), SAYS.use("t2", 2), SAYS.stop(3)], 100)
    assert store.retire(1 << 60, 99).tool_uses == 1
    store.ingest(1, [SAYS.use("t3", 4)])
    assert [(u.id, u.key) for u in store.tool_uses([1, 2, 3], None)] == [(2, "t2"), (3, "t3")]


def test_what_a_project_shows_changes_when_its_evidence_goes(store: Store) -> None:
    where = remembered(store, STORY, 100)
    remembered(store, [LAST.use("new", 90)], 200)
    version = store.version([where])
    store.retire(50, 99)
    assert store.version([where]) == version
    store.retire(150, 99)
    assert store.version([where]) > version


def test_a_resumed_sessions_summary_keeps_its_files(store: Store) -> None:
    """It is made anew from what is there; the files of retired tool uses are part of what was
    learned."""
    where = remembered(store, [], 1)
    store.ingest(where, STORY)
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    draft = Draft(type="change", title="T", evidence=(turn.steps[0].id,), at_ms=11_000,
                  files_read=("a.py",), files_changed=(FileMark("b.py"),))  # fmt: skip
    store.record(turn, [draft], at_ms=100)
    observe(store, 100)
    remembered(store, [LAST.use("new", 90)], 200)
    store.retire(150, 99)
    store.ingest(where, [SAYS.use("t4", 80, files_changed=("/code/app/c.py",))])
    digest = store.digest(turn.session.id)
    assert digest.files_read == ("a.py",)
    assert digest.files_changed == ("b.py", "/code/app/c.py")


def test_a_private_prompt_heard_of_after_its_evidence_went_takes_back_what_it_taught(
    store: Store,
) -> None:
    where = remembered(store, [SAYS.use("t2", 11), SAYS.stop(13)], 100)
    store.put_summary(1, SummaryDraft(request="hush", at_ms=20))
    remembered(store, [LAST.use("new", 90), LAST.stop(91)], 200)
    store.retire(150, 99)
    store.ingest(where, [SAYS.prompt("", 10, "p2", private=True)])
    assert evidence(store, where) == [("Learned last", 1, 0)]
    assert store.recent([where], "summary", 9) == ()


def test_a_private_turn_in_which_nothing_was_done_leaves_the_summary_alone(store: Store) -> None:
    where = remembered(store, STORY, 100)
    store.put_summary(1, SummaryDraft(request="first", at_ms=20))
    remembered(store, [LAST.use("new", 90)], 200)
    store.retire(150, 99)
    store.ingest(where, [SAYS.prompt("", 60, "p9", private=True)])
    assert [row[0] for row in evidence(store, where)] == [
        "Learned first",
        "Learned second",
        "Learned last",
    ]
    assert [e.title for e in store.recent([where], "summary", 9)] == ["first"]


def test_evidence_taken_back_by_a_private_prompt_is_not_called_retired(store: Store) -> None:
    where = remembered(store, [SAYS.use("t1", 1), SAYS.stop(2)], 100)
    store.ingest(where, [SAYS.use("t2", 11), SAYS.stop(12)])
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    same = Draft(type="change", title="Learned s1", evidence=(turn.steps[-1].id,), at_ms=11_000)
    store.record(turn, [same], at_ms=100)
    assert [row[1:] for row in evidence(store, where)] == [(2, 0)]
    store.ingest(where, [SAYS.prompt("", 10, private=True)])
    assert [row[1:] for row in evidence(store, where)] == [(1, 0)]


def test_links_lead_both_ways_within_the_projects(store: Store) -> None:
    where = remembered(store, STORY, 100)
    other = store.create("other", []).id
    assert store.evidence_of([1, 2], [where]) == ((1, (1, 2)), (2, (3,)))
    assert store.observations_from([1, 2, 3, 9], [where]) == {1: (1,), 2: (1,), 3: (2,)}
    assert store.observations_from([1, 2, 3], None) == {1: (1,), 2: (1,), 3: (2,)}
    assert store.observations_from([1, 2, 3], [other]) == {}
    assert store.observations_from([], None) == {}
    remembered(store, [LAST.use("new", 90)], 200)
    store.retire(150, 99)
    assert store.observations_from([1, 2, 3], None) == {}
    assert store.evidence_of([1, 2], [where]) == ((1, ()), (2, ()))


def test_a_tool_use_names_all_that_was_learned_from_it(store: Store) -> None:
    where = remembered(store, [], 1)
    store.ingest(where, STORY)
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    drafts = [Draft(type="change", title=f"T{n}", evidence=(1,), at_ms=n) for n in range(3)]
    store.record(turn, drafts, at_ms=100)
    assert store.observations_from([1], [where]) == {1: (1, 2, 3)}


def test_when_the_daily_run_began_is_remembered(store: Store) -> None:
    assert store.retention_ran_at_ms() is None
    store.note_retention(5)
    store.note_retention(3)
    assert store.retention_ran_at_ms() == 3


def test_space_is_given_back_in_bounds(store: Store) -> None:
    big = [SAYS.use(f"t{n}", n, response=_noise(n, 400_000)) for n in range(20)]
    remembered(store, [*big, SAYS.stop(30)], 100)
    remembered(store, [LAST.use("new", 90)], 200)
    assert store.give_back(1 << 30) == 0
    while store.retire(150, 5).tool_uses:
        pass
    first = store.give_back(1_000_000)
    assert 0 < first <= 1_000_000
    given = first
    while freed := store.give_back(1_000_000):
        assert freed <= 1_000_000
        given += freed
    assert given > 2_000_000
    assert keys(store) == ["new"]


class Retiring(RuleBasedStateMachine):
    """Events in any order and as often as they like, observers and retention in between."""

    kind = ""  # of the store

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self.store = STORES[self.kind](Path(self._folder.name))
        self.where = remembered(self.store, [SAYS.prompt("first", 10, "p1")], 1)
        self.now = 100
        self.taken: set[str] = set()
        self.observed: dict[str, int] = {}  # key -> when
        self.retired: set[str] = set()
        self.order: list[str] = []  # as stored

    def teardown(self) -> None:
        self.store.close()
        self._folder.cleanup()

    @rule(number=st.integers(0, 9))
    def take(self, number: int) -> None:
        key = f"t{number}"
        count = self.store.ingest(self.where, [SAYS.use(key, 11 + number)])
        assert count.tool_uses == (key not in self.taken)
        if key not in self.taken:
            self.order.append(key)
        self.taken.add(key)

    @rule(passes=st.integers(0, 5))
    def look(self, passes: int) -> None:
        self.now += passes
        observe(self.store, self.now)
        for key in self.taken - set(self.observed):
            self.observed[key] = self.now

    @rule(age=st.integers(-2, 12), limit=st.integers(1, 4))
    def retire(self, age: int, limit: int) -> None:
        before = self.now - age
        old = [(at, self.order.index(key), key) for key, at in self.observed.items()
               if at < before and key not in self.retired and key != self.order[-1]]  # fmt: skip
        going = [key for _, _, key in sorted(old)[:limit]]
        assert self.store.retirable(before).tool_uses == len(old)
        assert self.store.retire(before, limit).tool_uses == len(going)
        self.retired.update(going)

    @invariant()
    def each_is_kept_or_retired_and_counted(self) -> None:
        assert set(keys(self.store)) == self.taken - self.retired
        rows = evidence(self.store, self.where)
        assert sum(kept for _, kept, _ in rows) == len(set(self.observed) - self.retired)
        assert sum(gone for _, _, gone in rows) == len(self.retired)


@pytest.mark.parametrize("kind", sorted(STORES))
def test_in_any_order_each_is_kept_or_retired_once(kind: str) -> None:
    bounds = settings(max_examples=20, stateful_step_count=15, deadline=None)
    run_state_machine_as_test(type("OfKind", (Retiring,), {"kind": kind}), settings=bounds)
