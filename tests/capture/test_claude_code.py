"""Claude Code's payloads as events (hosts.md 1.3 and 1.4)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memfold.capture.claude_code import NOT_KEPT, VSCODE, events_of
from memfold.capture.payload import content_key
from memfold.capture.tools import command_text, files_of, is_ours
from memfold.errors import BadPayload
from memfold.records import (
    Compacted,
    PromptGiven,
    ReplyGiven,
    SessionEnded,
    SessionStarted,
    ToolUsed,
    TurnEnded,
)

SHARED = Path(__file__).resolve().parents[3] / "shared"
AT = 1_700_000_000_000
COMMON = {"session_id": "s1", "transcript_path": "/t.jsonl", "cwd": "/code/app"}


def events(name: str, **more: Any) -> tuple[Any, ...]:
    return events_of({**COMMON, "hook_event_name": name, **more}, "", AT)


def test_a_start_names_its_source_and_transcript() -> None:
    (event,) = events("SessionStart", source="resume")
    assert isinstance(event, SessionStarted)
    assert (event.source, event.transcript, event.at_ms) == ("resume", "/t.jsonl", AT)


def test_a_prompt_keeps_the_hosts_key() -> None:
    (event,) = events("UserPromptSubmit", prompt="fix it", prompt_id="p1")
    assert isinstance(event, PromptGiven)
    assert (event.text, event.prompt_key) == ("fix it", "p1")


@pytest.mark.parametrize("text", ["", "  ", "<task-notification>x</task-notification>"])
def test_what_nobody_typed_is_no_prompt(text: str) -> None:
    """A background agent's end comes as a prompt (hosts.md 0.9)."""
    assert events("UserPromptSubmit", prompt=text) == ()


def test_a_tool_use_keeps_input_response_and_files() -> None:
    (event,) = events(
        "PostToolUse",
        tool_name="Edit",
        tool_input={"file_path": "/code/app/a.py", "old_string": "x"},
        tool_response={"filePath": "/code/app/a.py"},
        tool_use_id="t1",
        duration_ms=13,
    )
    assert isinstance(event, ToolUsed)
    assert (event.key, event.ok, event.duration_ms) == ("t1", True, 13)
    assert event.files_changed == ("/code/app/a.py",)


def test_a_failed_call_is_kept_and_changed_nothing() -> None:
    given = {"tool_name": "Write", "tool_input": {"file_path": "/x"}, "tool_use_id": "t1"}
    (event,) = events("PostToolUseFailure", **given, error="Exit code 1")
    assert (event.ok, event.response, event.files_changed) == (False, "Exit code 1", ())


def test_a_subagents_work_carries_its_id() -> None:
    (event,) = events("PostToolUse", tool_name="Bash", tool_use_id="t", agent_id="a1")
    assert event.agent == "a1"


def test_a_stop_gives_the_last_words_and_ends_the_turn() -> None:
    said, ended = events("Stop", last_assistant_message="Fixed.", background_tasks=[{"id": "x"}])
    assert isinstance(said, ReplyGiven)
    assert isinstance(ended, TurnEnded)
    assert [type(e) for e in events("Stop")] == [TurnEnded]


def test_the_summariser_of_a_compaction_is_not_the_agent() -> None:
    """hosts.md 1.4: SubagentStop with an empty agent type."""
    assert events("SubagentStop", agent_type="", last_assistant_message="summary") == ()
    (said,) = events("SubagentStop", agent_id="a", agent_type="x", last_assistant_message="found")
    assert isinstance(said, ReplyGiven)


def test_compaction_and_end_are_reported() -> None:
    assert isinstance(events("PreCompact", trigger="manual")[0], Compacted)
    assert events("PostCompact", compact_summary="s")[0].summary == "s"
    assert isinstance(events("SessionEnd", reason="clear")[0], SessionEnded)


@pytest.mark.parametrize("name", [*NOT_KEPT, "NewInTheFuture", ""])
def test_events_that_say_nothing_new_give_nothing(name: str) -> None:
    assert events(name, tool_name="Read", message="m", tool_use_id="t", prompt="p") == ()


def test_all_events_of_the_host_are_accounted_for() -> None:
    """hosts.md 1.1: the 34 events in the schema of version 2.1.332."""
    names = """PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit
        UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop
        PreCompact PostCompact PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied
        Setup TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange
        WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded
        MessageDisplay PreSkillShellCommand""".split()  # noqa: SIM905  # a plain list
    kept = {"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop"}
    kept |= {"SubagentStop", "PreCompact", "PostCompact", "SessionEnd"}
    assert set(names) == kept | set(NOT_KEPT)
    assert len(names) == 34


@pytest.mark.parametrize(
    ("tasks", "ends"),
    [
        ([{"id": "a", "type": "subagent", "status": "running"}], False),
        ([{"id": "a", "type": "subagent", "status": "completed"}], True),
        ([{"id": "a", "type": "shell", "status": "running"}], True),
        (["odd"], True),
        ("odd", True),
        ([], True),
    ],
)
def test_the_turn_goes_on_while_a_subagent_works(tasks: Any, ends: bool) -> None:
    """hosts.md 1.4: its end wakes the agent up, and a second Stop follows."""
    found = [type(e) for e in events("Stop", last_assistant_message="wait", background_tasks=tasks)]
    assert found == ([ReplyGiven, TurnEnded] if ends else [ReplyGiven])


