"""ports.EvidenceLog on every store: kept once however often and in whatever order it is sent."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import STORES, Says, store  # the fixture

from memfold.records import (
    Alias,
    Draft,
    Event,
    Reply,
    SessionStarted,
    SummaryDraft,
    ToolUse,
    Turn,
)
from memfold.store.ports import Store

SAYS = Says()
STORY: list[Event] = [
    SAYS.prompt("first", 10, "p1"),
    SAYS.use("t1", 11),
    SAYS.reply("looked", 12),
    SAYS.use("t2", 13),
    SAYS.stop(14),
    SAYS.prompt("second", 20, "p2"),
    SAYS.use("t3", 21, ok=False),
    SAYS.reply("fixed it", 22),
    SAYS.stop(23),
    SAYS.end(24),
]


def project(store: Store) -> int:
    return store.create("app", [Alias("directory", "/code/app")]).id


def kept(store: Store) -> tuple[set[str], set[str], set[str]]:
    """(tool use keys, prompts, replies) of everything that can be observed."""
    uses = {use.key for use in store.tool_uses(range(1, 50), None)}
    prompts: set[str] = set()
    replies: set[str] = set()
    while (turn := store.next_turn(idle_before_ms=1 << 60)) is not None:
        prompts |= {turn.prompt.text} if turn.prompt else set()
        replies |= {step.text for step in turn.steps if isinstance(step, Reply)}
        store.record(turn, [], at_ms=1)
    return uses, prompts, replies


def told(store: Store) -> list[tuple[str, list[str]]]:
    """Each turn with its prompt and what happened in it, as the observer is given them."""
    turns = []
    while (turn := store.next_turn(idle_before_ms=0)) is not None:
        steps = [step.text if isinstance(step, Reply) else step.key for step in turn.steps]
        turns.append((turn.prompt.text if turn.prompt else "", steps))
        store.record(turn, [], at_ms=1)
    return turns


def waiting(store: Store) -> Turn:
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    return turn


def test_a_second_time_adds_nothing(store: Store) -> None:
    where = project(store)
    first = store.ingest(where, STORY)
    assert (first.prompts, first.tool_uses, first.replies) == (2, 3, 2)
    again = store.ingest(where, STORY)
    assert (again.prompts, again.tool_uses, again.replies, again.known) == (0, 0, 0, 7)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(range(len(STORY))), max_size=25), st.permutations(range(len(STORY)))
)
def test_order_and_repetition_change_nothing(doubled: list[int], order: list[int]) -> None:
    """Spool, transcript and live hooks bring events late, twice and mixed: the turns are the same,
    closed, each with what happened in it. Before any prompt there is a turn without one."""
    story = [SAYS.use("t0", 5), *STORY[:-1]]
    for make in STORES.values():
        with tempfile.TemporaryDirectory() as folder:
            opened = make(Path(folder))
            where = project(opened)
            for at in [*doubled, *order]:
                opened.ingest(where, [story[at]])
            assert {use.key for use in opened.tool_uses(range(1, 9), None)} == {
                "t0", "t1", "t2", "t3",
            }  # fmt: skip
            assert told(opened) == [
                ("", ["t0"]),
                ("first", ["t1", "looked", "t2"]),
                ("second", ["t3", "fixed it"]),
            ]
            opened.close()


def test_the_work_of_a_resumed_session_is_not_over(store: Store) -> None:
    """A host that says goodbye may be resumed under the same id."""
    where = project(store)
    store.ingest(where, [SAYS.prompt("a", 1), SAYS.use("t1", 2), SAYS.end(3)])
    store.ingest(where, [SAYS.prompt("b", 10), SAYS.use("t2", 11)])
    session = store.session("h", "s1")
    assert session is not None
    assert not session.ended
    assert told(store) == [("a", ["t1"])]
    store.ingest(where, [SAYS.end(12)])
    assert told(store) == [("b", ["t2"])]


def test_words_that_come_after_their_turn_was_observed_are_looked_at(store: Store) -> None:
    """A host may write the last lines of its transcript after it has said that it stopped."""
    where = project(store)
    store.ingest(where, [SAYS.prompt("a", 1), SAYS.use("t1", 2), SAYS.stop(9)])
    assert told(store) == [("a", ["t1"])]
    store.ingest(where, [SAYS.reply("and so it is", 8)])
    assert told(store) == [("a", ["and so it is"])]


def test_words_said_while_the_observer_works_are_looked_at(store: Store) -> None:
    where = project(store)
    store.ingest(where, [SAYS.prompt("a", 1), SAYS.use("t1", 2), SAYS.stop(9)])
    turn = waiting(store)
    store.ingest(where, [SAYS.reply("late", 8)])
    store.record(turn, [], at_ms=10)
    assert told(store) == [("a", ["late"])]


@pytest.mark.parametrize("number", [10**30, -(10**30)])
def test_a_number_beyond_every_measure_does_not_refuse_its_run(store: Store, number: int) -> None:
    """A payload may say anything: what is accepted must not fail for ever in the spool."""
    count = store.ingest(project(store), [SAYS.use("t1", 1, duration_ms=number), SAYS.use("t2", 2)])
    assert count.tool_uses == 2


def test_a_prompt_is_known_by_its_text_for_ten_seconds(store: Store) -> None:
    """A transcript's prompt may have no key, or the hook's may not."""
    where = project(store)
    store.ingest(where, [SAYS.prompt("go", 10, "p1"), SAYS.prompt("go", 15)])
    assert store.counts().prompts == 1
    store.ingest(where, [SAYS.prompt("go", 30), SAYS.prompt("go", 16, "p2")])
    assert store.counts().prompts == 3


def test_a_late_prompt_takes_over_its_tool_uses(store: Store) -> None:
    where = project(store)
    store.ingest(where, [SAYS.use("t1", 11), SAYS.stop(12)])
    store.ingest(where, [SAYS.prompt("go", 10)])
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    assert turn.prompt is not None
    assert [step.key for step in turn.steps if isinstance(step, ToolUse)] == ["t1"]


@pytest.mark.parametrize("late", [False, True])
def test_a_private_turn_keeps_nothing(store: Store, late: bool) -> None:
    where = project(store)
    events = [SAYS.prompt("", 10, "p1", private=True), SAYS.use("t1", 11), SAYS.reply("no", 12)]
    count = store.ingest(where, list(reversed(events)) if late else events)
    store.ingest(where, [SAYS.prompt("open", 20, "p2"), SAYS.use("t2", 21), SAYS.stop(22)])
    assert [use.key for use in store.tool_uses(range(1, 9), None)] == ["t2"]
    assert sum(count.skipped.values()) == 1
    assert kept(store)[1] == {"open"}


def test_a_private_prompt_heard_of_late_takes_back_what_was_learned(store: Store) -> None:
    """What a private turn taught must not be shown, searched, counted or summed up."""
    where = project(store)
    store.ingest(where, [SAYS.prompt("open", 1, "p1"), SAYS.use("t1", 2), SAYS.stop(3)])
    store.ingest(where, [SAYS.use("t2", 11), SAYS.reply("hush", 12), SAYS.stop(13)])
    turn = waiting(store)
    drafts = [
        Draft(type="change", title=f"Learned from {step.key}", evidence=(step.id,), at_ms=step.at_ms,
              read_tokens=5, work_tokens=50)
        for step in turn.steps if isinstance(step, ToolUse)
    ]  # fmt: skip
    store.record(turn, drafts, at_ms=20)
    store.put_summary(turn.session.id, SummaryDraft(request="open", learned="hush", at_ms=20))
    before = store.version([where])
    count = store.ingest(where, [SAYS.prompt("", 10, "p2", private=True)])
    assert count.skipped == {"private": 1}
    assert store.version([where]) > before
    assert [e.title for e in store.recent([where], "observation", 9)] == ["Learned from t1"]
    assert store.recent([where], "summary", 9) == ()
    assert store.totals([where]) == (1, 5, 50)
    assert {e.title for e in store.search([where], "learned hush open", 9)} == {
        "Learned from t1",
        "open",
    }


def test_a_turn_that_turns_out_private_while_it_is_observed_teaches_nothing(store: Store) -> None:
    where = project(store)
    store.ingest(where, [SAYS.use("t1", 11), SAYS.stop(12)])
    turn = waiting(store)
    store.ingest(where, [SAYS.prompt("", 10, "p1", private=True)])
    draft = Draft(type="change", title="Secret", evidence=(turn.steps[0].id,), at_ms=11_000)
    assert store.record(turn, [draft], at_ms=20) == ()
    assert store.recent([where], "observation", 9) == ()
    assert told(store) == []


def test_private_words_leave_no_trace(store: Store, tmp_path: Path) -> None:
    """Not even when a caller hands them over with the mark."""
    store.ingest(project(store), [SAYS.prompt("the launch code", 1, private=True)])
    assert store.recent([1], "prompt", 9) == ()
    assert store.search(None, "launch code", 9) == ()
    assert store.find("prompt", 1) is None
    assert not any(b"launch" in file.read_bytes() for file in tmp_path.iterdir() if file.is_file())


def test_a_clock_that_goes_back_loses_nothing(store: Store) -> None:
    where = project(store)
    store.ingest(where, [SAYS.prompt("go", 100), SAYS.use("t1", 50), SAYS.use("t2", 101)])
    assert kept(store)[0] == {"t1", "t2"}


def test_prices_that_come_later_are_taken(store: Store) -> None:
    where = project(store)
    store.ingest(where, [SAYS.use("t1", 1)])
    store.ingest(where, [SAYS.use("t1", 1, work_tokens=70)])
    store.ingest(where, [SAYS.use("t1", 1, work_tokens=99)])
    assert store.tool_uses([1], None)[0].work_tokens == 70


def test_a_large_response_loses_its_middle_and_says_so(store: Store) -> None:
    store.ingest(project(store), [SAYS.use("t1", 1, response="x" * 3_000_000)])
    (use,) = store.tool_uses([1], None)
    assert use.dropped_bytes > 1_900_000
    assert "bytes dropped" in use.response


def test_strange_texts_come_back(store: Store) -> None:
    given = {"a": ["\u202e", "\x00", "漢字", "\ud83d"], "n": None, "f": 1.5}
    store.ingest(project(store), [SAYS.use("t1", 1, input=given), SAYS.reply("\ud83d", 2)])
    assert store.tool_uses([1], None)[0].input == given


def test_offsets_are_kept(store: Store) -> None:
    assert store.import_offset("/x") == (0, "")
    store.set_import_offset("/x", 5, "f")
    store.set_import_offset("/x", 9, "g")
    assert store.import_offset("/x") == (9, "g")


def test_a_session_remembers_where_it_began(store: Store) -> None:
    where = project(store)
    assert store.session("h", "s1") is None
    store.ingest(where, STORY)
    session = store.session("h", "s1")
    assert session is not None
    assert (session.project_id, session.cwd, session.started_at_ms) == (where, "/code/app", 10_000)
    assert (session.last_at_ms, session.ended) == (24_000, True)
    assert store.counts().last_event == {"h": 24_000}


def test_a_result_that_comes_after_the_call_was_given_up_is_kept(store: Store) -> None:
    """A transcript imported while its session works tells of calls that have no result yet."""
    app = project(store)
    store.ingest(app, [SAYS.use("t1", 11, ok=False, response=None), SAYS.stop(12)])
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    store.record(turn, [], at_ms=13_000)
    store.ingest(app, [SAYS.use("t1", 14, files_changed=("/code/app/a.py",))])
    (use,) = store.tool_uses([1], None)
    assert (use.response, use.ok, use.files_changed) == ("done t1", True, ("/code/app/a.py",))
    assert store.counts().waiting == 1, "what it taught was not observed"


def test_a_result_once_kept_is_not_replaced(store: Store) -> None:
    app = project(store)
    store.ingest(app, [SAYS.use("t1", 11, ok=False, response="Exit code 1")])
    store.ingest(app, [SAYS.use("t1", 12, response="another")])
    store.ingest(app, [SAYS.use("t1", 12, ok=False, response=None)])
    (use,) = store.tool_uses([1], None)
    assert (use.response, use.ok) == ("Exit code 1", False)


def test_each_way_in_adds_what_the_other_did_not_know(store: Store) -> None:
    app = project(store)
    store.ingest(app, [SAYS.use("t1", 11, work_tokens=40)])
    store.ingest(app, [SAYS.use("t1", 11, duration_ms=7, agent_type="Explore", work_tokens=90)])
    (use,) = store.tool_uses([1], None)
    assert (use.work_tokens, use.duration_ms, use.agent_type) == (40, 7, "Explore")


def test_a_key_is_known_in_its_session_alone(store: Store) -> None:
    store.ingest(project(store), [SAYS.use("t1", 11)])
    assert store.has_tool_use("h", "s1", "t1")
    assert not store.has_tool_use("h", "s1", "t2")
    assert not store.has_tool_use("h", "s2", "t1")
    assert not store.has_tool_use("other", "s1", "t1")


def test_recent_transcripts_come_last_heard_first(store: Store) -> None:
    app = project(store)
    for at, name in ((10, "a"), (30, "b"), (20, "c"), (5, "old"), (40, "none")):
        path = "" if name == "none" else f"/t/{name}.jsonl"
        started = SessionStarted(
            host="h", session=name, at_ms=at * 1000, cwd="/code/app", transcript=path
        )
        store.ingest(app, [started])
    found = store.recent_transcripts(10_000, 2)
    assert [(one.host_session, one.transcript) for one in found] == [
        ("b", "/t/b.jsonl"),
        ("c", "/t/c.jsonl"),
    ]
    assert len(store.recent_transcripts(0, 50)) == 4
