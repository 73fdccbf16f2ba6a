"""ports.ProjectBook on every store."""

from __future__ import annotations

import pytest
from stores import Says, store  # the fixture

from memfold.errors import InvalidInput
from memfold.records import Alias, Draft, WorkRow
from memfold.store.ports import Store

A, B = Alias("directory", "/a"), Alias("directory", "/b")


def test_a_project_is_known_by_its_aliases(store: Store) -> None:
    made = store.create("app", [A, Alias("remote", "host/app")])
    assert store.by_alias(A) == made
    assert store.by_alias(Alias("remote", "host/app")) == made
    assert store.by_alias(B) is None
    assert set(store.aliases(made.id)) == {A, Alias("remote", "host/app")}


def test_a_taken_name_gets_a_number(store: Store) -> None:
    names = [store.create("app", [Alias("directory", f"/{n}")]).name for n in range(3)]
    assert names == ["app", "app-2", "app-3"]


def test_creating_a_known_place_gives_its_project(store: Store) -> None:
    first = store.create("app", [A])
    assert store.create("other", [A, B]) == first


def test_an_alias_stays_with_its_owner_until_it_is_moved(store: Store) -> None:
    one, two = store.create("one", [A]), store.create("two", [B])
    store.add_aliases(two.id, [A])
    assert store.by_alias(A) == one
    store.move_alias(A, two.id)
    assert store.by_alias(A) == two


def test_names_are_unique_and_not_empty(store: Store) -> None:
    one = store.create("one", [A])
    store.create("two", [B])
    assert store.rename(one.id, "  shop ").name == "shop"
    assert store.by_name("SHOP") is not None
    for bad in ("two", "", "  "):
        with pytest.raises(InvalidInput):
            store.rename(one.id, bad)


def test_lists_of_merged_projects_are_the_fold_of_their_joined_log(store: Store) -> None:
    """What was written last holds, whichever project it was written in."""
    one, two = store.create("one", [A]), store.create("two", [B])
    store.append(two.id, [WorkRow("plan", {"task": "sew", "status": "todo", "owner": "x"}, 1)])
    store.append(one.id, [WorkRow("plan", {"task": "sew", "status": "done"}, 2)])
    store.append(two.id, [WorkRow("plan", {"task": "cut", "status": "doing"}, 3)])
    store.merge([two.id], one.id)
    assert [(row.task, dict(row.fields)) for row in store.current([one.id])] == [
        ("sew", {"owner": "x", "status": "done"}),
        ("cut", {"status": "doing"}),
    ]
    assert store.current([two.id]) == ()
    assert len(store.log([one.id])) == 3


def test_a_merge_moves_everything(store: Store) -> None:
    """Sessions, observations, search, totals, work state and aliases."""
    one, two = store.create("one", [A]), store.create("two", [B])
    says = Says()
    store.ingest(two.id, [says.prompt("where is the needle", 1), says.use("k", 2), says.stop(3)])
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    draft = Draft(type="bugfix", title="Found the needle", read_tokens=5, work_tokens=50)
    store.record(turn, [draft], at_ms=9)
    store.append(two.id, [WorkRow("plan", {"task": "sew", "status": "todo"}, 5)])
    version = store.version([one.id])
    assert store.merge([two.id, one.id], one.id).id == one.id
    assert store.by_alias(B) == store.by_alias(A)
    assert store.by_name("two") is None
    assert [e.title for e in store.recent([one.id], "observation", 9)] == ["Found the needle"]
    assert {e.kind for e in store.search([one.id], "needle", 9)} == {"observation", "prompt"}
    assert store.search([two.id], "needle", 9) == ()
    assert store.totals([one.id]) == (1, 5, 50)
    assert [row.task for row in store.current([one.id])] == ["sew"]
    assert store.version([one.id]) > version
    (listed,) = store.all_projects()
    assert (listed.sessions, listed.tool_uses, listed.observations) == (1, 1, 1)