def test_no_session_no_event() -> None:
    assert events_of({"hook_event_name": "Stop"}, "", AT) == ()
    assert events("PostToolUse") == ()


def test_other_programs_that_run_these_hooks_are_understood() -> None:
    """VS Code's Copilot names its keys in camelCase (hosts.md 7)."""
    payload = {
        "hookEventName": "PostToolUse",
        "sessionId": "v1",
        "cwd": "/x",
        "toolName": "run",
        "toolInput": {"a": 1},
    }
    (event,) = events_of(payload, "", AT)
    assert isinstance(event, ToolUsed)
    assert (event.session, event.host) == ("v1", VSCODE)
    assert event.key == content_key("run", {"a": 1}, None)


def test_a_call_nested_without_end_is_refused_not_fatal() -> None:
    """Without the host's id its content is the key, and that cannot be read."""
    value: Any = "leaf"
    for _ in range(100_000):
        value = [value]
    with pytest.raises(BadPayload, match="nested"):
        events("PostToolUse", tool_name="X", tool_input=value)
    (event,) = events("PostToolUse", tool_name="X", tool_input=value, tool_use_id="t")
    assert event.key == "t"


def payloads(folder: str) -> list[Any]:
    place = SHARED / folder
    files = sorted(place.rglob("*.jsonl")) if place.is_dir() else []
    return [
        json.loads(text)
        for file in files
        for text in file.read_text("utf-8").splitlines()
        if text.strip()
    ]


@pytest.mark.shared_data
@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is not beside this checkout")
@pytest.mark.parametrize("folder", ["data/hooks", "harness/payloads"])
def test_real_payloads_of_every_host_are_taken_or_passed_over(folder: str) -> None:
    """Old versions, other hosts: never an exception, and every event has its session."""
    found = payloads(folder)
    assert len(found) > 80
    for payload in found:
        given = payload if isinstance(payload, dict) else {}
        for event in events_of(given.get("input", given), "", AT):
            assert event.session
            assert event.host in {"claude-code", VSCODE}


@pytest.mark.shared_data
@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is not beside this checkout")
def test_captured_payloads_of_claude_code_give_what_they_say() -> None:
    """Counts of data/hooks/README.md, and harness/payloads of 2.1.332."""
    tools = {"PostToolUse": ToolUsed, "PostToolUseFailure": ToolUsed, "SessionEnd": SessionEnded}
    for payload in payloads("data/hooks/claude-code") + payloads("harness/payloads"):
        wanted = tools.get(payload.get("hook_event_name", ""))
        ours = str(payload.get("tool_name", "")).startswith("mcp__memfold")
        if wanted and payload.get("session_id") and not ours:
            (event,) = events_of(payload, "", AT)
            assert isinstance(event, wanted)


@pytest.mark.parametrize(
    ("tool", "ours"),
    [
        ("mcp__memfold__mem_search", True),
        ("mcp__plugin_memfold_memfold__mem_search", True),
        ("mcp__other__mem_search", False),
        ("Bash", False),
    ],
)
def test_our_own_tools_are_not_captured(tool: str, ours: bool) -> None:
    assert is_ours(tool) is ours
    assert (events("PostToolUse", tool_name=tool, tool_use_id="t") == ()) is ours


@pytest.mark.parametrize(
    ("tool", "given", "files"),
    [
        ("Read", {"file_path": "/a.py"}, (("/a.py",), ())),
        ("NotebookEdit", {"notebook_path": "/n.ipynb"}, ((), ("/n.ipynb",))),
        ("Grep", {"path": "/src"}, ((), ())),
        ("Bash", {"command": "cat src/a.py"}, (("src/a.py",), ())),
        ("Bash", {"command": "sed -n 1,20p src/a.py"}, (("src/a.py",), ())),
        ("Bash", {"command": "cat a.py | grep x"}, ((), ())),
        ("Bash", {"command": "cat 'unclosed"}, ((), ())),
        ("Bash", {"command": "ls"}, ((), ())),
        ("Bash", "ls", ((), ())),
        ("shell", {"command": ["bash", "-lc", "cat a.md"]}, (("a.md",), ())),
        ("shell", {"command": ["cat", "b.md"]}, (("b.md",), ())),
        (
            "apply_patch",
            "*** Begin Patch\n*** Update File: a.go\n*** Add File: b.go\n*** Move to: c.go\n",
            ((), ("a.go", "b.go", "c.go")),
        ),
        (
            "exec_command",
            {"cmd": "apply <<'*** Begin Patch\n*** Delete File: d.go\n'"},
            ((), ("d.go",)),
        ),
        ("Unknown", {"file_path": "/a"}, ((), ())),
    ],
)
def test_files_are_named_by_the_tools_inputs(tool: str, given: Any, files: Any) -> None:
    assert files_of(tool, given) == files


def test_commands_are_read_in_every_form() -> None:
    assert command_text({"cmd": "x"}) == "x"
    assert command_text({"command": ["sh", "-c", "a b"]}) == "a b"
    assert command_text({"command": 3}) == ""


@pytest.mark.parametrize("duration", [float("inf"), float("nan"), "soon", None, True])
def test_a_duration_that_is_no_number_is_left_out(duration: object) -> None:
    (event,) = events("PostToolUse", tool_name="Bash", tool_use_id="t", duration_ms=duration)
    assert isinstance(event, ToolUsed)
    assert event.duration_ms in (None, 1)
