"""A session's plan from its calls. Source: spec of layer 0, "The host's own to-do tool"."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plans import call, todos

from memfold.store.ports import PlanCall
from memfold.workstate.plan import plan_of


def _steps(calls: list[PlanCall]) -> dict[str, dict[str, str]]:
    lists = plan_of("s", calls).lists
    return {name: {task: step.status for task, step in of.items()} for name, of in lists.items()}


def test_todo_write_becomes_a_list_of_that_name() -> None:
    calls = [call("TodoWrite", todos(a="pending", b="in_progress"))]
    assert _steps(calls) == {"TodoWrite": {"a": "todo", "b": "doing"}}


def test_a_step_left_out_of_the_next_plan_is_dropped_but_not_one_that_was_done() -> None:
    calls = [
        call("TodoWrite", todos(a="pending", b="completed")),
        call("TodoWrite", todos(c="in_progress"), 2),
    ]
    assert _steps(calls) == {"TodoWrite": {"a": "dropped", "b": "done", "c": "doing"}}


def test_update_plan_is_read_as_codex_writes_it() -> None:
    given = {"plan": [{"step": "x", "status": "completed"}, {"step": "y", "status": "pending"}]}
    assert _steps([call("update_plan", given, 1, "Plan updated")]) == {
        "update_plan": {"x": "done", "y": "todo"}
    }


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("todowrite", {"todos": [{"content": "x", "status": "completed", "priority": "high"},
                                 {"content": "y", "status": "in_progress", "priority": "low"}]}),
        ("todo_write", {"todos": [{"id": "1", "content": "x", "status": "completed"},
                                  {"id": "2", "content": "y", "status": "in_progress"}]}),
        ("write_todos", {"todos": [{"description": "x", "status": "completed"},
                                   {"description": "y", "status": "in_progress"}]}),
        ("manage_todo_list", {"operation": "write",
                              "todoList": [{"id": 1, "title": "x", "status": "completed"},
                                           {"id": 2, "title": "y", "status": "in-progress"}]}),
    ],
)  # fmt: skip
def test_each_host_calls_an_item_by_its_own_name(tool: str, given: dict[str, Any]) -> None:
    assert _steps([call(tool, given)]) == {tool: {"x": "done", "y": "doing"}}


def test_a_plan_to_be_merged_drops_nothing() -> None:
    first = {
        "todos": [{"content": "x", "status": "pending"}, {"content": "y", "status": "pending"}]
    }
    more = {"merge": True, "todos": [{"content": "y", "status": "completed"}]}
    merged = [call("todo_write", first), call("todo_write", more, 2)]
    assert _steps(merged) == {"todo_write": {"x": "todo", "y": "done"}}
    replaced = [call("todo_write", first), call("todo_write", {**more, "merge": False}, 2)]
    assert _steps(replaced) == {"todo_write": {"x": "dropped", "y": "done"}}


def test_task_update_finds_its_task_by_number() -> None:
    calls = [
        call("TaskCreate", {"subject": "a"}, 1, "Task #1 created successfully: a"),
        call("TaskCreate", {"subject": "b"}, 2, {"task": {"id": 2, "subject": "b"}}),
        call("TaskCreate", {"subject": "c"}, 3, {"taskId": "3"}),
        call("TaskUpdate", {"taskId": "2", "status": "in_progress"}, 4),
        call("TaskUpdate", {"taskId": "1", "subject": "a2"}, 5),
        call("TaskUpdate", {"taskId": "#1", "status": "completed"}, 6),
        call("TaskUpdate", {"taskId": "2", "owner": "x"}, 7),
        call("TaskUpdate", {"taskId": "3", "addBlockedBy": ["2", "9"]}, 8),
        call("TaskUpdate", {"taskId": "9", "status": "completed"}, 9),
    ]
    assert _steps(calls) == {
        "TaskCreate": {"a": "dropped", "b": "doing", "a2": "done", "c": "todo"}
    }
    assert plan_of("s", calls).lists["TaskCreate"]["c"].blocked_by == "b"


def test_a_step_knows_the_call_that_changed_it_and_not_those_that_said_it_again() -> None:
    plan = plan_of("s", [call("TodoWrite", todos(a="pending"), n) for n in (1, 2, 3)])
    assert plan.lists["TodoWrite"]["a"].call == 1
    assert plan.lists["TodoWrite"]["a"].at_ms == 1
    assert plan.at_ms == 3


def test_a_call_heard_of_late_is_newer_than_what_it_was_before() -> None:
    """The hook of the first call waited in the spool: its id is greater than the second's."""
    late = PlanCall(9, "TaskCreate", {"subject": "a"}, "Task #1", 1)
    plan = plan_of("s", [late, call("TaskUpdate", {"taskId": "1", "status": "completed"}, 2)])
    assert plan.lists["TaskCreate"]["a"].status == "done"
    assert plan.lists["TaskCreate"]["a"].call == 9


@pytest.mark.parametrize(
    "one",
    [
        call("TodoWrite", "text"),
        call("TodoWrite", {"todos": "text"}),
        call("TodoWrite", {"todos": ["text", {"content": 3}, {"content": " \ud800\0 "}]}),
        call("TaskCreate", {"description": "no subject"}),
        call("TaskCreate", {"subject": ["a"]}),
        call("TaskUpdate", {"taskId": "9", "status": "completed"}),
        call("TaskUpdate", {"taskId": {"a": 1}, "status": "completed"}),
        call("TaskUpdate", {"status": "completed"}),
        call("update_plan", {"plan": None}),
    ],
)
def test_a_call_of_another_form_changes_nothing(one: PlanCall) -> None:
    assert plan_of("s", [one]).lists == {}


def test_a_huge_plan_keeps_a_bounded_number_of_short_names() -> None:
    many = [{"content": f"{n} " + "x" * 5_000, "status": "pending"} for n in range(3_000)]
    steps = plan_of("s", [call("TodoWrite", {"todos": many})]).lists["TodoWrite"]
    assert len(steps) == 500
    assert max(map(len, steps)) == 2_000


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["todos", "plan", "content", "step", "status", "taskId", "subject"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
_tools = st.sampled_from(["TodoWrite", "TaskCreate", "TaskUpdate", "update_plan"])


@settings(deadline=None)
@given(st.lists(st.tuples(_tools, _json, _json), max_size=5))
def test_no_form_of_input_breaks_it(given_calls: list[tuple[str, Any, Any]]) -> None:
    calls = [call(tool, given, n, said) for n, (tool, given, said) in enumerate(given_calls, 1)]
    for steps in plan_of("s", calls).lists.values():
        assert {step.status for step in steps.values()} <= {"todo", "doing", "done", "dropped"}
