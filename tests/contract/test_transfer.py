"""Transfer on every store: out and in again, once, whatever is there; what was forgotten stays away."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import STORES, Says, store  # the fixture

from memfold.errors import InvalidInput, StoreTooNew
from memfold.records import Alias, Draft, Event, FileMark, SummaryDraft, ToolUse, WorkRow
from memfold.store.ports import Scope, Store
from memfold.transfer import export_to, import_from


def last(lines: Iterator[dict[str, Any]]) -> dict[str, Any]:
    return dict(list(lines)[-1]["result"])


def out(store: Store, path: Path) -> dict[str, Any]:
    return last(export_to(store, path))


def into(store: Store, path: Path) -> dict[str, Any]:
    return last(import_from(store, path, contextlib.nullcontext))


@contextlib.contextmanager
def another(kind: str = "sqlite") -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        opened = STORES[kind](Path(folder))
        yield opened
        opened.close()


def kept(store: Store) -> tuple[int, ...]:
    now = store.counts()
    return now.projects, now.sessions, now.prompts, now.tool_uses, now.observations, now.summaries


def observe(store: Store) -> None:
    """Each waiting turn teaches one thing; its session gets a summary."""
    while (turn := store.next_turn(idle_before_ms=1 << 60)) is not None:
        uses = [step.id for step in turn.steps if isinstance(step, ToolUse)]
        draft = Draft(
            type="discovery",
            title=f"Turn {turn.id} of {turn.session.host_session}",
            narrative="it « works »",
            evidence=tuple(uses),
            files_changed=(FileMark("/code/app/a.py"),),
            at_ms=turn.steps[-1].at_ms if turn.steps else 5,
        )
        store.record(turn, [draft], at_ms=9_000_000)
        store.put_summary(turn.session.id, SummaryDraft(request="r", learned="l", at_ms=9))


def fill(store: Store, name: str = "app", sessions: int = 2) -> int:
    project = store.create(name, [Alias("directory", f"/code/{name}"), Alias("name", name)]).id
    for number in range(sessions):
        says = Says(f"{name}-{number}")
        events = [says.prompt(f"do {number}", 1, "k1"), says.use("a", 2), says.reply("done", 3)]
        store.ingest(
            project, [*events, says.stop(4), says.prompt("do it again", 5), says.use("b", 6)]
        )
    observe(store)
    store.append(project, [WorkRow("plan", {"task": "one", "status": "doing"}, 7, f"{name}-0")])
    return project


def test_an_empty_store_becomes_the_same(store: Store, tmp_path: Path) -> None:
    project = fill(store)
    fill(store, "other")
    store.supersede(1, 2)
    store.pin(3, [1], at_ms=5)
    told = out(store, tmp_path / "a.zst")
    assert told["tables"]["observations"] == 8
    assert (tmp_path / "a.zst").stat().st_mode & 0o777 == 0o600
    with another() as empty:
        taken = into(empty, tmp_path / "a.zst")
        assert taken["new"]["observations"] == 8
        assert not any(taken[key] for key in ("known", "forgotten", "retired", "renumbered"))
        assert empty.counts().observations == 8
        assert empty.current([project], "plan") == store.current([project], "plan")
        hits = [one.id for one in empty.search([project], "works", 9)]
        assert hits == [one.id for one in store.search([project], "works", 9)] != []
        out(empty, tmp_path / "b.zst")
        again = into(empty, tmp_path / "a.zst")
        assert again["new"] == {}
    assert (tmp_path / "a.zst").read_bytes() == (tmp_path / "b.zst").read_bytes()


def test_nothing_is_lost_and_nothing_twice_in_a_store_that_is_at_work(
    store: Store, tmp_path: Path
) -> None:
    fill(store)
    out(store, tmp_path / "a.zst")
    with another() as here:
        fill(here, "elsewhere")
        mine = here.create("app", [Alias("directory", "/code/app")]).id
        here.ingest(mine, [Says("app-0").prompt("do 0", 1, "k1"), Says("app-0").use("a", 2)])
        here.append(mine, [WorkRow("plan", {"task": "mine", "status": "doing"}, 7, "x")])
        before = here.counts()
        taken = into(here, tmp_path / "a.zst")
        assert taken["known"] == {
            "projects": 1,
            "sessions": 1,
            "turns": 1,
            "prompts": 1,
            "tool_uses": 1,
        }
        assert taken["renumbered"]["observations"] == 4
        assert taken["lists"] == {"plan": "plan (imported)"}
        after, kept_after = here.counts(), kept(here)
        assert after.projects == before.projects
        assert after.observations == before.observations + 4
        assert after.tool_uses == before.tool_uses + 3
        titles = {one.title for one in here.search([mine], "turn", 9)}
        assert {"Turn 1 of app-0", "Turn 4 of app-1"} <= titles
        assert [row.task for row in here.current([mine], "plan")] == ["mine"]
        theirs = here.current([mine], "plan (imported)")
        assert [row.task for row in theirs] == ["one"]
        for entry in here.details([("observation", i, mine) for i in range(5, 9)]):
            assert len(here.tool_uses(entry.evidence, [mine])) == 1
        assert into(here, tmp_path / "a.zst")["new"] == {}
        assert kept(here) == kept_after


def test_lists_of_a_hosts_own_tool_are_mirrored_not_laid_over_each_other(
    store: Store, tmp_path: Path
) -> None:
    def mirrored(task: str, **more: str) -> WorkRow:
        return WorkRow("TodoWrite", {"task": task, "status": "todo", **more}, 7, "s")

    project = fill(store)
    store.append(project, [mirrored("theirs", host_session="app-0"), mirrored("by hand")])
    store.plans_seen(99)
    out(store, tmp_path / "a.zst")
    with another() as here:
        mine = here.create("app", [Alias("directory", "/code/app")]).id
        here.append(mine, [mirrored("mine", host_session="other")])
        here.plans_seen(99)
        taken = into(here, tmp_path / "a.zst")
        assert taken["known"]["work_state_entries"] == 1
        assert taken["lists"] == {"TodoWrite": "TodoWrite (imported)"}
        assert [row.task for row in here.current([mine], "TodoWrite")] == ["mine"]
        assert [row.task for row in here.current([mine], "TodoWrite (imported)")] == ["by hand"]
        assert here.new_plans().seen == 0  # the calls that came are looked at


@pytest.mark.parametrize(
    "scope",
    [
        Scope(session="app-0"),
        Scope(text="do 0"),
        Scope(observations=(1,)),
        Scope(project_ids=(1,)),
        Scope(tool_uses=(1,)),
        Scope(since_ms=1, until_ms=3_500),
    ],
)
def test_what_was_forgotten_does_not_come_back(store: Store, tmp_path: Path, scope: Scope) -> None:
    fill(store)
    out(store, tmp_path / "a.zst")
    store.forget(scope, 10_000_000, dry_run=False)
    left = kept(store)
    taken = into(store, tmp_path / "a.zst")
    assert sum(taken["forgotten"].values()) > 0
    assert {name: number for name, number in taken["new"].items() if number} == {}
    assert kept(store)[:5] == left[:5]


def test_retired_evidence_stays_retired_and_what_it_taught_comes(
    store: Store, tmp_path: Path
) -> None:
    fill(store)
    out(store, tmp_path / "a.zst")
    assert store.retire(1 << 60, limit=3).tool_uses == 3
    left = kept(store)
    taken = into(store, tmp_path / "a.zst")
    assert taken["retired"] == {"tool_uses": 3}
    assert kept(store) == left
    with another() as here:
        out(store, tmp_path / "b.zst")
        into(here, tmp_path / "b.zst")  # the traces of what retired come along
        assert into(here, tmp_path / "a.zst")["retired"] == {"tool_uses": 3}
        assert here.counts().observations == 4


def test_a_run_that_broke_off_goes_on(store: Store, tmp_path: Path) -> None:
    fill(store, sessions=5)
    out(store, tmp_path / "a.zst")
    with another() as here:
        lines = [dict([pair]) for pair in store.export_lines()]
        for upto in (3, 11, 20, len(lines) - 1):
            here.import_run().take(lines[:upto])  # and then the machine stops
        taken = into(here, tmp_path / "a.zst")
        assert taken["renumbered"] == {}
        out(here, tmp_path / "b.zst")
    assert (tmp_path / "a.zst").read_bytes() == (tmp_path / "b.zst").read_bytes()


def broken(path: Path, tmp_path: Path, body: bytes) -> Path:
    (tmp_path / "broken").write_bytes(body)
    return tmp_path / "broken"


HEAD = b'["memfold",{"format":1,"schema":13}]\n'


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "ends too early"),
        (b"dear diary\n", "Line 1 is not one"),
        (b'{"a": 1}\n', "Line 1 is not one"),
        (b'["other",{}]\n', "no export of memfold"),
        (HEAD, "ends too early"),
        (HEAD + b'["end",{"lines":3}]\n', "0 lines are there, 3 were written"),
        (HEAD + b'["end",{"lines":0}]\n["turns",{}]\n', "is not one"),
        (HEAD + b'["sqlite_schema",{}]\n["end",{"lines":1}]\n', "unknown kind of line"),
        (HEAD + b'["turns",{"id":1,"session_id":7}]\n["end",{"lines":1}]\n', "does not hold"),
        (HEAD + b'["turns",{"id":1}]\n["end",{"lines":1}]\n', "does not write"),
        (HEAD + b'["model_calls",{"evil":1}]\n["end",{"lines":1}]\n', "does not know"),
        (HEAD + b'["import_offsets",{"path":"/x","offset":"no","fingerprint":""}]\n'
                b'["end",{"lines":1}]\n', "does not fit"),
        (b"\x28\xb5\x2f\xfdnot zstd at all", "damaged"),
        (HEAD + b'["turns",' + b"[" * 100_000 + b"\n", "Line 2 is not one"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_export_is_refused_in_one_sentence(
    store: Store, tmp_path: Path, body: bytes, says: str
) -> None:
    (tmp_path / "broken").write_bytes(body)
    with pytest.raises(InvalidInput, match=says):
        into(store, tmp_path / "broken")
    assert store.counts().projects == 0


def test_a_newer_export_is_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "new").write_bytes(b'["memfold",{"format":1,"schema":999}]\n')
    with pytest.raises(StoreTooNew, match="schema 999"):
        into(store, tmp_path / "new")


def test_an_export_never_writes_over_a_file(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    for target, says in (
        (tmp_path / "a", "already"),
        (tmp_path, "directory"),
        (tmp_path / "n/a", "not a dir"),
    ):
        with pytest.raises(InvalidInput, match=says):
            out(store, target)
    assert sorted(path.name for path in tmp_path.iterdir() if "db" not in path.name) == ["a"]


TEXTS = st.text(max_size=30).filter(lambda text: "\x00" not in text)
EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["prompt", "use", "reply", "stop", "private", "end"]),
        st.integers(0, 2),  # session
        st.integers(1, 30),  # second
        TEXTS,
    ),
    max_size=25,
)


def event(says: Says, kind: str, at: int, text: str) -> Event:
    if kind == "prompt":
        return says.prompt(text or "x", at)
    if kind == "use":
        return says.use(text or "k", at, response=text * 200)
    if kind == "reply":
        return says.reply(text or "x", at)
    if kind == "private":
        return says.prompt("", at, private=True)
    return says.stop(at) if kind == "stop" else says.end(at)


@settings(max_examples=40, deadline=None)
@given(EVENTS, st.booleans(), st.integers(0, 3))
def test_out_in_and_out_again_is_the_same_to_the_byte(
    events: list[tuple[str, int, int, str]], observed: bool, forget: int
) -> None:
    with tempfile.TemporaryDirectory() as folder, another() as first, another() as second:
        for kind, number, at, text in events:
            made = event(Says(f"s{number}"), kind, at, text)
            project = first.create(f"p{number % 2}", [Alias("directory", f"/p{number % 2}")])
            first.ingest(project.id, [made])
        if observed:
            observe(first)
        if forget:
            first.forget(Scope(session=f"s{forget - 1}"), 1 << 40, dry_run=False)
        one, two = Path(folder) / "one", Path(folder) / "two"
        out(first, one)
        into(second, one)
        out(second, two)
        assert two.read_bytes() == one.read_bytes()
