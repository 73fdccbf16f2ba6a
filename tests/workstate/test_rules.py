"""What `work_state_write` accepts. Source: spec of layer 0, "Tools"."""

from __future__ import annotations

from typing import Any

import pytest

from memfold.errors import InvalidInput
from memfold.workstate.rules import list_name, refuse_cycle, rows_of


def test_a_plan_of_several_items_is_one_call() -> None:
    rows = rows_of(
        {"list": "x", "items": [{"task": "a"}, {"task": "b", "status": "Doing"}]}, 5, "s"
    )
    assert [dict(row.fields) for row in rows] == [{"task": "a"}, {"task": "b", "status": "doing"}]
    assert {(row.list_name, row.at_ms, row.session) for row in rows} == {("x", 5, "s")}


def test_list_values_and_items_may_come_together() -> None:
    rows = rows_of({"list": "x", "fields": {"branch": "m"}, "items": [{"task": "a"}]}, 1)
    assert len(rows) == 2


def test_names_are_folded_to_one_line_without_what_no_store_keeps() -> None:
    rows = rows_of({"list": " a \n b ", "items": [{"task": "x\n y\0", "note": "\ud800k"}]}, 1)
    assert rows[0].list_name == "a b"
    assert rows[0].fields == {"task": "x y", "note": "k"}


@pytest.mark.parametrize(
    ("args", "named"),
    [
        ({"items": [{"task": "a"}]}, "`list`"),
        ({"list": 3, "items": [{"task": "a"}]}, "`list`"),
        ({"list": " ", "items": [{"task": "a"}]}, "`list`"),
        ({"list": "n" * 121, "items": [{"task": "a"}]}, "`list` is 121"),
        ({"list": "x"}, "nothing to write"),
        ({"list": "x", "todos": []}, "`todos`"),
        ({"list": "x", "items": []}, "`items` holds 0"),
        ({"list": "x", "items": "a"}, "`items`"),
        ({"list": "x", "items": [{"task": str(n)} for n in range(51)]}, "`items` holds 51"),
        ({"list": "x", "items": ["a"]}, "`items[0]`"),
        ({"list": "x", "items": [{"status": "todo"}]}, "`items[0].task`"),
        ({"list": "x", "items": [{"task": "a"}, {"task": ""}]}, "`items[1].task`"),
        ({"list": "x", "items": [{"task": 4}]}, "`items[0].task`"),
        ({"list": "x", "items": [{"task": "a", "status": 1}]}, "`items[0].status`"),
        ({"list": "x", "items": [{"task": "a", "blocked_by": 1}]}, "`items[0].blocked_by`"),
        ({"list": "x", "fields": {"a": [1]}}, "`fields.a`"),
        ({"list": "x", "fields": {"a": {"b": 1}}}, "`fields.a`"),
        ({"list": "x", "fields": {"a": float("nan")}}, "`fields.a`"),
        ({"list": "x", "fields": {"a": 10**30}}, "`fields.a`"),
        ({"list": "x", "fields": {"a": "v" * 2_001}}, "`fields.a` is 2,001"),
        ({"list": "x", "fields": {}}, "`fields` has 0"),
        ({"list": "x", "fields": {"": 1}}, "A key in `fields`"),
        ({"list": "x", "fields": {"k" * 65: 1}}, "A key in `fields`"),
        ({"list": "x", "fields": {str(n): n for n in range(33)}}, "`fields` has 33"),
        ({"list": "x", "fields": {str(n): "v" * 1_999 for n in range(9)}}, "bytes"),
    ],
)
def test_a_refusal_names_the_field(args: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        rows_of(args, 1)
    assert named in refused.value.message


@pytest.mark.parametrize(
    ("word", "meant"), [("in_progress", "doing"), ("Completed", "done"), ("cancelled", "dropped")]
)
def test_another_status_names_the_four_and_the_one_meant(word: str, meant: str) -> None:
    """spec: another word is an error that names the four."""
    with pytest.raises(InvalidInput, match="todo, doing, done or dropped") as refused:
        rows_of({"list": "x", "items": [{"task": "a", "status": word}]}, 1)
    assert f"use {meant}" in refused.value.next_step


def test_the_limits_themselves_are_taken() -> None:
    assert list_name("n" * 120)
    assert rows_of({"list": "x", "fields": {"a": "v" * 2_000}}, 1)
    assert len(rows_of({"list": "x", "items": [{"task": str(n)} for n in range(50)]}, 1)) == 50
    assert rows_of({"list": "x", "fields": {str(n): None for n in range(32)}}, 1)


def test_a_cycle_is_named() -> None:
    with pytest.raises(InvalidInput, match="a -> b -> c -> a"):
        refuse_cycle(
            {
                "d": {"blocked_by": "a"},
                "a": {"blocked_by": "b"},
                "b": {"blocked_by": "c"},
                "c": {"blocked_by": "a"},
            }
        )
    with pytest.raises(InvalidInput, match="a -> a"):
        refuse_cycle({"a": {"blocked_by": "a"}})


def test_a_closed_item_breaks_a_cycle() -> None:
    refuse_cycle({"a": {"blocked_by": "b", "status": "done"}, "b": {"blocked_by": "a"}})
    refuse_cycle({"a": {"blocked_by": "z"}, "b": {"blocked_by": "a"}})
