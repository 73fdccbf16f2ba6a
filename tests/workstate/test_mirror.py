"""Plans of the hosts' own to-do tools as lists. Source: spec of layer 0."""

from __future__ import annotations

import re
from typing import Any

from plans import call, todos

from memfold.records import WorkRow
from memfold.store.ports import PlanCall, WorkCurrent
from memfold.store.sqlite.work import SQL
from memfold.workstate.fold import fold
from memfold.workstate.lists import MIRRORS
from memfold.workstate.mirror import FAMILIES, mirrored_rows
from memfold.workstate.plan import PLANS, plan_of

Calls = dict[str, list[PlanCall]]  # session -> all its calls


class Mirrored:
    """Mirror lists of one project, brought up to date again and again."""

    def __init__(self) -> None:
        self.rows: list[WorkRow] = []
        self.calls: Calls = {}
        self.seen = 0

    def take(self, session: str, *calls: PlanCall, alive: str = "") -> list[WorkRow]:
        return self.take_all({session: list(calls)}, alive=alive)

    def take_all(self, new: Calls, *, alive: str = "") -> list[WorkRow]:
        """New rows; ``alive``: names of sessions still at work."""
        for session, calls in new.items():
            mine = self.calls.setdefault(session, [])
            mine += calls
            mine.sort(key=lambda one: (one.at_ms, one.id))
        plans = [plan_of(session, self.calls[session]) for session in new]
        rows = mirrored_rows(
            plans, self.current(), seen=self.seen, alive=set(filter(None, alive.split()))
        )
        self.rows += rows
        self.seen = max([self.seen, *(one.id for calls in new.values() for one in calls)])
        return list(rows)

    def current(self) -> list[WorkCurrent]:
        found = []
        for name in dict.fromkeys(row.list_name for row in self.rows):
            mine = [row for row in self.rows if row.list_name == name]
            at = {str(row.fields.get("task")): row.at_ms for row in mine}
            items = fold(mine).items.items()
            found += [WorkCurrent(name, task, fields, at[task]) for task, fields in items]
        return found

    def shown(self) -> dict[str, Any]:
        return {row.task: row.fields["status"] for row in self.current()}


def test_only_what_changed_is_written() -> None:
    here = Mirrored()
    here.take("s", call("TodoWrite", todos(a="pending", b="pending")), alive="s")
    new = here.take("s", call("TodoWrite", todos(a="completed", b="pending"), 2), alive="s")
    assert [(row.list_name, row.fields["task"]) for row in new] == [("TodoWrite", "a")]
    assert here.take("s", alive="s") == []


def test_the_last_plan_of_the_project_counts() -> None:
    """What sessions that are over had left open is dropped when another session plans."""
    here = Mirrored()
    here.take("monday", call("TodoWrite", todos(old="pending", done="completed")))
    assert here.shown() == {"old": "todo", "done": "done"}
    here.take("tuesday", call("TaskCreate", {"subject": "new"}, 2, "Task #1"), alive="tuesday")
    assert here.shown() == {"old": "dropped", "done": "done", "new": "todo"}


def test_a_step_that_goes_on_in_the_next_session_is_kept() -> None:
    here = Mirrored()
    here.take("monday", call("TodoWrite", todos(a="in_progress", b="pending")))
    here.take("tuesday", call("TodoWrite", todos(a="in_progress"), 2), alive="tuesday")
    assert here.shown() == {"a": "doing", "b": "dropped"}


def test_sessions_at_work_side_by_side_keep_their_plans() -> None:
    here = Mirrored()
    both = "one two"
    here.take("one", call("TodoWrite", todos(a="pending")), alive=both)
    here.take("two", call("TodoWrite", todos(b="pending"), 2), alive=both)
    here.take("one", call("TodoWrite", todos(a="in_progress"), 3), alive=both)
    assert here.shown() == {"a": "doing", "b": "todo"}


