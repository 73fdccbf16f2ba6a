"""The tool table and the way in. What an agent pays for, and what it is told when it errs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memfold.code.index.keeper import SymbolKeeper
from memfold.code.reading import parsers
from memfold.errors import InvalidInput, MemfoldError
from memfold.records import Caller, Project, ToolReply
from memfold.serve.handshake import listed
from memfold.serve.tools import INSTRUCTIONS, TOOLS, Toolbox
from memfold.serve.tools import toolbox as toolbox_of
from memfold.store.cursors.memory import MemoryCursors
from memfold.store.sqlite.store import SqliteStore
from memfold.store.symbols.sqlite import SqliteSymbols
from memfold.testing import FakeClock

HERE = Caller(project=Project(1, "u", "app"), project_ids=(1,))


def echo(args: Mapping[str, Any], caller: Caller) -> ToolReply:
    return ToolReply(json.dumps([dict(args), caller.project.name if caller.project else None]))


@pytest.fixture
def toolbox() -> Toolbox:
    return Toolbox({tool.name: echo for tool in TOOLS})


def refusal(toolbox: Toolbox, name: str, args: dict[str, Any], caller: Caller = HERE) -> str:
    with pytest.raises(MemfoldError) as refused:
        toolbox.call(name, args, caller)
    assert refused.value.code == "invalid_input"
    return str(refused.value)


def test_the_whole_list_costs_less_than_the_reference() -> None:
    """The reference's 15 tools take about 8,800 characters of `tools/list`; ours 8,000 at most."""
    text = json.dumps([listed(tool) for tool in TOOLS], separators=(",", ":"))
    assert len(text) <= 8_000
    assert len(INSTRUCTIONS) <= 2_500


def test_tools_come_in_a_fixed_order_with_the_legacy_ones_last() -> None:
    """A list that changes order breaks the host's prompt cache."""
    assert [tool.name for tool in TOOLS] == [
        "mem_search",
        "work_state_write",
        "work_state_read",
        "get_tool_uses",
        "smart_search",
        "smart_outline",
        "smart_unfold",
        "memory_note",
        "important_workflow",
        "search",
        "timeline",
        "get_observations",
    ]
    legacy = [tool for tool in TOOLS if tool.legacy]
    assert legacy == list(TOOLS[-3:])
    assert all("mem_search" in tool.description for tool in legacy)


def test_only_what_an_agent_needs_first_is_always_loaded() -> None:
    pinned = [tool.name for tool in TOOLS if listed(tool).get("_meta")]
    assert pinned == ["mem_search", "work_state_write"]


def test_only_writing_is_not_read_only_and_nothing_is_open_world() -> None:
    for tool in TOOLS:
        hints = listed(tool)["annotations"]
        assert hints["openWorldHint"] is False
        assert hints["readOnlyHint"] is (tool.name not in {"work_state_write", "memory_note"})


def test_no_schema_takes_unknown_arguments() -> None:
    assert all(tool.input_schema["additionalProperties"] is False for tool in TOOLS)


def test_a_call_reaches_its_handler(toolbox: Toolbox) -> None:
    reply = toolbox.call("mem_search", {"query": "leak"}, HERE)
    assert json.loads(reply.text) == [{"query": "leak"}, "app"]


@pytest.mark.parametrize(
    ("name", "args", "says"),
    [
        ("mem_serch", {}, "Did you mean `mem_search`?"),
        ("bash", {}, "There are mem_search, work_state_write"),
        ("mem_search", {"querry": "x"}, "has no argument `querry`. Did you mean `query`?"),
        ("mem_search", {"cursor": "ms_x"}, "Use `continuation`."),
        ("mem_search", {"selected_ids": []}, "Did you mean `selectedIds`?"),
        ("mem_search", {"max_results": 3}, "Use `limit`."),
        ("work_state_read", {"zzz": 1}, "It takes `list`, `includeClosed`, `project`."),
        ("important_workflow", {"query": "x"}, "Call it with no arguments."),
        ("mem_search", {"query": 5}, "`query` must be a string, not 5."),
        ("mem_search", {"query": "x", "limit": "5"}, "must be a whole number, not the string '5'"),
        ("mem_search", {"query": "x", "limit": True}, "must be a whole number, not true"),
        ("mem_search", {"query": "x", "limit": 0}, "It must be from 1 to 20."),
        ("mem_search", {"query": "x", "mode": "fast"}, "one of `guided`, `auto`"),
        ("mem_search", {"selectedIds": "41"}, "`selectedIds` must be a list"),
        ("mem_search", {"selectedIds": [{}]}, "`selectedIds[0]` must be a string or a whole"),
        ("work_state_write", {"fields": {}}, "needs `list`"),
        ("work_state_write", {"list": "x", "items": {}}, "`items` must be a list"),
        ("work_state_write", {"list": "x", "items": ["a"]}, "`items[0]` must be an object"),
        ("get_tool_uses", {"ids": [1], "offset": -1}, "It must be 0 or more."),
        ("get_observations", {}, "needs `ids`"),
    ],
)
def test_a_wrong_call_names_the_right_one(
    toolbox: Toolbox, name: str, args: dict[str, Any], says: str
) -> None:
    """Unknown arguments are an error that names the right one (spec: hosts, MCP)."""
    assert says in refusal(toolbox, name, args)


