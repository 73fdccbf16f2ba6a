"""What is forgotten is gone, with what was learned from it, and does not come back."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from counting_embedder import CountingEmbedder
from stores import Says, store

from memfold.records import Alias, Draft, Event, SummaryDraft, ToolUse, WorkRow
from memfold.store.needs.forgetting import ForgetCount, Scope
from memfold.store.ports import Store
from memfold.store.sqlite import full_text
from memfold.store.sqlite.store import SqliteStore

__all__ = ["store"]
NOW_MS = 1_000_000_000
WORD = "zanzibarium"


def session(name: str, at: int, word: str) -> list[Event]:
    says = Says(name)
    return [
        says.prompt(f"please look at {word} in {name}", at, key=f"p-{name}"),
        says.use(f"toolu-{name}-1", at + 1, response=f"the {word} is here"),
        says.use(f"toolu-{name}-2", at + 2, response="nothing of note"),
        says.reply(f"I found the {word} of {name}", at + 3),
        says.stop(at + 4),
    ]


def learn(store: Store, project_id: int, name: str, at: int, word: str) -> list[int]:
    """A session that was observed: an observation a tool use and a summary. The tool uses."""
    store.ingest(project_id, session(name, at, word))
    turn = store.next_turn(idle_before_ms=1 << 60)
    assert turn is not None
    uses = [step for step in turn.steps if isinstance(step, ToolUse)]
    drafts = [
        Draft(type="change", title=f"{use.response} {use.key}", evidence=(use.id,), at_ms=use.at_ms)
        for use in uses
    ]
    store.record(turn, drafts, at_ms=at * 1000 + 9)
    store.put_summary(turn.session.id, SummaryDraft(request=f"look at {word}", at_ms=at * 1000 + 9))
    return [use.id for use in uses]


@pytest.fixture
def two(store: Store) -> tuple[int, int]:
    first = store.create("first", [Alias("directory", "/code/first")]).id
    second = store.create("second", [Alias("directory", "/code/second")]).id
    learn(store, first, "s1", 100, WORD)
    learn(store, first, "s2", 200, "common thing")
    learn(store, second, "s3", 300, "other thing")
    store.append(first, [WorkRow("plan", {"task": "a", "title": WORD}, 100_500, "s1")])
    return first, second


def left(store: Store) -> tuple[int, ...]:
    count = store.counts()
    return (count.sessions, count.prompts, count.tool_uses, count.observations, count.summaries)


def again(store: Store, first: int, second: int) -> None:
    """Everything is sent once more, as an import of the transcripts would."""
    store.ingest(first, session("s1", 100, WORD))
    store.ingest(first, session("s2", 200, "common thing"))
    store.ingest(second, session("s3", 300, "other thing"))


@pytest.mark.parametrize(
    ("scope", "gone", "stays"),
    [
        (Scope(session="s1"), ForgetCount(0, 1, 1, 1, 2, 2, 1, 1), (2, 2, 4, 4, 2)),
        (
            Scope(since_ms=150_000, until_ms=250_000),
            ForgetCount(0, 1, 1, 1, 2, 2, 1, 0),
            (2, 2, 4, 4, 2),
        ),
        # s1 keeps the tool use that does not hold the word; what the turn taught goes.
        (Scope(text=WORD.upper()), ForgetCount(0, 0, 1, 1, 1, 2, 1, 1), (3, 2, 5, 4, 2)),
    ],
)
def test_what_fits_goes_and_stays_away(
    store: Store, two: tuple[int, int], scope: Scope, gone: ForgetCount, stays: tuple[int, ...]
) -> None:
    before = left(store)
    assert store.forget(scope, NOW_MS, dry_run=True) == gone
    assert left(store) == before
    assert not store.is_unswept()
    assert store.forget(scope, NOW_MS, dry_run=False) == gone
    assert left(store) == stays
    again(store, *two)
    assert left(store) == stays
    assert store.is_unswept()
    assert store.sweep() > 0
    assert not store.is_unswept()
    assert not store.forget(scope, NOW_MS, dry_run=False)


def test_a_project_goes_whole_and_its_directory_may_be_worked_in_again(
    store: Store, two: tuple[int, int]
) -> None:
    first, second = two
    gone = store.forget(Scope(project_ids=(first,)), NOW_MS, dry_run=False)
    assert gone == ForgetCount(1, 2, 2, 2, 4, 4, 2, 1)
    assert left(store) == (1, 1, 2, 2, 1)
    assert store.by_name("first") is None
    assert store.log([first]) == ()
    anew = store.create("first", [Alias("directory", "/code/first")]).id
    again(store, anew, second)
    assert left(store) == (1, 1, 2, 2, 1)
    count = store.ingest(anew, [Says("s1").use("toolu-later", NOW_MS // 1000 + 1)])
    assert count.tool_uses == 1


def test_a_project_goes_with_those_merged_into_it_and_notes_written_elsewhere(
    store: Store, two: tuple[int, int]
) -> None:
    first, second = two
    store.note(first, "h", "s3", Draft(type="decision", title="From another room", at_ms=300_500))
    store.note(second, "h", "s1", Draft(type="decision", title="To another room", at_ms=100_500))
    merged = store.create("third", [Alias("directory", "/code/third")]).id
    learn(store, merged, "s9", 900, WORD)
    store.merge([merged], first)
    gone = store.forget(Scope(project_ids=(first,)), NOW_MS, dry_run=False)
    assert (gone.projects, gone.sessions, gone.observations) == (1, 3, 8)
    assert left(store)[:2] == (1, 1)
    assert [count.project.name for count in store.all_projects()] == ["second"]
    assert store.totals([second])[0] == 2


def test_ids_take_what_rests_on_nothing_else(store: Store, two: tuple[int, int]) -> None:
    (use,) = learn(store, two[0], "s4", 400, "fourth")[:1]
    before = left(store)
    gone = store.forget(Scope(tool_uses=(use,)), NOW_MS, dry_run=False)
    assert gone == ForgetCount(tool_uses=1, observations=1, summaries=1)
    again(store, *two)
    store.ingest(two[0], session("s4", 400, "fourth"))
    assert left(store) == (
        before[0],
        before[1],
        before[2] - 1,
        before[3] - 1,
        before[4] - 1,
    )


def test_an_observation_with_other_evidence_keeps_it(store: Store) -> None:
    project = store.create("p", [Alias("directory", "/p")]).id
    store.ingest(project, session("s1", 100, "thing"))
    turn = store.next_turn(idle_before_ms=1 << 60)
    assert turn is not None
    uses = [step.id for step in turn.steps if isinstance(step, ToolUse)]
    draft = Draft(type="change", title="Both", evidence=tuple(uses), at_ms=101_000)
    (made,) = store.record(turn, [draft], at_ms=105_000)
    store.forget(Scope(tool_uses=(uses[0],)), NOW_MS, dry_run=False)
    (details,) = store.details([("observation", made.id, project)])
    assert details.evidence == (uses[1],)
    assert details.evidence_retired == 0
    store.forget(Scope(tool_uses=(uses[1],)), NOW_MS, dry_run=False)
    assert store.counts().observations == 0


def test_totals_and_search_follow(store: Store, two: tuple[int, int]) -> None:
    store.forget(Scope(text=WORD), NOW_MS, dry_run=False)
    assert store.totals([two[0]])[0] == 2
    assert store.current([two[0]]) == ()


def test_vectors_go_with_their_entries(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    opened = SqliteStore.open(tmp_path / "m.db", embedder=embedder)
    project = opened.create("p", [Alias("directory", "/p")]).id
    learn(opened, project, "s1", 100, WORD)
    learn(opened, project, "s2", 200, "thing")
    while opened.embed_waiting(50):
        pass
    assert opened.nearest([project], WORD, ("", ()))
    opened.forget(Scope(session="s1"), NOW_MS, dry_run=False)
    opened.sweep()
    kinds_and_ids = {row // full_text.SPAN for row, _ in opened.nearest([project], WORD, ("", ()))}
    kept = apsw.Connection(str(tmp_path / "m.db"))
    assert {entry for (entry,) in kept.execute("SELECT entry FROM entry_vectors")} == kinds_and_ids
    assert len(kinds_and_ids) == 4  # a prompt, two observations, a summary
    kept.close()
    opened.close()


def test_no_byte_is_left_after_the_sweep(tmp_path: Path) -> None:
    opened = SqliteStore.open(tmp_path / "m.db")
    project = opened.create("p", [Alias("directory", "/p")]).id
    for number in range(20):
        learn(opened, project, f"s{number}", 100 * (number + 1), WORD if number % 3 else "thing")
    opened.forget(Scope(text=WORD), NOW_MS, dry_run=False)
    opened.sweep()
    for file in tmp_path.iterdir():
        assert WORD.encode() not in file.read_bytes().lower(), file
    opened.close()
    for file in tmp_path.iterdir():
        assert WORD.encode() not in file.read_bytes().lower(), file
