"""The lists of a directory, merged over every key it is known by and ready to show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memfold.store.ports import WorkCurrent
from memfold.store.status import BOOKKEEPING, is_closed, word_of
from memfold.workstate.fold import Fields, Scalar

MIRRORS = (  # lists kept for the hosts' own tools
    "TodoWrite",
    "TaskCreate",
    "update_plan",
    "todowrite",
    "todo_write",
    "write_todos",
    "manage_todo_list",
)
HIDDEN = ("status", *BOOKKEEPING)  # keys that stand elsewhere or are bookkeeping


@dataclass(slots=True)
class Item:
    task: str
    fields: dict[str, Scalar]
    updated_at_ms: int
    waiting: bool = False  # its blocker is open

    @property
    def closed(self) -> bool:
        return is_closed(self.fields)

    @property
    def doing(self) -> bool:
        """Whether it is in hand, also while it waits for another."""
        return word_of(self.fields) == "doing"

    @property
    def word(self) -> str:
        """The status as shown."""
        if self.waiting and not self.closed:
            return "waiting"
        return word_of(self.fields) or "todo"


@dataclass(slots=True)
class ListView:
    name: str
    state: Item | None = None  # the list's own values
    items: dict[str, Item] = field(default_factory=dict)

    @property
    def closed(self) -> bool:
        return self.state is not None and self.state.closed


def lists_of(current: Sequence[WorkCurrent]) -> list[ListView]:
    """Current values as lists, in the order given, items of one name and list joined.

    A list may be filed under several keys of one directory: of each value, the one written
    later holds. A mirrored item that the agent tracks in a list of its own is left out.
    """
    found: dict[tuple[str, str], list[WorkCurrent]] = {}
    for row in current:
        found.setdefault((row.list_name, row.task), []).append(row)
    lists: dict[str, ListView] = {}
    for (name, task), rows in found.items():
        view = lists.setdefault(name, ListView(name))
        if task:
            view.items[task] = _joined(rows)
        else:
            view.state = _joined(rows)
    for view in lists.values():
        for item in view.items.values():
            blocker = view.items.get(str(item.fields.get("blocked_by", "")))
            item.waiting = blocker is not None and blocker is not item and not blocker.closed
    _leave_out_mirrored(lists)
    return list(lists.values())


def items_of(view: ListView) -> Mapping[str, Fields]:
    return {task: item.fields for task, item in view.items.items()}


def _joined(rows: Sequence[WorkCurrent]) -> Item:
    """One item from the rows that several keys have of it, as one log of all would give it."""
    if len(rows) == 1:
        return Item(rows[0].task, dict(rows[0].fields), rows[0].updated_at_ms)
    said: dict[str, tuple[int, int, Scalar | None]] = {}
    for row in rows:
        order = {key: at for at, key in enumerate(row.fields)}
        for key in {**row.set_by, **row.fields}:
            when = row.set_by.get(key, row.updated_at_ms)
            if key not in said or when >= said[key][0]:
                said[key] = (when, order.get(key, 0), row.fields.get(key))
    ordered = sorted(said.items(), key=lambda one: one[1][:2])
    newest = max(rows, key=lambda row: row.last_entry or row.updated_at_ms)
    fields = {key: value for key, (_, _, value) in ordered if value is not None}
    return Item(rows[0].task, fields, newest.updated_at_ms)


def _leave_out_mirrored(lists: Mapping[str, ListView]) -> None:
    """What stands under the same name in another list is shown once; but an item that is open
    is not hidden by one that was closed there."""
    shown = {True: set[str](), False: set[str]()}  # closed or open -> names
    for name, view in lists.items():
        if name not in MIRRORS:
            for task, item in view.items.items():
                shown[item.closed].add(task.casefold())
    for name in MIRRORS:
        view_of_host = lists.get(name)
        if view_of_host is None:
            continue
        kept = {
            task: item
            for task, item in view_of_host.items.items()
            if task.casefold() not in shown[False]
            and not (item.closed and task.casefold() in shown[True])
        }
        view_of_host.items = kept
        for task, item in kept.items():
            shown[item.closed].add(task.casefold())
