"""ports.WorkLog on every store."""

from __future__ import annotations

from typing import Any

import pytest
from stores import Says, store  # the fixture

from memfold.records import Alias, ToolUsed, WorkRow
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


def test_only_some_items_of_a_list_can_be_asked_for(store: Store) -> None:
    where = project(store)
    rows = [WorkRow("plan", {"task": name}, at) for at, name in enumerate("abc", 1)]
    store.append(where, [*rows, WorkRow("plan", {"goal": "ship"}, 4)])
    assert [row.task for row in store.current([where], "plan", ["c", "a", "gone"])] == ["a", "c"]
    assert [dict(row.fields) for row in store.current([where], "plan", [""])] == [{"goal": "ship"}]


def test_what_is_open_comes_without_what_is_closed(store: Store) -> None:
    where = project(store)
    store.append(where, [WorkRow("old", {"task": "x", "status": "done"}, 1)])
    rows = [
        WorkRow("plan", {"task": "a", "status": "Done"}, 1),
        WorkRow("plan", {"task": "b", "status": "doing"}, 2),
        WorkRow("plan", {"task": "c"}, 3),
        WorkRow("plan", {"status": "dropped", "goal": "ship"}, 4),
    ]
    store.append(where, rows)
    found = store.open_rows([where], most=9)
    assert [(row.list_name, row.task) for row in found.rows] == [("plan", "b"), ("plan", "c")]
    assert found.left_out == 0
    assert store.lists([where]) == ("plan", "old")
    assert sorted(store.list_names(where)) == ["old", "plan"]
    store.append(where, [WorkRow("plan", {"status": None}, 5)])
    assert [row.task for row in store.open_rows([where], "plan", most=9).rows] == ["", "b", "c"]


def test_no_more_is_read_than_asked_for_and_the_rest_is_counted(store: Store) -> None:
    where = project(store)
    rows = [WorkRow("plan", {"task": f"t{n}"}, n) for n in range(20)]
    store.append(where, [*rows, WorkRow("plan", {"task": "t19", "status": "doing"}, 99)])
    found = store.open_rows([where], "plan", most=3)
    assert [row.task for row in found.rows] == ["t0", "t1", "t2", "t19"]
    assert found.left_out == 16


def test_what_decides_about_a_shown_item_comes_along(store: Store) -> None:
    """Its blocker, the same item under another key, and what is tracked in a mirror and here."""
    one, two = project(store, "one"), project(store, "two")
    store.append(one, [WorkRow("plan", {"task": "b", "status": "done"}, 1)])
    store.append(one, [WorkRow("plan", {"task": "a", "blocked_by": "b"}, 1)])
    assert [row.task for row in store.open_rows([one], most=1).rows] == ["b", "a"]
    store.append(two, [WorkRow("plan", {"task": "a", "status": "done"}, 2)])
    found = store.open_rows([one, two], most=9).rows
    assert {(row.task, row.project_id) for row in found} >= {("a", one), ("a", two)}
    store.append(one, [WorkRow("mine", {"task": f"t{n}"}, 3) for n in range(9)])
    store.append(one, [WorkRow("host", {"task": "T8"}, 4)])
    found = store.open_rows([one], most=2, mirrors=["host"]).rows
    assert {(row.list_name, row.task) for row in found} >= {("host", "T8"), ("mine", "t8")}


def test_values_can_be_made_again_from_the_log(store: Store) -> None:
    where = project(store)
    rows = [
        WorkRow("plan", {"task": "a", "status": "todo", "n": 1}, 1),
        WorkRow("plan", {"goal": "ship"}, 2),
        WorkRow("plan", {"task": "a", "n": None, "ok": True}, 3),
        WorkRow("other", {"task": "z"}, 4),
    ]
    store.append(where, rows)
    before, version = store.current([where]), store.version([where])
    store.refold(where)
    assert store.current([where]) == before
    assert store.version([where]) != version


def test_a_failed_append_leaves_neither_rows_nor_values(store: Store) -> None:
    where = project(store)
    rows = [WorkRow("plan", {"task": "a"}, 1), WorkRow("plan", {"task": "b"}, 2**70)]
    with pytest.raises(OverflowError):
        store.append(where, rows)
    assert store.log([where]) == ()
    assert store.current([where]) == ()
    assert store.open_rows([where], most=9).rows == ()


def test_plans_are_calls_of_the_main_agent_that_succeeded(store: Store) -> None:
    where = project(store)
    says = Says("s1")
    todo: dict[str, Any] = {"tool": "TodoWrite", "input": {"todos": []}, "response": "ok"}
    assert store.new_plans().session_ids == ()
    store.ingest(
        where,
        [
            says.prompt("go", 1),
            says.use("later", 5, **todo),
            says.use("first", 2, **todo),
            says.use("failed", 3, **todo, ok=False),
            ToolUsed(host="h", session="s1", at_ms=4_000, key="sub", agent="a1", **todo),
            says.use("other", 4),
        ],
    )
    new = store.new_plans()
    (session_id,) = new.session_ids
    found = store.plan_calls(session_id)
    assert found is not None
    session, calls = found
    assert (session.host_session, session.project_id) == ("s1", where)
    assert [call.at_ms for call in calls] == [2_000, 5_000]
    assert calls[0].input == {"todos": []}
    store.plans_seen(new.newest)
    assert store.new_plans().session_ids == ()
    store.ingest(where, [says.use("again", 9, **todo)])
    assert store.new_plans().session_ids == (session_id,)
    assert store.plan_calls(session_id + 99) is None


def test_a_session_is_at_work_until_it_ends_or_falls_silent(store: Store) -> None:
    where = project(store)
    store.ingest(where, [Says("old").use("a", 10)])
    store.ingest(where, [Says("new").use("a", 100)])
    store.ingest(where, [Says("over").use("a", 100), Says("over").end(101)])
    asked = ["old", "new", "over", "unknown"]
    assert store.at_work(asked, since_ms=50_000) == {"new"}
    assert store.at_work([], since_ms=0) == frozenset()
    store.ingest(where, [Says("over").use("b", 200)])
    assert store.at_work(asked, since_ms=50_000) == {"new", "over"}
