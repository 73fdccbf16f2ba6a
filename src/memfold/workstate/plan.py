"""What a session's agent planned with its host's own to-do tool, from all its calls.

Claude Code's ``TodoWrite`` and ``TaskCreate``/``TaskUpdate``, Codex's ``update_plan``, OpenCode's
``todowrite``, Cursor's ``todo_write``, Gemini CLI's ``write_todos``, VS Code's
``manage_todo_list``. A plan replaces the plan before it; what it leaves out is dropped, unless it
says that it is to be merged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from memfold.records import Json
from memfold.store.ports import PlanCall
from memfold.store.status import is_closed

PLANS = {  # tool -> where its input holds the items, what an item calls its text
    "TodoWrite": ("todos", "content"),
    "update_plan": ("plan", "step"),
    "todowrite": ("todos", "content"),
    "todo_write": ("todos", "content"),
    "write_todos": ("todos", "description"),
    "manage_todo_list": ("todoList", "title"),
}
_STATUS = {
    "pending": "todo",
    "not-started": "todo",
    "in-progress": "doing",
    "in_progress": "doing",
    "completed": "done",
    "deleted": "dropped",
    "cancelled": "dropped",
}
_TASK_NUMBER = re.compile(r"#(\w+)")
_MOST_STEPS = 500  # of one call
_MAX_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Step:
    """One item of a plan as it stands after the session's last call."""

    status: str
    at_ms: int  # when it last changed
    call: int  # id of the newest call that had a say in it
    blocked_by: str = ""

    @property
    def closed(self) -> bool:
        return is_closed({"status": self.status})


@dataclass(slots=True)
class Plan:
    """Lists of one session: named after the tool -> task -> step."""

    session: str  # the host's own id
    at_ms: int = 0  # of the last call
    lists: dict[str, dict[str, Step]] = field(default_factory=dict)


def plan_of(session: str, calls: Iterable[PlanCall]) -> Plan:
    """The plan after all these calls, in order of time. Calls of another form change nothing."""
    plan = Plan(session)
    numbers: dict[str, str] = {}  # the host's number -> task
    for call in calls:
        if not isinstance(call.input, Mapping):
            continue
        name = "TaskCreate" if call.tool == "TaskUpdate" else call.tool
        steps = plan.lists.setdefault(name, {})
        if call.tool in PLANS:
            changes = _whole(call, call.input, steps)
        elif call.tool == "TaskCreate":
            changes = _created(call.input, call.response, numbers)
        else:
            changes = _updated(call.input, steps, numbers)
        for task, new in changes:
            steps[task] = _changed(steps.get(task), new, call)
            plan.at_ms = max(plan.at_ms, call.at_ms)
    plan.lists = {name: steps for name, steps in plan.lists.items() if steps}
    return plan


_Change = tuple[str, dict[str, str]]  # task, what is new


def _changed(was: Step | None, new: Mapping[str, str], call: PlanCall) -> Step:
    if was is None:
        status = new.get("status", "todo")
        return Step(status, call.at_ms, call.id, new.get("blocked_by", ""))
    status, blocked_by = new.get("status", was.status), new.get("blocked_by", was.blocked_by)
    if (status, blocked_by) == (was.status, was.blocked_by):
        return was  # said again
    return Step(status, call.at_ms, max(was.call, call.id), blocked_by)


def _whole(
    call: PlanCall, given: Mapping[str, Json], known: Mapping[str, Step]
) -> Iterator[_Change]:
    key, label = PLANS[call.tool]
    listed = given.get(key)
    if not isinstance(listed, list):
        return
    merge = given.get("merge") is True
    wanted: dict[str, str] = {}
    for one in listed[:_MOST_STEPS]:
        task = _text(one.get(label)) if isinstance(one, Mapping) else ""
        if task:
            wanted[task] = _STATUS.get(str(one.get("status")), "todo")
    for task, was in list(known.items()):
        if task not in wanted and not was.closed and not merge:
            yield task, {"status": "dropped"}
    for task, status in wanted.items():
        yield task, {"status": status}


def _created(
    given: Mapping[str, Json], response: Json, numbers: dict[str, str]
) -> Iterator[_Change]:
    """TaskCreate names a task and is answered with its number."""
    task = _text(given.get("subject"))
    if not task:
        return
    number = _number(response)
    if number:
        numbers[number] = task
    yield task, {"status": "todo"}


def _updated(
    given: Mapping[str, Json], known: Mapping[str, Step], numbers: dict[str, str]
) -> Iterator[_Change]:
    """TaskUpdate knows the task by its number."""
    number = _digits(given.get("taskId"))
    task = numbers.get(number, "")
    if not task:
        return
    new: dict[str, str] = {}
    status = _STATUS.get(str(given.get("status")))
    if status:
        new["status"] = status
    blockers = given.get("addBlockedBy")
    for one in blockers if isinstance(blockers, list) else []:
        blocker = numbers.get(_digits(one))
        if blocker and blocker != task:
            new["blocked_by"] = blocker
    subject = _text(given.get("subject"))
    if subject and subject != task:
        numbers[number] = subject
        was = known[task]
        yield task, {"status": "dropped"}
        yield subject, {"status": was.status, "blocked_by": was.blocked_by} | new
    elif new:
        yield task, new


def _number(response: Json) -> str:
    if isinstance(response, Mapping):
        task = response.get("task")
        return _digits(task.get("id") if isinstance(task, Mapping) else response.get("taskId"))
    match = _TASK_NUMBER.search(str(response))
    return match.group(1) if match else ""


def _digits(value: object) -> str:
    return str(value).lstrip("#")[:40] if isinstance(value, str | int) else ""


def _text(value: object) -> str:
    text = " ".join(value.split())[:_MAX_CHARS] if isinstance(value, str) else ""
    return text.encode("utf-8", "ignore").decode("utf-8").replace("\0", "")
