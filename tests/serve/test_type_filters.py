"""What `types` and `concepts` accept: any name, and those that are shown.

Source: spec of layer 1: an observation of another mode is never invisible, in filters neither.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sample_memory import Memory

from memfold.errors import InvalidInput, ScopeChanged
from memfold.serve.tools import Toolbox

NOTES = [
    {"type": "security_alert", "title": "The cache key holds the token", "concepts": ["trade-off"]},
    {"type": "ruling", "title": "The cache may be kept for a day", "concepts": ["precedent"]},
    {"type": "Security Alert", "title": "The cache of another mode"},
    {"type": "bugfix", "title": "The cache is emptied at logout"},
]


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    made = Memory.open(tmp_path)
    made.remember({"id": "s", "at": "2026-04-20 09:00", "observations": NOTES})
    yield made
    made.store.close()


@pytest.fixture
def tools(memory: Memory) -> Toolbox:
    return memory.toolbox()


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"types": ["security_alert"]}, {"1"}),
        ({"types": ["security alert"]}, {"1"}),
        ({"types": ["Security Alert"]}, {"1", "3"}),
        ({"types": ["ruling"]}, {"2"}),
        ({"types": ["ruling", "BUGFIX"]}, {"2", "4"}),
        ({"types": ["nobody's"]}, set()),
        ({"types": []}, {"1", "2", "3", "4"}),
        ({"concepts": ["trade off"]}, {"1"}),
        ({"concepts": ["precedent"]}, {"2"}),
        ({"types": ["ruling"], "concepts": ["trade-off"]}, set()),
        ({"types": [f"t{n}" for n in range(19)] + ["security alert"]}, set()),
        ({"types": [f"t{n}" for n in range(18)] + ["security alert"]}, {"1"}),
    ],
)
def test_a_filter_finds_what_is_named_by_id_or_as_it_is_shown(
    tools: Toolbox, memory: Memory, filters: dict[str, Any], found: set[str]
) -> None:
    reply = tools.call("mem_search", {"query": "cache", **filters}, memory.caller())
    assert {entry.ref for entry in reply.entries if entry.kind == "observation"} == found


def test_the_next_step_may_say_the_filter_again(tools: Toolbox, memory: Memory) -> None:
    """An option given again must be the same, whichever way it was named."""
    begun = {"query": "cache", "types": ["security alert"]}
    first = tools.call("mem_search", begun, memory.caller())
    again = {"continuation": first.cursor, "selectedIds": [1], "types": ["security alert"]}
    assert tools.call("mem_search", again, memory.caller()).step == 2
    with pytest.raises(ScopeChanged):
        tools.call("mem_search", {**again, "types": ["bugfix"]}, memory.caller())


def test_too_many_names_are_still_refused(tools: Toolbox, memory: Memory) -> None:
    args = {"query": "cache", "types": ["security alert"] * 21}
    with pytest.raises(InvalidInput, match="`types` holds 21"):
        tools.call("mem_search", args, memory.caller())


def test_the_older_search_takes_the_same_names(tools: Toolbox, memory: Memory) -> None:
    for named, found in (("security alert", {"1"}), ("ruling, bugfix", {"2", "4"})):
        args = {"query": "cache", "obs_type": named}
        reply = tools.call("search", args, memory.caller())
        assert {entry.ref for entry in reply.entries} == found
