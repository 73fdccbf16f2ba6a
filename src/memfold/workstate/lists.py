"""The lists of a directory, merged over every key it is known by and ready to show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memfold.store.ports import WorkCurrent
from memfold.workstate.fold import Fields, Scalar, is_closed

MIRRORS = ("TodoWrite", "TaskCreate", "update_plan")  # lists kept for the hosts' own tools
HIDDEN = ("status", "host_id", "host_session")  # keys that stand elsewhere or are bookkeeping


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
        return self.word == "doing"

    @property
    def word(self) -> str:
        """The status as shown."""
        if self.waiting and not self.closed:
            return "waiting"
        return str(self.fields.get("status", "todo")).strip().casefold() or "todo"


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

    A list may be filed under several keys of one directory: the value written later wins.
    A mirrored item that the agent tracks in a list of its own is left out.
    """
    lists: dict[str, ListView] = {}
    for row in current:
        view = lists.setdefault(row.list_name, ListView(row.list_name))
        there = view.items.get(row.task) if row.task else view.state
        item = _joined(there, row)
        if row.task:
            view.items[row.task] = item
        else:
            view.state = item
    _leave_out_mirrored(lists)
    for view in lists.values():
        for item in view.items.values():
            blocker = view.items.get(str(item.fields.get("blocked_by", "")))
            item.waiting = blocker is not None and blocker is not item and not blocker.closed
    return list(lists.values())


def items_of(view: ListView) -> Mapping[str, Fields]:
    return {task: item.fields for task, item in view.items.items()}


def _joined(there: Item | None, row: WorkCurrent) -> Item:
    if there is None:
        return Item(row.task, dict(row.fields), row.updated_at_ms)
    if row.updated_at_ms >= there.updated_at_ms:
        return Item(row.task, there.fields | dict(row.fields), row.updated_at_ms)
    return Item(row.task, dict(row.fields) | there.fields, there.updated_at_ms)


def _leave_out_mirrored(lists: Mapping[str, ListView]) -> None:
    own = {
        task.casefold()
        for name, view in lists.items()
        if name not in MIRRORS
        for task in view.items
    }
    seen = set(own)
    for name in MIRRORS:
        view = lists.get(name)
        if view is None:
            continue
        view.items = {t: item for t, item in view.items.items() if t.casefold() not in seen}
        seen.update(task.casefold() for task in view.items)
