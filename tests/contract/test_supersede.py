"""ObserverDesk.supersede on every store: the older one stays, and says by which."""

from __future__ import annotations

import pytest
from stores import store  # the fixture

from memfold.errors import NotFound
from memfold.records import Alias, Draft
from memfold.store.ports import Store


def noted(store: Store, project: int, count: int) -> list[int]:
    drafts = [Draft(type="decision", title=f"Limit is {n}", at_ms=n * 1_000) for n in range(count)]
    return [store.note(project, "h", "s", draft).id for draft in drafts]


def marks(store: Store, project: int) -> dict[int, int | None]:
    return {one.id: one.superseded_by for one in store.recent([project], "observation", 20)}


def test_the_older_one_stays_and_names_the_newer_everywhere(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    first, second, third = noted(store, where, 3)
    version = store.version([where])
    assert store.supersede(first, second)
    assert store.version([where]) != version
    assert marks(store, where) == {first: second, second: None, third: None}
    found = {one.id: one.superseded_by for one in store.search([where], "limit", 9)}
    assert found == marks(store, where)
    (details,) = store.details([("observation", first, where)])
    assert details.entry.superseded_by == second
    store.pin(first, [where], at_ms=9)
    assert store.pinned([where], 9)[0].superseded_by == second


def test_what_is_marked_so_already_changes_nothing_and_a_later_one_counts(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    first, second, third = noted(store, where, 3)
    assert store.supersede(first, second)
    version = store.version([where])
    assert not store.supersede(first, second)
    assert store.version([where]) == version
    assert store.supersede(first, third)
    assert marks(store, where)[first] == third


def test_no_chain_comes_back_to_where_it_began(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    first, second, third = noted(store, where, 3)
    assert store.supersede(first, second)
    assert store.supersede(second, third)
    assert not store.supersede(third, first)
    assert not store.supersede(second, first)
    assert marks(store, where) == {first: second, second: third, third: None}


def test_two_observations_of_one_project_are_needed(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    other = store.create("other", [Alias("directory", "/other")]).id
    (own,) = noted(store, where, 1)
    (theirs,) = [store.note(other, "h", "t", Draft(type="x", title="y", at_ms=1)).id]
    for pair in ((own, own), (own, theirs), (own, 999), (999, own)):
        with pytest.raises(NotFound):
            store.supersede(*pair)
    assert marks(store, where) == {own: None}
