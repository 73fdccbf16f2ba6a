"""ports.ModelDesk and ports.Rewriting on every store."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stores import STORES, Says, store  # the fixture

from memfold.records import Alias, Draft, FileMark
from memfold.store.ports import ModelCall, Rewrite, Scope, Store

CALL = ModelCall(0, 100, "m/1", "observe", 10, 20, 30, "open")


def observed(store: Store, *turns: str, session: str = "s1") -> list[int]:
    """Turns of one session, observed with one observation each; ids of the turns."""
    where = store.create(f"app-{session}", [Alias("directory", f"/code/{session}")]).id
    say, ids = Says(session), []
    for at, name in enumerate(turns):
        store.ingest(
            where, [say.prompt(name, at * 9 + 1), say.use(name, at * 9 + 2), say.stop(at * 9 + 3)]
        )
        turn = store.next_turn(idle_before_ms=0)
        assert turn is not None
        draft = Draft(
            "change", f"Did {name}", evidence=(turn.steps[0].id,), at_ms=turn.steps[0].at_ms
        )
        store.record(turn, [draft], at_ms=50)
        ids.append(turn.id)
    return ids


def test_a_turn_that_waits_is_due_with_those_of_its_session(store: Store) -> None:
    one, two = observed(store, "a", "b")
    (other,) = observed(store, "c", session="s2")
    store.wait_for_model(one, 100)
    store.wait_for_model(two, 900)
    store.wait_for_model(other, 200)
    assert store.due_for_model(99, 9) == ()
    assert store.due_for_model(100, 9) == (one, two)
    assert store.next_due_ms() == 100
    store.end_model_turns([one, two])
    assert store.due_for_model(1_000, 9) == (other,)


def test_a_turn_that_is_not_observed_yet_is_not_due(store: Store) -> None:
    (one,) = observed(store, "a")
    store.wait_for_model(one, 0)
    store.ingest(1, [Says("s1").use("late", 2)])
    assert store.due_for_model(10, 9) == ()


def test_a_lease_runs_out_and_too_many_end_it(store: Store) -> None:
    (one,) = observed(store, "a")
    store.wait_for_model(one, 0)
    for attempt in (1, 2, 3):
        store.lease([one], 1_000 * attempt)
        assert store.due_for_model(999, 9) == ()
        store.free_leases(999 * attempt, every=False, most_attempts=3)
        assert store.model_queue()["leased"] == 1
        store.free_leases(1_000 * attempt, every=False, most_attempts=3)
    assert store.model_queue() == {"waiting": 0, "leased": 0, "done": 0, "failed": 1}


def test_leases_of_who_is_gone_are_freed_at_once(store: Store) -> None:
    (one,) = observed(store, "a")
    store.wait_for_model(one, 0)
    store.lease([one], 1 << 50)
    store.free_leases(5, every=True, most_attempts=3)
    assert store.due_for_model(5, 9) == (one,)
    assert store.model_attempts(one) == 1


def test_an_attempt_that_was_not_the_turns_fault_does_not_count(store: Store) -> None:
    (one,) = observed(store, "a")
    store.wait_for_model(one, 0)
    store.lease([one], 1_000)
    store.postpone([one], 70, "wait", counts=False)
    assert store.model_attempts(one) == 0
    assert (store.due_for_model(69, 9), store.due_for_model(70, 9)) == ((), (one,))


def test_a_call_counts_as_estimated_until_it_is_settled(store: Store) -> None:
    row = dataclasses.replace(CALL, id=store.open_call(CALL))
    assert dataclasses.astuple(store.spent_since(100)) == (30, 30, 1)
    assert dataclasses.astuple(store.spent_since(101)) == (0, 0, 0)
    done = dataclasses.replace(row, tokens_in=1, tokens_out=2, cost_micro_usd=3, outcome="ok")
    store.settle_call(done)
    assert dataclasses.astuple(store.spent_since(0)) == (3, 3, 1)
    assert store.model_calls(5) == (done,)


def test_an_observation_is_said_anew_in_place(store: Store) -> None:
    (one,) = observed(store, "a")
    turn = store.whole_turn(one)
    assert turn is not None
    (known,) = store.known_of(turn)
    assert (known.shared, known.observation.draft.evidence) == (False, (turn.steps[0].id,))
    better = Draft(
        "bugfix", "Better", narrative="zebra", facts=("f",), files_changed=(FileMark("x", "ab"),),
        evidence=(turn.steps[0].id,), at_ms=2_000, observer="m/1", read_tokens=9,
    )  # fmt: skip
    added = Draft("change", "Another", evidence=(turn.steps[0].id,), at_ms=2_000, read_tokens=4)
    ids = store.rewrite([Rewrite(one, {known.observation.id: better}, [added])])
    assert ids[0] == known.observation.id
    (details,) = store.details([("observation", ids[0], 1)])
    assert details.observation is not None
    assert details.observation.uid == known.observation.uid
    assert details.observation.draft.title == "Better"
    assert [hit.id for hit in store.search([1], "zebra", 5)] == [ids[0]]
    assert store.totals([1])[:2] == (2, 13)


def test_what_is_gone_is_left_out(store: Store) -> None:
    (one,) = observed(store, "a")
    assert store.rewrite([Rewrite(one, {99: Draft("change", "X")}), Rewrite(77, {})]) == ()
    assert store.whole_turn(77) is None


def test_turns_are_reobserved_once_an_observer(store: Store) -> None:
    one, two = observed(store, "a", "b")
    assert store.to_reobserve(0, None, "o/1", 9) == (one, two)
    assert store.to_reobserve(10_000, 1, "o/1", 9) == (two,)
    assert store.to_reobserve(0, 99, "o/1", 9) == ()
    store.rewrite([Rewrite(one, {})], observer="o/1")
    assert store.to_reobserve(0, None, "o/1", 9) == (two,)
    assert store.count_to_reobserve(0, None, "o/1") == 1
    assert store.to_reobserve(0, None, "o/2", 9, store.whole_turn(one)) == (two,)
    store.forget_reobserved()
    assert store.count_to_reobserve(0, None, "o/1") == 2


def test_a_session_that_lost_evidence_is_left_alone(store: Store) -> None:
    observed(store, "a", "b")
    assert store.retire(1_000, 9).tool_uses == 1
    assert store.to_reobserve(0, None, "o/1", 9) == ()


STEPS = st.sampled_from(["wait", "lease", "postpone", "fault", "done", "fail", "expire", "restart"])


@given(steps=st.lists(STEPS, max_size=25))
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_turn_is_in_one_state_whatever_happens(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    """Waiting or leased until somebody says done or failed, or three leases ran out."""
    opened = STORES["sqlite"](tmp_path_factory.mktemp("desk"))
    try:
        (one,) = observed(opened, "a")
        opened.wait_for_model(one, 0)
        state, ended = "waiting", False
        for step in steps:
            if step == "wait":
                opened.wait_for_model(one, 0)
                ended = False
            elif step == "lease":
                opened.lease([one], 1_000)
            elif step in {"postpone", "fault"}:
                opened.postpone([one], 0, "later", counts=step == "fault")
            elif step in {"done", "fail"}:
                opened.end_model_turns([one], "no" if step == "fail" else "")
                ended = True
            else:
                opened.free_leases(1_000, every=step == "restart", most_attempts=3)
            queue = opened.model_queue()
            assert sum(queue.values()) == 1
            state = next(name for name, number in queue.items() if number)
            assert not ended or state in {"done", "failed"}
            assert ended or state != "done"
            if state == "failed" and not ended:
                assert opened.model_attempts(one) >= 3
            assert (one in opened.due_for_model(1_000, 9)) == (state == "waiting")
    finally:
        opened.close()


def test_an_answer_about_what_was_forgotten_meanwhile_is_dropped(store: Store) -> None:
    (one,) = observed(store, "a")
    (two,) = observed(store, "b", session="s2")
    asked = store.forgettings()
    said = Rewrite(two, {}, [Draft("change", "Said before it", at_ms=2_000)])
    store.forget(Scope(session="s1"), 1 << 50, dry_run=False)
    assert store.whole_turn(one) is None
    assert store.rewrite([said], forgettings=asked) == ()
    assert store.rewrite([said], forgettings=store.forgettings()) != ()


def test_what_a_provider_said_goes_when_anything_is_forgotten(store: Store) -> None:
    (one,) = observed(store, "a")
    observed(store, "b", session="s2")
    store.wait_for_model(one, 0)
    store.lease([one], 5_000)
    store.end_model_turns([one], "it quoted zanzibarium")
    call = dataclasses.replace(CALL, id=store.open_call(CALL))
    store.settle_call(dataclasses.replace(call, outcome="rejected", detail="it quoted zanzibarium"))
    store.forget(Scope(session="s2"), 1 << 50, dry_run=False)
    (kept,) = store.model_calls(5)
    assert (kept.outcome, kept.detail, kept.cost_micro_usd) == ("rejected", "", 30)
