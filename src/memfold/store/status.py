"""Which items of a list are still to show: one rule for stores and rooms."""

from __future__ import annotations

from collections.abc import Mapping

from memfold.records import WorkRow

# Keys that the mirror keeps for itself; `host_id` stands in rows of 0.1.0's first days.
BOOKKEEPING = ("host_session", "host_id")
_CLOSED = {"done", "dropped"}
_Fields = Mapping[str, str | int | float | bool]


def word_of(fields: _Fields) -> str:
    """The status as given, in small letters; empty where there is none."""
    return str(fields.get("status", "")).strip().casefold()


def is_closed(fields: _Fields) -> bool:
    """Whether this item or list is finished: status done or dropped, in any case."""
    return word_of(fields) in _CLOSED


def rank_of(task: str, fields: _Fields) -> int:
    """0: not a line of what is open; 1: a line of it; 2: an item being done, cut last.

    An empty ``task`` means the list's own state, which is a line where it says anything.
    """
    if is_closed(fields):
        return 0
    if task:
        return 2 if word_of(fields) == "doing" else 1
    return 1 if any(key not in BOOKKEEPING for key in fields) else 0


def task_of(row: WorkRow) -> str:
    """The to-do item that a row changes; empty for the list itself."""
    return str(row.fields.get("task") or "")
