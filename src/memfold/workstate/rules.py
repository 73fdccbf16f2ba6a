"""Which writes are accepted; a refusal names the field and what would be right."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from memfold.errors import InvalidInput
from memfold.records import WorkRow
from memfold.store.status import is_closed
from memfold.workstate.fold import Fields

STATUSES = ("todo", "doing", "done", "dropped")
MAX_NAME_CHARS = 120
MAX_TEXT_CHARS = 2_000
MAX_KEYS = 32
MAX_KEY_CHARS = 64
MAX_ITEMS = 50
MAX_CALL_BYTES = 16 * 1024
_ARGS = {"list", "fields", "items", "project"}
_LARGEST = 2**63 - 1  # what every store keeps exactly

# What agents call the four, from the hosts' own to-do tools.
_OTHER_WORDS = {
    "pending": "todo",
    "open": "todo",
    "in_progress": "doing",
    "in progress": "doing",
    "started": "doing",
    "completed": "done",
    "complete": "done",
    "finished": "done",
    "closed": "done",
    "cancelled": "dropped",
    "canceled": "dropped",
    "deleted": "dropped",
}


def rows_of(args: Mapping[str, Any], now_ms: int, session: str = "") -> tuple[WorkRow, ...]:
    """The rows that a ``work_state_write`` call appends. Raises InvalidInput."""
    unknown = sorted(set(args) - _ARGS)
    if unknown:
        raise InvalidInput(
            f"work_state_write has no argument `{unknown[0]}`.",
            "It takes `list` with `items` or `fields`; keys of your own go inside those.",
        )
    name = list_name(args.get("list"))
    rows: list[WorkRow] = []
    if args.get("fields") is not None:
        rows.append(WorkRow(name, _checked(args["fields"], "fields"), now_ms, session))
    for at, item in enumerate(_items(args.get("items"))):
        fields = _checked(item, f"items[{at}]")
        if "task" not in fields:
            raise InvalidInput(
                f"`items[{at}].task` is missing.",
                "Each item names its task; values of the list itself go in `fields`.",
            )
        rows.append(WorkRow(name, fields, now_ms, session))
    if not rows:
        raise InvalidInput("There is nothing to write.", "Give `items` or `fields`.")
    size = len(json.dumps(dict(args), ensure_ascii=False).encode("utf-8", "surrogatepass"))
    if size > MAX_CALL_BYTES:
        raise InvalidInput(
            f"This call is {size:,} bytes; at most {MAX_CALL_BYTES:,} are taken.",
            "Shorten the values or write in several calls.",
        )
    return tuple(rows)


def list_name(value: object) -> str:
    """The list's name, blanks folded. Raises InvalidInput."""
    if not isinstance(value, str):
        raise InvalidInput("`list` must be a text.", "Name the list, such as the feature.")
    name = _clean(" ".join(value.split()))
    if not 1 <= len(name) <= MAX_NAME_CHARS:
        raise InvalidInput(
            f"`list` is {len(name)} characters long; it takes 1 to {MAX_NAME_CHARS}.",
            "Give a short name, such as the feature.",
        )
    return name


def refuse_cycle(items: Mapping[str, Fields]) -> None:
    """Nothing, or InvalidInput that names a cycle of ``blocked_by`` among open items."""
    blocker = {
        task: str(fields["blocked_by"])
        for task, fields in items.items()
        if "blocked_by" in fields and not is_closed(fields)
    }
    safe: set[str] = set()
    for start in blocker:
        path: list[str] = []
        task = start
        while task in blocker and task not in safe:
            if task in path:
                cycle = [*path[path.index(task) :], task]
                raise InvalidInput(
                    "`blocked_by` makes a cycle: "
                    + " -> ".join(_short(one) for one in cycle)
                    + ". Nothing was written.",
                    "Set `blocked_by` of one of them to null.",
                )
            path.append(task)
            task = blocker[task]
        safe.update(path)


def _items(value: object) -> list[object]:
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise InvalidInput("`items` must be a list of objects.", 'Such as [{"task": "..."}].')
    if not 1 <= len(value) <= MAX_ITEMS:
        raise InvalidInput(
            f"`items` holds {len(value)}; a call takes 1 to {MAX_ITEMS}.",
            "Write the rest in another call.",
        )
    return list(value)


def _checked(value: object, where: str) -> dict[str, str | int | float | bool | None]:
    if not isinstance(value, Mapping):
        raise InvalidInput(f"`{where}` must be an object.", 'Such as {"task": "...", ...}.')
    if not 1 <= len(value) <= MAX_KEYS:
        raise InvalidInput(f"`{where}` has {len(value)} keys; it takes 1 to {MAX_KEYS}.")
    fields: dict[str, str | int | float | bool | None] = {}
    for raw_key, raw in value.items():
        key = _clean(str(raw_key).strip())
        if not 1 <= len(key) <= MAX_KEY_CHARS:
            raise InvalidInput(
                f"A key in `{where}` has {len(key)} characters; it takes 1 to {MAX_KEY_CHARS}."
            )
        fields[key] = _scalar(raw, f"{where}.{key}")
    if "task" in fields:
        _check_item(fields, where)
    return fields


def _check_item(fields: dict[str, str | int | float | bool | None], where: str) -> None:
    task = " ".join(fields["task"].split()) if isinstance(fields["task"], str) else ""
    if not task:
        raise InvalidInput(f"`{where}.task` must be a text that names the to-do.")
    fields["task"] = task
    status = fields.get("status")
    if status is not None:
        word = str(status).strip().casefold() if isinstance(status, str) else ""
        if word not in STATUSES:
            meant = _OTHER_WORDS.get(word)
            raise InvalidInput(
                f"`{where}.status` is {status!r:.60}.",
                "It takes todo, doing, done or dropped" + (f"; use {meant}." if meant else "."),
            )
        fields["status"] = word
    blocker = fields.get("blocked_by")
    if blocker is not None:
        named = " ".join(blocker.split()) if isinstance(blocker, str) else ""
        if not named:
            raise InvalidInput(f"`{where}.blocked_by` must be the task of another item, or null.")
        fields["blocked_by"] = named


def _scalar(value: object, where: str) -> str | int | float | bool | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if abs(value) <= _LARGEST:
            return value
        raise InvalidInput(f"`{where}` is too large a number.", "Write it as a text.")
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise InvalidInput(f"`{where}` is not a finite number.", "Write it as a text.")
    if isinstance(value, str):
        if len(value) <= MAX_TEXT_CHARS:
            return _clean(value)
        raise InvalidInput(
            f"`{where}` is {len(value):,} characters long; it takes up to {MAX_TEXT_CHARS:,}."
        )
    raise InvalidInput(
        f"`{where}` must be a text, a number, true, false or null.",
        "Write nested values as several keys or as one text.",
    )


def _clean(text: str) -> str:
    """Without NUL and lone surrogates, which no store keeps faithfully."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode("utf-8")


def _short(task: str) -> str:
    return task if len(task) <= 60 else task[:59] + "…"
