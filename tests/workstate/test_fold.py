"""Replaying rows into a list. Source: spec of layer 0, "Storage: an append-only log"."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memfold.records import WorkRow
from memfold.store.status import is_closed
from memfold.workstate.fold import WorkList, fold, fold_more

_values = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5))
_fields = st.dictionaries(st.sampled_from(["task", "status", "pr", "note"]), _values, max_size=4)


def _rows(prefix: str) -> st.SearchStrategy[list[WorkRow]]:
    """Rows of one writer: its keys and tasks are its own."""

    def own(fields: dict[str, str | int | bool | None]) -> WorkRow:
        renamed = {key if key == "task" else prefix + key: v for key, v in fields.items()}
        if renamed.get("task"):
            renamed["task"] = f"{prefix}{renamed['task']}"
        return WorkRow("list", renamed, 0)

    return st.lists(_fields.map(own), max_size=8)


@given(_rows("a"), _rows("a"))
def test_a_fold_can_be_continued(first: list[WorkRow], second: list[WorkRow]) -> None:
    """spec: fold(a + b) == fold_more(fold(a), b)."""
    assert fold(first + second) == fold_more(fold(first), second)


@given(_rows("a"), _rows("b"), st.data())
def test_interleaving_two_writers_loses_no_key(
    one: list[WorkRow], two: list[WorkRow], data: st.DataObject
) -> None:
    """spec: order of interleaving of two writers never loses a key."""
    turns = data.draw(st.permutations([True] * len(one) + [False] * len(two)))
    first, second = iter(one), iter(two)
    mixed = [next(first) if turn else next(second) for turn in turns]
    assert fold(mixed) == fold(one + two)


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