def test_another_hosts_plan_stays() -> None:
    here = Mirrored()
    here.take("codex", call("update_plan", {"plan": [{"step": "x", "status": "pending"}]}))
    here.take("claude", call("TodoWrite", todos(a="pending"), 2), alive="claude")
    assert here.shown() == {"x": "todo", "a": "todo"}


def test_of_many_old_sessions_only_the_last_plan_is_taken() -> None:
    here = Mirrored()
    old = {f"s{n}": [call("TodoWrite", todos(**{f"task{n}": "pending"}), n)] for n in range(1, 41)}
    rows = here.take_all(old)
    assert [row.fields["task"] for row in rows] == ["task40"]
    assert here.shown() == {"task40": "todo"}


def test_an_import_of_old_sessions_does_not_overturn_a_newer_plan() -> None:
    here = Mirrored()
    here.take("live", PlanCall(1, "TodoWrite", todos(a="pending"), "", 100), alive="live")
    assert (
        here.take("old", PlanCall(2, "TodoWrite", todos(a="completed", z="pending"), "", 50)) == []
    )
    assert here.shown() == {"a": "todo"}


def test_a_newer_plan_that_is_imported_takes_the_place_of_an_older_one() -> None:
    here = Mirrored()
    here.take("june", PlanCall(1, "TodoWrite", todos(a="pending"), "", 50))
    here.take("july", PlanCall(2, "TodoWrite", todos(b="pending"), "", 100))
    assert here.shown() == {"a": "dropped", "b": "todo"}


def test_what_the_agent_wrote_itself_holds_until_the_host_says_something_new() -> None:
    here = Mirrored()
    here.take("s", call("TodoWrite", todos(a="pending", b="pending")), alive="s")
    here.rows.append(WorkRow("TodoWrite", {"task": "a", "status": "done"}, 2))
    here.take("s", call("TodoWrite", todos(a="pending", b="completed"), 3), alive="s")
    assert here.shown() == {"a": "done", "b": "done"}
    here.take("s", call("TodoWrite", todos(a="in_progress", b="completed"), 4), alive="s")
    assert here.shown() == {"a": "doing", "b": "done"}


def test_an_item_that_the_agent_put_into_such_a_list_itself_is_left_alone() -> None:
    here = Mirrored()
    here.rows.append(WorkRow("TodoWrite", {"task": "mine", "status": "todo"}, 1))
    here.take("s", call("TodoWrite", todos(a="pending"), 2), alive="s")
    assert here.shown() == {"mine": "todo", "a": "todo"}


def test_a_clock_that_went_back_does_not_stop_the_session_at_work() -> None:
    here = Mirrored()
    here.take("s", PlanCall(1, "TodoWrite", todos(a="pending"), "", 9_000))
    here.take("t", PlanCall(2, "TodoWrite", todos(b="pending"), "", 10), alive="t")
    assert here.shown() == {"a": "dropped", "b": "todo"}


def test_a_blocker_is_taken_over_and_cleared_with_another_sessions_plan() -> None:
    here = Mirrored()
    here.take(
        "s",
        call("TaskCreate", {"subject": "a"}, 1, "Task #1"),
        call("TaskCreate", {"subject": "b"}, 2, "Task #2"),
        call("TaskUpdate", {"taskId": "2", "addBlockedBy": ["1"]}, 3),
    )
    assert {row.task: row.fields.get("blocked_by") for row in here.current()} == {
        "a": None,
        "b": "a",
    }
    here.take("t", call("TaskCreate", {"subject": "b"}, 4, "Task #1"), alive="t")
    assert [row.fields.get("blocked_by") for row in here.current() if row.task == "b"] == [None]


def test_the_words_for_the_hosts_tools_are_the_same_wherever_they_stand() -> None:
    families = [name for family in FAMILIES for name in family]
    assert sorted(families) == sorted(MIRRORS) == sorted({*PLANS, "TaskCreate"})
    for query in ("newest_plan", "sessions_with_plans", "plan_calls"):
        named = set(re.findall(r"'(\w+)'", re.sub(r"agent = ''", "", SQL[query])))
        assert named == {*MIRRORS, "TaskUpdate"}, query
