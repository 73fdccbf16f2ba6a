"""The hosts' own to-do tools as lists. Source: spec of layer 0, "The host's own to-do tool"."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memfold.records import Event, PromptGiven, ToolUsed, WorkRow
from memfold.store.ports import WorkCurrent
from memfold.workstate.fold import fold
from memfold.workstate.mirror import mirrored_rows

TRANSCRIPTS = Path(__file__).parents[2] / "../shared/data/transcripts"


def _used(tool: str, given: Any, response: Any = "", *, at_ms: int = 1, **more: Any) -> ToolUsed:
    return ToolUsed(
        host="h",
        session=more.pop("session", "s"),
        at_ms=at_ms,
        key=f"k{at_ms}",
        tool=tool,
        input=given,
        response=response,
        **more,
    )


def _todos(**status: str) -> dict[str, Any]:
    return {"todos": [{"content": task, "status": word} for task, word in status.items()]}


def _open(rows: tuple[WorkRow, ...]) -> dict[str, Any]:
    return {task: fields.get("status") for task, fields in fold(rows).items.items()}


def _as_current(rows: tuple[WorkRow, ...]) -> list[WorkCurrent]:
    return [
        WorkCurrent(rows[0].list_name, task, fields, 1) for task, fields in fold(rows).items.items()
    ]


def test_todo_write_becomes_a_list_of_that_name() -> None:
    rows = mirrored_rows([_used("TodoWrite", _todos(a="pending", b="in_progress"))], [])
    assert {row.list_name for row in rows} == {"TodoWrite"}
    assert _open(rows) == {"a": "todo", "b": "doing"}


def test_only_what_changed_is_written() -> None:
    first = mirrored_rows([_used("TodoWrite", _todos(a="pending", b="pending"))], [])
    again = [_used("TodoWrite", _todos(a="completed", b="pending"), at_ms=2)]
    second = mirrored_rows(again, _as_current(first))
    assert [dict(row.fields)["task"] for row in second] == ["a"]
    assert mirrored_rows(again, _as_current(first + second)) == ()


def test_a_step_left_out_of_the_same_sessions_plan_is_dropped_but_not_anothers() -> None:
    """A plan replaces that session's plan; what an earlier session left open survives."""
    early = mirrored_rows([_used("TodoWrite", _todos(old="pending"), session="early")], [])
    events = [
        _used("TodoWrite", _todos(a="pending", b="pending"), at_ms=2),
        _used("TodoWrite", _todos(b="in_progress"), at_ms=3),
    ]
    rows = early + mirrored_rows(events, _as_current(early))
    assert _open(rows) == {"old": "todo", "a": "dropped", "b": "doing"}


def test_update_plan_is_read_as_codex_writes_it() -> None:
    given = {"plan": [{"step": "x", "status": "completed"}, {"step": "y", "status": "pending"}]}
    rows = mirrored_rows([_used("update_plan", given, "Plan updated")], [])
    assert _open(rows) == {"x": "done", "y": "todo"}


def test_task_update_finds_its_task_by_number_and_session() -> None:
    rows = mirrored_rows(
        [
            _used("TaskCreate", {"subject": "a"}, "Task #1 created successfully: a"),
            _used("TaskCreate", {"subject": "b"}, {"task": {"id": 2, "subject": "b"}}, at_ms=2),
            _used("TaskUpdate", {"taskId": "2", "status": "in_progress"}, at_ms=3),
            _used("TaskUpdate", {"taskId": "1", "status": "deleted"}, at_ms=4, session="other"),
            _used("TaskUpdate", {"taskId": "1", "subject": "a2"}, at_ms=5),
            _used("TaskUpdate", {"taskId": "1", "status": "completed"}, at_ms=6),
            _used("TaskUpdate", {"taskId": "2", "owner": "x"}, at_ms=7),
        ],
        [],
    )
    assert {row.list_name for row in rows} == {"TaskCreate"}
    assert _open(rows) == {"a": "dropped", "b": "doing", "a2": "done"}


@pytest.mark.parametrize(
    "event",
    [
        PromptGiven(host="h", session="s", at_ms=1, text="x"),
        _used("Bash", {"command": "ls"}),
        _used("TodoWrite", _todos(a="pending"), ok=False),
        _used("TodoWrite", _todos(a="pending"), agent="sub"),
        _used("TodoWrite", "text"),
        _used("TodoWrite", {"todos": "text"}),
        _used("TodoWrite", {"todos": ["text", {"content": 3}, {"content": " \ud800\0 "}]}),
        _used("TaskCreate", {"description": "no subject"}),
        _used("TaskUpdate", {"taskId": "9", "status": "completed"}),
        _used("TaskUpdate", {"status": "completed"}),
    ],
)
def test_what_is_no_plan_of_the_main_agent_writes_nothing(event: Event) -> None:
    assert mirrored_rows([event], []) == ()


@pytest.mark.shared_data
@pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="no ../shared/data beside this checkout")
def test_real_plans_are_followed_to_their_end() -> None:
    """Every TodoWrite of the real Claude Code transcripts, in order, session by session."""
    plans = 0
    for path in sorted(TRANSCRIPTS.glob("claude-code/projects/**/*.jsonl")):
        last: dict[str, str] = {}
        events: list[Event] = []
        for line in path.read_text("utf-8", "replace").splitlines():
            try:
                message = json.loads(line).get("message") or {}
            except (json.JSONDecodeError, AttributeError):
                continue
            content = message.get("content")
            for part in content if isinstance(content, list) else []:
                if isinstance(part, dict) and part.get("name") == "TodoWrite":
                    events.append(_used("TodoWrite", part["input"], at_ms=len(events)))
                    last = {one["content"]: one["status"] for one in part["input"]["todos"]}
        shown = _open(mirrored_rows(events, []))
        words = {"pending": "todo", "in_progress": "doing", "completed": "done"}
        assert {task: shown[" ".join(task.split())] for task in last} == {
            task: words[status] for task, status in last.items()
        }
        plans += bool(events)
    assert plans >= 3
