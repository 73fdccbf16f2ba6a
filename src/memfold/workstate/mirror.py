"""The host's own to-do tool, kept as a list of that name, so open items survive the session.

Claude Code's ``TodoWrite`` and ``TaskCreate``/``TaskUpdate`` and Codex's ``update_plan``. A plan
replaces what the same session had planned before; what other sessions left open stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from memfold.records import Event, Json, ToolUsed, WorkRow
from memfold.store.ports import WorkCurrent
from memfold.workstate.fold import Scalar, WorkList, fold_more, is_closed
from memfold.workstate.lists import MIRRORS

_STATUS = {
    "pending": "todo",
    "in_progress": "doing",
    "completed": "done",
    "deleted": "dropped",
    "cancelled": "dropped",
}
_PLANS = {"TodoWrite": ("todos", "content"), "update_plan": ("plan", "step")}
_TASK_NUMBER = re.compile(r"#(\w+)")
_MAX_ITEMS = 50
_MAX_CHARS = 2_000


def mirrored_rows(events: Iterable[Event], current: Sequence[WorkCurrent]) -> tuple[WorkRow, ...]:
    """Rows that bring the mirror lists up to date with these events; none for what is known.

    ``current``: values of the mirror lists as they stand. Pure. Subagents' plans end with them
    and are left out, as are failed calls.
    """
    lists: dict[str, WorkList] = {name: WorkList() for name in MIRRORS}
    for row in current:
        if row.list_name in lists and row.task:
            known = lists[row.list_name]
            lists[row.list_name] = WorkList(items={**known.items, row.task: row.fields})
    rows: list[WorkRow] = []
    for event in events:
        if not isinstance(event, ToolUsed) or not event.ok or event.agent:
            continue
        name = "TaskCreate" if event.tool == "TaskUpdate" else event.tool
        if name not in lists:
            continue
        new = [
            WorkRow(name, {"task": task, **fields}, event.at_ms, event.session)
            for task, fields in _changes(event, lists[name])
        ]
        lists[name] = fold_more(lists[name], new)
        rows += new
    return tuple(rows)


def _changes(event: ToolUsed, known: WorkList) -> list[tuple[str, dict[str, Scalar]]]:
    if not isinstance(event.input, Mapping):
        return []
    if event.tool in _PLANS:
        wanted = _plan(event.input, *_PLANS[event.tool])
        if wanted is None:
            return []
        for task, was in known.items.items():
            mine = was.get("host_session") == event.session
            if mine and task not in wanted and not is_closed(was):
                wanted[task] = "dropped"
        changes = [(task, _marked(event, status)) for task, status in wanted.items()]
    else:
        changes = _task(event, event.input, known)
    return [(task, new) for task, new in changes if not _is_known(known, task, new)]


def _is_known(known: WorkList, task: str, new: Mapping[str, Scalar]) -> bool:
    was = known.items.get(task)
    return was is not None and all(was.get(key) == value for key, value in new.items())


def _plan(given: Mapping[str, Json], key: str, label: str) -> dict[str, str] | None:
    steps = given.get(key)
    if not isinstance(steps, list):
        return None
    plan: dict[str, str] = {}
    for step in steps[:_MAX_ITEMS]:
        task = _task_text(step.get(label)) if isinstance(step, Mapping) else ""
        if task:
            plan[task] = _STATUS.get(str(step.get("status")), "todo")
    return plan


def _task(
    event: ToolUsed, given: Mapping[str, Json], known: WorkList
) -> list[tuple[str, dict[str, Scalar]]]:
    """TaskCreate names a task and is answered with its number; TaskUpdate knows the number."""
    subject = _task_text(given.get("subject"))
    if event.tool == "TaskCreate":
        if not subject:
            return []
        fields = _marked(event, "todo")
        number = _number(event.response)
        return [(subject, fields | ({"host_id": number} if number else {}))]
    number = str(given.get("taskId", "")).lstrip("#")
    status = _STATUS.get(str(given.get("status")))
    for task, was in known.items.items():
        if was.get("host_id") == number and was.get("host_session") == event.session:
            if subject and subject != task:
                renamed = _marked(event, status or str(was.get("status", "todo")))
                return [
                    (task, {"status": "dropped", "host_id": ""}),
                    (subject, renamed | {"host_id": number}),
                ]
            return [(task, {"status": status})] if status else []
    return []


def _marked(event: ToolUsed, status: str) -> dict[str, Scalar]:
    return {"status": status, "host_session": event.session}


def _number(response: Json) -> str:
    if isinstance(response, Mapping):
        task = response.get("task")
        number = task.get("id") if isinstance(task, Mapping) else response.get("taskId")
        return str(number) if number is not None else ""
    match = _TASK_NUMBER.search(str(response))
    return match.group(1) if match else ""


def _task_text(value: object) -> str:
    text = " ".join(value.split())[:_MAX_CHARS] if isinstance(value, str) else ""
    return text.encode("utf-8", "ignore").decode("utf-8").replace("\0", "")
