"""The two tools over a real store. Source: spec of layer 0, "Tools"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sample_memory import Memory

from memfold.errors import InvalidInput
from memfold.records import Caller
from memfold.workstate.fold import fold
from memfold.workstate.tools import read, write


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    made = Memory.open(tmp_path)
    yield made
    made.store.close()


def test_a_refused_write_changes_nothing(memory: Memory) -> None:
    """spec: a refused write changes nothing."""
    good = {"task": "a"}
    with pytest.raises(InvalidInput):
        memory.call(
            "work_state_write", {"list": "x", "items": [good, {"task": "b", "status": "?"}]}
        )
    cycle = [{"task": "a", "blocked_by": "b"}, {"task": "b", "blocked_by": "a"}]
    with pytest.raises(InvalidInput):
        memory.call("work_state_write", {"list": "x", "items": cycle})
    assert memory.store.log((1,)) == ()


def test_a_cycle_with_what_was_written_before_is_refused(memory: Memory) -> None:
    memory.call("work_state_write", {"list": "x", "items": [{"task": "a", "blocked_by": "b"}]})
    with pytest.raises(InvalidInput, match="b -> a -> b"):
        memory.call("work_state_write", {"list": "x", "items": [{"task": "b", "blocked_by": "a"}]})


def test_current_values_are_the_fold_of_the_log(memory: Memory) -> None:
    """spec: reads come from a current-value table; replaying the log gives the same."""
    for items in ([{"task": "a", "pr": 1}, {"task": "b"}], [{"task": "a", "pr": None, "x": True}]):
        memory.call("work_state_write", {"list": "x", "items": items, "fields": {"n": len(items)}})
    replayed = fold(memory.store.log((1,), "x"))
    current = memory.store.current((1,), "x")
    assert {row.task: dict(row.fields) for row in current if row.task} == replayed.items
    assert [dict(row.fields) for row in current if not row.task] == [replayed.state]


def test_writes_go_to_the_primary_key_and_reads_cover_all(memory: Memory) -> None:
    """spec: a list made in the main checkout shows in its worktrees and after a rename."""
    other = memory.store.create("worktree", [])
    both = Caller(project=other, project_ids=(other.id, memory.project.id))
    memory.call("work_state_write", {"list": "main", "items": [{"task": "from main"}]})
    write(memory.store, both, {"list": "here", "items": [{"task": "from here"}]}, 1)
    text = read(memory.store, both, {}, 1).text
    assert "from main" in text
    assert "from here" in text
    assert {row.project_id for row in memory.store.current((other.id,))} == {other.id}


def test_another_project_is_named(memory: Memory) -> None:
    memory.store.create("other", [])
    args = {"list": "x", "items": [{"task": "theirs"}], "project": "other"}
    memory.call("work_state_write", args)
    assert "theirs" not in memory.call("work_state_read", {}).text
    assert "theirs" in memory.call("work_state_read", {"project": "other"}).text


@pytest.mark.parametrize(
    "args", [{"closed": True}, {"includeClosed": 1}, {"project": 3}, {"list": ""}, {"list": 4}]
)
def test_wrong_arguments_for_reading_are_refused(memory: Memory, args: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        memory.call("work_state_read", args)


def test_a_caller_without_a_project_is_told_to_name_one(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="not known which project"):
        read(memory.store, Caller(), {}, 1)
