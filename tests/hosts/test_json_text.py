"""JSON edited as text. The promise: hosts' settings keep every byte that is not ours."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.hosts import json_text
from memfold.hosts.json_text import NotJson, add, parse, remove

Value = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
Members = st.dictionaries(st.text(max_size=5).filter(lambda key: key != "ours"), Value, max_size=4)
Indent = st.sampled_from([None, 1, 2, 4, "\t"])


@given(Value, Indent)
def test_reads_what_json_reads(value: object, indent: int | str | None) -> None:
    assert parse(json.dumps(value, indent=indent)).value == value


@given(Members, Value, Indent, st.sampled_from(["\n", "\r\n"]))
def test_a_member_added_and_removed_leaves_the_same_text(
    members: dict[str, object], value: object, indent: int | str | None, newline: str
) -> None:
    """Uninstall removes exactly what was written."""
    text = json.dumps(members, indent=indent).replace("\n", newline)
    longer = add(text, parse(text), value, "ours")
    assert parse(longer).value == {**members, "ours": value}
    assert newline == "\r\n" or "\r" not in longer.replace("\\r", "")
    node = parse(longer)
    assert remove(longer, node, len(node.children) - 1) == text


@given(st.lists(Value, max_size=4), Value, Indent)
def test_an_item_added_and_removed_leaves_the_same_text(
    items: list[object], value: object, indent: int | str | None
) -> None:
    text = json.dumps({"a": items}, indent=indent)
    room = parse(text).child("a")
    assert room is not None
    longer = add(text, room, value)
    assert parse(longer).value == {"a": [*items, value]}
    room = parse(longer).child("a")
    assert room is not None
    assert remove(longer, room, len(items)) == text


@given(st.lists(Value, min_size=1, max_size=4), Indent, st.data())
def test_any_item_can_be_removed(
    items: list[object], indent: int | str | None, data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(items) - 1))
    text = json.dumps(items, indent=indent)
    left = [item for place, item in enumerate(items) if place != index]
    assert json.loads(remove(text, parse(text), index)) == left


def test_comments_and_trailing_commas_stay() -> None:
    text = """{
    // what I like
    "model": "opus", // the big one
    "hooks": {}, /* later */
}
"""
    longer = add(text, parse(text), 1, "ours")
    assert "// what I like" in longer
    assert '"model": "opus", // the big one\n' in longer
    assert parse(longer).value == {"model": "opus", "hooks": {}, "ours": 1}


def test_a_remark_behind_the_last_member_stays_with_it() -> None:
    text = '{\n  "model": "opus" // the big one\n}\n'
    longer = add(text, parse(text), 1, "ours")
    assert longer == '{\n  "model": "opus", // the big one\n  "ours": 1\n}\n'
    assert remove(longer, parse(longer), 1) == text


def test_new_lines_are_indented_as_the_file_does_it() -> None:
    text = '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n'
    room = parse(text).child("a")
    assert room is not None
    assert add(text, room, [1], "c") == (
        '{\n\t"a": {\n\t\t"b": 1,\n\t\t"c": [\n\t\t\t1\n\t\t]\n\t}\n}\n'
    )


def test_the_last_of_two_members_of_one_name_counts() -> None:
    """Hosts read it so, and so does Python."""
    room = parse('{"a": 1, "a": 2}').child("a")
    assert room is not None
    assert room.value == 2


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "line 1, column 1"),
        ("{", "line 1, column 2"),
        ('{"a" 1}', "line 1, column 6"),
        ('{"a": 1 "b": 2}', "line 1, column 9"),
        ("{\n  'a': 1\n}", "line 2, column 3"),
        ('{"a": tru}', "line 1, column 7"),
        ('{"a": "\\q"}', "line 1, column 7"),
        ("{} {}", "line 1, column 4"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_broken_text_is_refused_with_its_place(text: str, where: str) -> None:
    with pytest.raises(NotJson, match=where):
        json_text.parse(text)
