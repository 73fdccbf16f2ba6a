"""ports.WorkLog on every store."""

from __future__ import annotations

from stores import store  # the fixture

from memfold.records import Alias, WorkRow
from memfold.store.ports import Store


def project(store: Store, name: str = "app") -> int:
    return store.create(name, [Alias("directory", f"/{name}")]).id


def test_rows_are_replayed_in_the_order_they_were_appended(store: Store) -> None:
    where = project(store)
    store.append(where, [WorkRow("plan", {"task": "a", "status": "todo"}, 9, "s1")])
    store.append(where, [WorkRow("plan", {"task": "a", "status": "done"}, 5), WorkRow("x", {}, 6)])
    assert [row.fields.get("status") for row in store.log([where], "plan")] == ["todo", "done"]
    assert len(store.log([where])) == 3
    assert store.log([where])[0].session == "s1"


def test_current_values_are_the_folded_log(store: Store) -> None:
    where = project(store)
    rows = [
        WorkRow("plan", {"task": "a", "status": "todo", "owner": "x"}, 1),
        WorkRow("plan", {"task": "b", "status": "todo"}, 2),
        WorkRow("plan", {"task": "a", "status": "doing", "owner": None}, 3),
        WorkRow("plan", {"goal": "ship"}, 4),
    ]
    store.append(where, rows)
    found = {row.task: dict(row.fields) for row in store.current([where], "plan")}
    assert found == {"": {"goal": "ship"}, "a": {"status": "doing"}, "b": {"status": "todo"}}


def test_the_list_written_last_comes_first(store: Store) -> None:
    where = project(store)
    for at, name in enumerate(("one", "two", "one"), 1):
        store.append(where, [WorkRow(name, {"task": f"t{at}"}, at)])
    names = list(dict.fromkeys(row.list_name for row in store.current([where])))
    assert names == ["one", "two"]
    assert [row.task for row in store.current([where], "one")] == ["t1", "t3"]


def test_lists_belong_to_their_project(store: Store) -> None:
    one, two = project(store, "one"), project(store, "two")
    store.append(one, [WorkRow("plan", {"task": "a"}, 1)])
    assert store.current([two]) == ()
    assert store.log([two]) == ()
    assert len(store.current([one, two])) == 1
