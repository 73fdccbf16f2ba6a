"""A list as it stands, from its append-only rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memfold.records import WorkRow
from memfold.store.status import task_of

Scalar = str | int | float | bool
Fields = Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class WorkList:
    """One list: its own state, and its to-do items by task in order of first mention."""

    state: Fields = field(default_factory=dict)
    items: Mapping[str, Fields] = field(default_factory=dict)


def fold(rows: Iterable[WorkRow]) -> WorkList:
    """Replay rows in order into the list as it stands now.

    The last value of each key wins; None removes it. A row with a non-empty ``task`` changes
    that to-do item, any other row the list itself. Pure. O(rows).
    """
    return fold_more(WorkList(), rows)


def fold_more(base: WorkList, rows: Iterable[WorkRow]) -> WorkList:
    """``base`` after more rows: fold(a + b) == fold_more(fold(a), b)."""
    state: dict[str, Scalar] = dict(base.state)
    items: dict[str, dict[str, Scalar]] = {task: dict(was) for task, was in base.items.items()}
    for row in rows:
        task = task_of(row)
        target = items.setdefault(task, {}) if task else state
        for key, value in row.fields.items():
            if key == "task":
                continue
            target.pop(key, None)  # a key set again moves to the end, as it was just said
            if value is not None:
                target[key] = value
    return WorkList(state, items)
