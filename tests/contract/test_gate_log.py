"""GateLog on every store: the newest decisions, what a session was told, observations by file."""

from __future__ import annotations

from dataclasses import replace

import pytest
from stores import Says, store  # the fixture

from memfold.records import Alias, Draft, FileMark
from memfold.store.needs import gate
from memfold.store.ports import Decision, Scope, Store

BLOCK = Decision(
    host="claude-code", session="s1", project_id=1, path="/app/pool.py", size=50_000,
    kind="block", reason="known and large", newest=41, saved_tokens=9_000, at_ms=1_000,
)  # fmt: skip


@pytest.fixture
def where(store: Store) -> int:
    return store.create("app", [Alias("directory", "/app")]).id


def test_the_newest_that_said_something_is_found(store: Store, where: int) -> None:
    first = replace(BLOCK, project_id=where)
    later = replace(first, kind="context", newest=42, saved_tokens=0)
    for one in (
        first,
        replace(first, session="s2", newest=99),
        later,
        replace(first, kind="allow"),
    ):
        store.put_decision(one)
    assert store.last_told("claude-code", "s1", "/app/pool.py") == later
    assert store.last_told("claude-code", "s1", "/app/other.py") is None
    assert store.last_told("codex", "s1", "/app/pool.py") is None
    assert [one.kind for one in store.decisions(2)] == ["allow", "context"]
    counts = {one.kind: (one.count, one.saved_tokens) for one in store.decision_counts(0)}
    assert counts == {"block": (2, 18_000), "context": (1, 0), "allow": (1, 9_000)}
    assert store.decision_counts(2_000) == ()


def test_only_the_newest_are_kept(
    store: Store, where: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memfold.store.sqlite.gate.MOST_DECISIONS", 3)
    assert gate.MOST_DECISIONS >= 1_000
    for number in range(7):
        store.put_decision(replace(BLOCK, project_id=where, size=number))
    assert [one.size for one in store.decisions(9)] == [6, 5, 4]


@pytest.mark.parametrize(
    "scope", [Scope(session="s1"), Scope(text="POOL.py"), Scope(until_ms=1_500)]
)
def test_decisions_are_forgotten(store: Store, where: int, scope: Scope) -> None:
    store.put_decision(replace(BLOCK, project_id=where))
    store.put_decision(
        replace(BLOCK, project_id=where, session="s2", path="/app/a.py", at_ms=2_000)
    )
    assert store.forget(scope, 9_000, dry_run=False).gate_decisions == 1
    assert [one.session for one in store.decisions(9)] == ["s2"]
    store.forget(Scope(project_ids=(where,)), 9_000, dry_run=False)
    assert store.decisions(9) == ()


def test_merged_projects_keep_their_decisions(store: Store, where: int) -> None:
    other = store.create("other", [Alias("directory", "/other")]).id
    store.put_decision(replace(BLOCK, project_id=other))
    store.merge([other], where)
    assert [one.project_id for one in store.decisions(9)] == [where]


def test_observations_that_name_a_file(store: Store, where: int) -> None:
    says = Says("s1")
    store.ingest(where, [says.prompt("go", 1), says.stop(2)])
    for at, (read, changed) in enumerate(
        [("src/pool.py", ""), ("", "/app/src/pool.py"), ("other.py", "zzz.py"), ('q"uote.py', "")]
    ):
        draft = Draft(
            "change",
            f"t{at}",
            files_read=(read,) if read else (),
            files_changed=(FileMark(changed),) if changed else (),
            at_ms=at,
        )
        store.note(where, "h", "s1", draft)
    found = store.naming([where], "pool.py", 100, 10)
    assert [one.entry.title for one in found] == ["t1", "t0"]
    assert found[1].files_read == ("src/pool.py",)
    assert len(store.naming([where], "pool.py", 100, 1)) == 1
    assert store.naming([where], "pool.py", 1, 10) == ()
    assert [one.entry.title for one in store.naming([where], 'q"uote.py', 100, 9)] == ["t3"]
    assert store.naming([], "pool.py", 100, 10) == ()
