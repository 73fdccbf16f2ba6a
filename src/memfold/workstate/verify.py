"""Whether the current values are what the log says, item by item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memfold.records import WorkRow
from memfold.store.ports import WorkCurrent, WorkLog, WorkOpen
from memfold.store.status import rank_of, task_of
from memfold.workstate.fold import fold

_ALL = 1 << 40  # lines: more than there can be


@dataclass(frozen=True, slots=True)
class Difference:
    """One item, or the list's own state where ``task`` is empty, that is not as its log says."""

    list_name: str
    task: str
    says: str  # what differs, without values


@dataclass(slots=True)
class Checked:
    """What was looked at in one project."""

    lists: int = 0
    rows: int = 0
    differences: list[Difference] = field(default_factory=list)


def verify(log: WorkLog, project_id: int) -> Checked:
    """Replay a project's log, a list at a time, and compare. O(rows) of its largest list."""
    checked = Checked()
    for name in log.list_names(project_id):
        rows, current, found = _still(log, project_id, name)
        checked.lists += 1
        checked.rows += len(rows)
        # Blockers that are closed come along with what they block.
        shown = {row.task for row in found.rows if rank_of(row.task, row.fields)}
        checked.differences += differences(name, rows, current, shown)
        if found.left_out:
            checked.differences.append(Difference(name, "", "counts closed items as open"))
    return checked


def differences(
    name: str, rows: Sequence[WorkRow], current: Iterable[WorkCurrent], shown: set[str]
) -> list[Difference]:
    """Where ``current`` is not what ``rows`` fold to, in order of first mention.

    ``shown``: tasks that the store gives as open, "" for the list's own state. Pure.
    """
    wanted = _replayed(name, rows)
    there = {value.task: value for value in current}
    found: list[Difference] = []
    for task in dict.fromkeys([*wanted, *there]):
        says = _compared(wanted.get(task), there.get(task), task in shown)
        if says:
            found.append(Difference(name, task, says))
    return found


def _still(
    log: WorkLog, project_id: int, name: str
) -> tuple[tuple[WorkRow, ...], tuple[WorkCurrent, ...], WorkOpen]:
    """The log, the values and what is open of one moment, though others write meanwhile."""
    while True:
        rows = log.log([project_id], name)
        current = log.current([project_id], name)
        found = log.open_rows([project_id], name, most=_ALL)
        if len(log.log([project_id], name)) == len(rows):
            return rows, current, found


def _replayed(name: str, rows: Sequence[WorkRow]) -> dict[str, WorkCurrent]:
    folded = fold(rows)
    at: dict[str, tuple[int, int, int]] = {}  # task -> (first row, last one, its time)
    set_by: dict[str, dict[str, int]] = {}
    for row in rows:
        task = task_of(row)
        at[task] = (at[task][0] if task in at else row.id, row.id, row.at_ms)
        set_by.setdefault(task, {}).update({key: row.id for key in row.fields if key != "task"})
    if "" in at:  # a list's own row is as old as the list
        at[""] = (rows[0].id, max(set_by[""].values(), default=0), at[""][2])
    values: dict[str, WorkCurrent] = {}
    for task, (first, last, at_ms) in at.items():
        fields = folded.items[task] if task else folded.state
        if task or set_by[task]:
            values[task] = WorkCurrent(name, task, fields, at_ms, 0, first, last, set_by[task])
    return values


def _compared(wanted: WorkCurrent | None, there: WorkCurrent | None, shown: bool) -> str:
    if wanted is None:
        return "stands in the table and not in the log"
    if there is None:
        return "stands in the log and not in the table"
    wrong = [f"`{key}`" for key in _unlike(wanted.fields, there.fields)]
    is_open = bool(rank_of(wanted.task, wanted.fields))
    checks = {
        f"has another value of {', '.join(wrong)}": bool(wrong),
        "has another time": wanted.updated_at_ms != there.updated_at_ms,
        "names other rows of the log": (
            (wanted.first_entry, wanted.last_entry, wanted.set_by)
            != (there.first_entry, there.last_entry, there.set_by)
        ),
        "is hidden though it is open": is_open and not shown,
        "is shown though it is closed": shown and not is_open,
    }
    return next((says for says, differs in checks.items() if differs), "")


def _unlike(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Keys whose values differ, their type too: true is not 1."""
    gone = object()
    return [
        key
        for key in dict.fromkeys([*one, *other])
        if repr(one.get(key, gone)) != repr(other.get(key, gone))
    ]
