"""Replaying rows into a list. Source: spec of layer 0, "Storage: an append-only log"."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.records import WorkRow
from memfold.store.status import is_closed
from memfold.workstate.fold import WorkList, fold, fold_more

_values = st.sampled_from([None, True, 1, 0, "", "x", "done", "é"])
_fields = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(["task", "status", "pr", "note"], _values)
)


def _rows(prefix: str) -> st.SearchStrategy[list[WorkRow]]:
    """Rows of one writer: its keys and tasks are its own."""

    def own(fields: dict[str, str | int | bool | None]) -> WorkRow:
        renamed = {key if key == "task" else prefix + key: v for key, v in fields.items()}
        if renamed.get("task"):
            renamed["task"] = f"{prefix}{renamed['task']}"
        return WorkRow("list", renamed, 0)

    return st.lists(_fields.map(own), max_size=5)


@pytest.mark.timeout(600)  # many examples on a busy machine
@settings(max_examples=2_000, deadline=None)
@given(_rows("a"), _rows("a"))
def test_a_fold_can_be_continued(first: list[WorkRow], second: list[WorkRow]) -> None:
    """spec: fold(a + b) == fold_more(fold(a), b)."""
    assert fold(first + second) == fold_more(fold(first), second)


def _interleaved(one: list[WorkRow], two: list[WorkRow], turns: list[bool]) -> list[WorkRow]:
    """Both in their own order; ``turns`` says whose row comes next."""
    first, second = list(one), list(two)
    mixed = []
    for turn in turns:
        source = first if turn and first else second or first
        if source:
            mixed.append(source.pop(0))
    return [*mixed, *first, *second]


_turns = st.lists(st.booleans(), max_size=10)


@pytest.mark.timeout(600)  # many examples on a busy machine
@settings(max_examples=2_000, deadline=None)
@given(_rows("a"), _rows("b"), _turns)
def test_interleaving_two_writers_loses_no_key(
    one: list[WorkRow], two: list[WorkRow], turns: list[bool]
) -> None:
    """spec: order of interleaving of two writers never loses a key."""
    assert fold(_interleaved(one, two, turns)) == fold(one + two)


@pytest.mark.timeout(600)  # many examples on a busy machine
@settings(max_examples=2_000, deadline=None)
@given(_rows(""), _rows(""), _turns)
def test_two_writers_of_the_same_item_leave_each_key_as_one_of_them_said_it_last(
    one: list[WorkRow], two: list[WorkRow], turns: list[bool]
) -> None:
    """However they take turns: no task is lost, and no value is what neither said last."""
    mixed = fold(_interleaved(one, two, turns))
    assert set(mixed.items) == set(fold(one).items) | set(fold(two).items)
    said = _last_said(one), _last_said(two)
    for task, fields in {"": mixed.state, **mixed.items}.items():
        keys = {key for last in said for where, key in last if where == task}
        for key in keys:
            wanted = [last[task, key] for last in said if (task, key) in last]
            assert any(_same(fields.get(key), value) for value in wanted)
        assert set(fields) <= keys


def _last_said(rows: list[WorkRow]) -> dict[tuple[str, str], object]:
    last: dict[tuple[str, str], object] = {}
    for row in rows:
        task = str(row.fields.get("task") or "")
        last |= {(task, key): value for key, value in row.fields.items() if key != "task"}
    return last


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


def test_the_last_value_wins_and_null_clears() -> None:
    rows = [
        WorkRow("x", {"task": "a", "status": "todo", "pr": 12}, 1),
        WorkRow("x", {"branch": "main"}, 2),
        WorkRow("x", {"task": "a", "status": "doing", "pr": None}, 3),
    ]
    assert fold(rows) == WorkList({"branch": "main"}, {"a": {"status": "doing"}})


def test_a_row_with_an_empty_task_changes_the_list() -> None:
    """spec: rows with a non-empty task change that item, other rows the list itself."""
    assert fold([WorkRow("x", {"task": "", "owner": "us"}, 1)]) == WorkList({"owner": "us"}, {})


def test_closed_is_done_or_dropped_in_any_case() -> None:
    assert is_closed({"status": "Done"})
    assert is_closed({"status": " DROPPED "})
    assert not is_closed({"status": "doing"})
    assert not is_closed({})
