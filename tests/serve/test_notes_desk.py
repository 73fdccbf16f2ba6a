"""memory_note as an agent calls it: filed where it belongs, secrets left out, types by any name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sample_memory import Memory

from memfold.errors import InvalidInput
from memfold.records import Caller
from memfold.serve.tools import Toolbox


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    made = Memory.open(tmp_path)
    yield made
    made.store.close()


@pytest.fixture
def tools(memory: Memory) -> Toolbox:
    return memory.toolbox()


def test_a_note_is_found_with_its_price(memory: Memory, tools: Toolbox) -> None:
    args = {"title": "Retries stop at three", "text": "blocked after that", "type": "Decision"}
    said = tools.call("memory_note", args, memory.caller()).text
    assert said.startswith("Noted: [1] Retries stop at three · ⚖ decision · ~")
    reply = tools.call("mem_search", {"query": "retries blocked"}, memory.caller())
    (entry,) = reply.entries
    full = tools.call("get_observations", {"ids": [1]}, memory.caller()).text
    assert f"~{entry.read_tokens:,} tokens" in said
    assert "blocked after that" in full
    assert entry.work_tokens == 0


def test_no_secret_is_kept(memory: Memory, tools: Toolbox) -> None:
    key = "sk-ant-" + "api03-" + "Ab3dE" * 19 + "AA"
    args = {"title": "The key of the stage", "text": f"it is {key} <private>my name</private>"}
    said = tools.call("memory_note", args, memory.caller()).text
    assert "1 secret left out" in said
    full = tools.call("get_observations", {"ids": [1]}, memory.caller()).text
    assert key not in full
    assert "my name" not in full


def test_it_goes_where_it_is_told_to_and_nowhere_else(memory: Memory, tools: Toolbox) -> None:
    other = memory.store.create("other", [])
    said = tools.call("memory_note", {"title": "A fact", "project": "other"}, memory.caller()).text
    assert said.startswith("Noted in project other: [1]")
    (found,) = memory.store.recent([other.id], "observation", 5)
    assert found.host == "note"  # the caller's session is of another project
    with pytest.raises(InvalidInput, match="no project 'nope'"):
        tools.call("memory_note", {"title": "A fact", "project": "nope"}, memory.caller())
    with pytest.raises(InvalidInput):
        tools.call("memory_note", {"title": "A fact"}, Caller())


def test_a_wrong_argument_is_named(memory: Memory, tools: Toolbox) -> None:
    for args, said in (
        ({"titel": "x"}, "Did you mean `title`"),
        ({"title": "x", "type": "idea"}, "This mode has bugfix"),
        ({"text": "x"}, "title"),
    ):
        with pytest.raises(InvalidInput) as refused:
            tools.call("memory_note", args, memory.caller())
        assert said in str(refused.value)
    assert memory.store.counts().observations == 0