def test_a_client_without_a_directory_must_name_the_project(toolbox: Toolbox) -> None:
    """An HTTP MCP server is told neither project nor session."""
    nobody = Caller()
    assert "Pass `project`" in refusal(toolbox, "mem_search", {"query": "x"}, nobody)
    assert "X-Memfold-Cwd" in refusal(toolbox, "get_tool_uses", {"ids": [1]}, nobody)
    assert toolbox.call("mem_search", {"query": "x", "project": "app"}, nobody).text
    assert toolbox.call("important_workflow", {}, nobody).text


def test_null_is_an_argument_left_out(toolbox: Toolbox) -> None:
    reply = toolbox.call("mem_search", {"query": "leak", "project": None}, HERE)
    assert json.loads(reply.text)[0] == {"query": "leak"}
    assert "needs `list`" in refusal(toolbox, "work_state_write", {"list": None})


def test_every_tool_answers_over_a_real_store(tmp_path: Path) -> None:
    """Names, arguments and defaults of the table are those that the rooms understand."""
    store = SqliteStore.open(tmp_path / "memfold.db")
    project = store.create("app", [])
    place = tmp_path / "app"
    place.mkdir()
    (place / "pool.py").write_text("class Pool:\n    def run(self):\n        return 1\n")
    caller = Caller(project=project, project_ids=(project.id,), cwd=str(place))
    keeper = SymbolKeeper(SqliteSymbols(tmp_path / "symbols.db"), parsers(str))
    box = toolbox_of(store, MemoryCursors(), b"k" * 32, FakeClock(), symbols=lambda: keeper)
    every: dict[str, dict[str, Any]] = {
        "mem_search": {
            "query": "leak",
            "mode": "guided",
            "project": "app",
            "limit": 5,
            "maxDetails": 2,
            "depthBefore": 1,
            "depthAfter": 1,
            "types": ["bugfix"],
            "concepts": ["gotcha"],
            "files": ["pool.py"],
            "since": "7d",
            "until": "2099-01-01",
        },
        "work_state_write": {
            "list": "pool",
            "items": [{"task": "mend", "status": "todo"}],
            "fields": {"branch": "fix"},
        },
        "work_state_read": {"list": "pool", "includeClosed": True, "project": "app"},
        "smart_search": {
            "query": "Pool.run",
            "path": "pool.py",
            "file_pattern": "*.py",
            "max_results": 5,
        },
        "smart_outline": {"file_path": "pool.py"},
        "smart_unfold": {"file_path": "pool.py", "symbol_name": "Pool.run", "from_line": 2},
        "important_workflow": {},
        "search": {
            "query": "leak",
            "limit": 5,
            "offset": 0,
            "project": "app",
            "obs_type": "bugfix",
        },
        "timeline": {"query": "leak", "depth_before": 1, "depth_after": 1, "project": "app"},
    }
    for name, args in every.items():
        assert box.call(name, args, caller).text
    hit = box.call("smart_search", {"query": "run"}, caller).text
    assert hit == "pool.py:2-3 method Pool.run: def run(self)"
    assert "mend" in box.call("work_state_read", {}, caller).text
    for name, args in (
        ("get_tool_uses", {"observation_ids": [1], "offset": 0, "max_bytes": 256}),
        ("get_observations", {"ids": [1, "S2"], "limit": 2}),
    ):
        with pytest.raises(MemfoldError) as refused:
            box.call(name, args, caller)
        assert refused.value.code == "not_found"
    keeper.close()
    store.close()


def test_a_table_without_a_handler_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="no handler for mem_search"):
        Toolbox({})


def test_an_unknown_tool_is_not_repeated_at_length(toolbox: Toolbox) -> None:
    with pytest.raises(InvalidInput) as refused:
        toolbox.call("x" * 10_000, {}, HERE)
    assert len(str(refused.value)) < 400
