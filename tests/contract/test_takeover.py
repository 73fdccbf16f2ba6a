"""Takeover on every store: another memory's entries once, found by the ids they had there."""

from __future__ import annotations

from typing import Any

from stores import Says, store  # the fixture

from memfold.records import Alias, Draft, Kind, PromptGiven, SummaryDraft, ToolUsed, WorkRow
from memfold.store.ports import OtherSession, Scope, Store


def session(name: str = "s1", **more: Any) -> OtherSession:
    common: dict[str, Any] = {"host": "claude-code", "session": name, "at_ms": 1_000}
    use = ToolUsed(**common, key="toolu_1", tool="Read", input={}, response="text")
    draft = Draft(type="gotcha-custom", title="Pools leak", narrative="on errors", at_ms=2_000)
    values: dict[str, Any] = {
        **common,
        "prompts": [(12, PromptGiven(**common, text="why does it leak"))],
        "tool_uses": [(3, use)],
        "observations": [(41, draft, ("toolu_1", "toolu_gone"))],
        "summaries": [7, 8],
        "summary": SummaryDraft(request="Find the leak", learned="errors", at_ms=3_000),
        **more,
    }
    return OtherSession(**values)


def test_entries_are_found_by_the_ids_they_had(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    memory = store.other_memory("first")
    taken = store.take_over(memory, where, session(), at_ms=9_000)
    assert dict(taken.stored) == {"prompt": 1, "tool_use": 1, "observation": 1, "summary": 2}
    observation = store.entry_of_alias(memory, "observation", 41)
    summary = store.entry_of_alias(memory, "summary", 7)
    prompt = store.entry_of_alias(memory, "prompt", 12)
    assert observation is not None
    assert summary is not None
    assert prompt is not None
    assert store.entry_of_alias(memory, "summary", 8) == summary
    assert store.entry_of_alias(memory, "observation", 7) is None
    assert store.entry_of_alias(memory + 1, "observation", 41) is None
    found = store.details(
        [
            ("observation", observation, where),
            ("summary", summary, where),
            ("prompt", prompt, where),
        ]
    )
    assert [one.entry.title for one in found] == ["Pools leak", "Find the leak", "why does it leak"]
    assert found[0].entry.type == "gotcha-custom"
    assert found[0].evidence_retired == 0
    (use,) = store.tool_uses(found[0].evidence, [where])
    assert (use.key, use.response) == ("toolu_1", "text")
    assert [one.id for one in store.search([where], "pools leak", 5)][:1] == [observation]


def test_nothing_is_taken_twice(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    memory = store.other_memory("first")
    store.take_over(memory, where, session(), at_ms=9_000)
    before = (store.counts().observations, store.version([where]))
    again = store.take_over(memory, where, session(), at_ms=9_000)
    assert sum(again.stored.values()) == 0
    assert sum(again.known.values()) == 5
    assert (store.counts().observations, store.version([where])) == before
    assert set(store.known_there(memory, "observation", [40, 41, 42])) == {41}
    assert store.other_memory("first") == memory


def test_a_copy_that_counts_as_another_memory_meets_the_same_entries(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    first, second = store.other_memory("first"), store.other_memory("second")
    assert (first, second) == (1, 2)
    store.take_over(first, where, session(), at_ms=9_000)
    taken = store.take_over(second, where, session(), at_ms=9_000)
    assert sum(taken.stored.values()) == 0
    pairs: list[tuple[Kind, int]] = [("observation", 41), ("summary", 7), ("prompt", 12)]
    for kind, other_id in pairs:
        found = store.entry_of_alias(second, kind, other_id)
        assert found == store.entry_of_alias(first, kind, other_id) is not None


def test_what_was_captured_is_known_and_keeps_its_summary(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    common: dict[str, Any] = {"host": "claude-code", "session": "s1", "at_ms": 1_000}
    store.ingest(
        where,
        [
            PromptGiven(**common, text="why does it leak"),
            ToolUsed(**common, key="toolu_1", tool="Read", input={}, response="as captured"),
        ],
    )
    known = store.session("claude-code", "s1")
    assert known is not None
    own = store.put_summary(known.id, SummaryDraft(request="Our own", at_ms=5_000))
    memory = store.other_memory("first")
    other = store.create("other", []).id
    taken = store.take_over(memory, other, session(), at_ms=9_000)
    assert dict(taken.stored) == {"observation": 1}
    assert store.entry_of_alias(memory, "summary", 7) == own.id
    (entry,) = store.recent([where], "observation", 5)
    assert entry.project_id == where, "a session stays with its project"
    (found,) = store.details([("summary", own.id, where)])
    assert found.entry.title == "Our own"


def test_taken_tool_uses_are_not_observed_again_but_captured_ones_are(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    memory = store.other_memory("first")
    store.take_over(memory, where, session(), at_ms=9_000)
    assert store.counts().waiting == 0
    assert store.next_turn(idle_before_ms=1 << 60) is None
    says = Says("live")
    store.ingest(where, [says.use("k", 5), says.stop(6)])
    store.take_over(memory, where, session("live", host="h", prompts=[], summary=None), at_ms=9_000)
    turn = store.next_turn(idle_before_ms=1 << 60)
    assert turn is not None
    assert turn.session.host_session == "live"


def test_work_state_is_appended_once_in_order(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    memory = store.other_memory("first")
    rows = [
        (1, WorkRow("plan", {"task": "a", "status": "todo"}, 1_000)),
        (2, WorkRow("plan", {"task": "a", "status": "done"}, 2_000)),
    ]
    assert store.take_over_work(memory, where, rows[:1]).stored["work"] == 1
    taken = store.take_over_work(memory, where, rows)
    assert (taken.stored["work"], taken.known["work"]) == (1, 1)
    (item,) = [one for one in store.current([where], "plan") if one.task]
    assert item.fields["status"] == "done"
    assert len(store.log([where])) == 2


def test_what_was_forgotten_is_not_taken_over_again(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    memory = store.other_memory("first")
    store.take_over(memory, where, session(), at_ms=9_000)
    entry = store.entry_of_alias(memory, "observation", 41)
    assert entry is not None
    store.forget(Scope(observations=(entry,)), 9_000, dry_run=False)
    assert store.entry_of_alias(memory, "observation", 41) is None
    assert not any(store.take_over(memory, where, session(), at_ms=9_500).stored.values())
    assert store.counts().observations == 0


def test_nothing_of_a_forgotten_time_is_taken_over(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    memory = store.other_memory("first")
    store.forget(Scope(until_ms=2_500), 9_000, dry_run=False)
    taken = store.take_over(memory, where, session(), at_ms=9_000)
    assert dict(taken.stored) == {"summary": 2}
    assert dict(taken.forgotten) == {"prompt": 1, "tool_use": 1, "observation": 1}
    rows = [
        (1, WorkRow("plan", {"title": "old"}, 2_000)),
        (2, WorkRow("plan", {"title": "new"}, 3_000)),
    ]
    work = store.take_over_work(memory, where, rows)
    assert (work.stored["work"], work.forgotten["work"]) == (1, 1)
    assert [row.fields["title"] for row in store.log([where])] == ["new"]
    old = SummaryDraft(request="Find the leak", at_ms=2_000)
    later = session("s2", summaries=[70], summary=old)
    assert store.take_over(memory, where, later, at_ms=9_000).forgotten["summary"] == 1
