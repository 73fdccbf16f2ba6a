"""The hosts' session files, with lines of our own in their shapes; the real ones are counted too."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from memfold.capture.transcripts import claude_code, codex
from memfold.capture.transcripts.find import find_transcripts, reader_of
from memfold.capture.transcripts.folders import own_folders
from memfold.capture.transcripts.lines import Reading, moment_ms
from memfold.capture.transcripts.typed import prompt_text
from memfold.errors import InvalidInput
from memfold.records import Compacted, Event, PromptGiven, ReplyGiven, ToolUsed, TurnEnded

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "transcripts"
TIME = "2026-04-30T08:00:0{}.000Z"


def line(kind: str, content: Any, at: int = 0, **more: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": kind, "content": content}
    message |= {key: more.pop(key) for key in ("id", "usage", "model") if key in more}
    common = {"sessionId": "s1", "cwd": "/code/app", "gitBranch": "main"}
    return {"type": kind, "message": message, "timestamp": TIME.format(at), **common, **more}


def call(key: str, tool: str = "Bash", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": key, "name": tool, "input": given or {"command": "ls"}}


def result(key: str, content: Any = "done", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": key, "content": content, **more}


def write(path: Path, lines: list[Any], end: str = "\n") -> Path:
    texts = [each if isinstance(each, str) else json.dumps(each) for each in lines]
    path.write_text("\n".join(texts) + end, "utf-8", "surrogatepass")
    return path


def taken(
    path: Path, start: int = 0, *, whole: bool = True, host: str = "claude-code"
) -> tuple[list[Event], Reading]:
    reading = Reading()
    return list(reader_of(host)(path, start, reading, whole=whole)), reading


def test_a_turn_is_read_in_order(tmp_path: Path) -> None:
    usage = {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 9_000}
    path = write(
        tmp_path / "s1.jsonl",
        [
            {"type": "mode", "sessionId": "s1"},
            line("user", "fix the leak", promptId="p1"),
            line("assistant", [{"type": "thinking", "thinking": "hm"}], 1, id="m1", usage=usage),
            line("assistant", [{"type": "text", "text": "I look."}], 1, id="m1", usage=usage),
            line("assistant", [call("t1"), call("t2")], 2, id="m1", usage=usage),
            line("user", [result("t1")], 3),
            line("user", [result("t2", "boom", is_error=True)], 4, toolUseResult="Error: boom"),
            line("assistant", [{"type": "text", "text": "Fixed the leak."}], 5),
        ],
    )
    events, reading = taken(path)
    assert [type(e).__name__ for e in events] == [
        "PromptGiven", "ReplyGiven", "ToolUsed", "ToolUsed", "ReplyGiven", "TurnEnded",
    ]  # fmt: skip
    prompt, _, first, second, _, _ = events
    assert isinstance(prompt, PromptGiven)
    assert prompt.prompt_key == "p1"
    assert isinstance(first, ToolUsed)
    assert isinstance(second, ToolUsed)
    assert (first.work_tokens, second.work_tokens) == (60, 60)
    assert (first.ok, second.ok, second.response) == (True, False, "boom")
    assert (reading.tool_uses, reading.bad_lines) == (2, 0)


def test_bad_lines_are_counted_and_passed_over(tmp_path: Path) -> None:
    lines = ["// a comment", line("user", "go"), '{"cut": ', "[1, 2]", "", "[" * 50_000]
    events, reading = taken(write(tmp_path / "s.jsonl", lines))
    assert reading.bad_lines == 4
    assert isinstance(events[0], PromptGiven)


def test_a_line_still_being_written_waits(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", [line("user", "go"), '{"type": "user", "mess'], end="")
    events, reading = taken(path, whole=False)
    assert len(events) == 1
    assert reading.bad_lines == 0
    assert reading.offset < path.stat().st_size
    assert taken(path)[1].bad_lines == 1


def test_reading_on_takes_calls_that_were_open(tmp_path: Path) -> None:
    """A result may come after the last reading; its call is read again with it."""
    first = [line("user", "go"), line("assistant", [call("t1")], 1)]
    path = write(tmp_path / "s.jsonl", first)
    events, reading = taken(path, whole=False)
    assert not any(isinstance(e, ToolUsed) for e in events)
    write(path, [*first, line("user", [result("t1")], 2)])
    events, _ = taken(path, reading.offset, whole=False)
    assert [e.key for e in events if isinstance(e, ToolUsed)] == ["t1"]


def test_a_call_without_a_result_is_accounted_for(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", [line("user", "go"), line("assistant", [call("t1")], 1)])
    events, _ = taken(path)
    (use,) = [e for e in events if isinstance(e, ToolUsed)]
    assert (use.ok, use.response) == (False, None)


def test_calls_that_are_not_kept_are_counted_with_a_reason(tmp_path: Path) -> None:
    calls = [call("t1", "mcp__memfold__mem_search"), {"type": "tool_use", "name": "", "id": "t2"}]
    _, reading = taken(write(tmp_path / "s.jsonl", [line("assistant", calls)]))
    assert reading.tool_uses == 2
    assert sum(reading.skipped.values()) == 2


def test_subagents_belong_to_their_session(tmp_path: Path) -> None:
    folder = tmp_path / "s1" / "subagents"
    folder.mkdir(parents=True)
    path = write(
        folder / "agent-a1.jsonl",
        [
            line("user", "find it", isSidechain=True),
            line("assistant", [call("t1")]),
            line("user", [result("t1")]),
        ],
    )
    events, _ = taken(path)
    assert [(type(e), e.agent, e.session) for e in events] == [(ToolUsed, "a1", "s1")]
    summariser = write(folder / "agent-acompact-1.jsonl", [line("assistant", [call("t2")])])
    assert taken(summariser)[0] == []


def test_sidechain_lines_of_old_versions_are_a_subagents(tmp_path: Path) -> None:
    lines = [line("assistant", [{"type": "text", "text": "found it"}], isSidechain=True)]
    (said,) = taken(write(tmp_path / "s.jsonl", lines))[0]
    assert said.agent == "sidechain"


def test_sidechains_of_one_file_are_kept_apart(tmp_path: Path) -> None:
    """Two tasks at once: each chain of lines is one subagent."""
    lines = [
        line("user", "task one", isSidechain=True, uuid="a1"),
        line("user", "task two", isSidechain=True, uuid="b1"),
        line("assistant", [call("t1")], isSidechain=True, uuid="a2", parentUuid="a1"),
        line("assistant", [call("t2")], isSidechain=True, uuid="b2", parentUuid="b1"),
        line("user", [result("t2")], isSidechain=True, uuid="b3", parentUuid="b2"),
        line("user", [result("t1")], isSidechain=True, uuid="a3", parentUuid="a2"),
    ]
    events, _ = taken(write(tmp_path / "s.jsonl", lines))
    assert {e.key: e.agent for e in events if isinstance(e, ToolUsed)} == {
        "t1": "sidechain-a1",
        "t2": "sidechain-b1",
    }


def queue(operation: str, content: str | None = None, **more: Any) -> dict[str, Any]:
    said = {"content": content} if content else {}
    return {"type": "queue-operation", "operation": operation, "sessionId": "s1", **said, **more}


@pytest.mark.parametrize(
    ("operations", "prompts"),
    [
        ([queue("enqueue", "check again"), queue("remove")], ["go", "check again"]),
        ([queue("enqueue", "check again"), queue("dequeue")], ["go"]),
        ([queue("enqueue", "a"), queue("enqueue", "b"), queue("popAll"), queue("remove")], ["go"]),
        ([queue("enqueue", "/mcp"), queue("remove")], ["go"]),
        ([queue("enqueue", "<task-notification>x"), queue("remove")], ["go"]),
        ([queue("enqueue", "gone"), queue("remove", reason="cancelled")], ["go"]),
        ([queue("remove"), queue("dequeue"), queue("somethingNew")], ["go"]),
    ],
)
def test_what_is_typed_while_the_agent_works_is_a_prompt(
    tmp_path: Path, operations: list[Any], prompts: list[str]
) -> None:
    """Before 2.1.100 only the queue's lines tell of it."""
    lines = [line("user", "go"), line("assistant", [call("t1")], 1), *operations]
    lines.append(line("user", [result("t1")], 2))
    events, _ = taken(write(tmp_path / "s.jsonl", lines))
    assert [e.text for e in events if isinstance(e, PromptGiven)] == prompts
    assert {e.cwd for e in events} == {"/code/app"}
    assert [e.response for e in events if isinstance(e, ToolUsed)] == ["done"]


@pytest.mark.parametrize(
    ("attachment", "prompts"),
    [
        ({"type": "queued_command", "prompt": "and test it"}, ["and test it"]),
        (
            {"type": "queued_command", "prompt": [{"type": "text", "text": "x"}]},
            ["x"],
        ),
        ({"type": "queued_command", "prompt": "x", "commandMode": "task-notification"}, []),
        ({"type": "queued_command", "prompt": "x", "isMeta": True}, []),
        ({"type": "queued_command", "prompt": ""}, []),
        ({"type": "task_reminder"}, []),
    ],
)
def test_newer_versions_attach_what_was_typed_meanwhile(
    tmp_path: Path, attachment: dict[str, Any], prompts: list[str]
) -> None:
    lines = [{**line("user", ""), "type": "attachment", "attachment": attachment}]
    events, _ = taken(write(tmp_path / "s.jsonl", lines))
    assert [e.text for e in events if isinstance(e, PromptGiven)] == prompts


def test_a_file_may_hold_several_sessions(tmp_path: Path) -> None:
    """A resumed or forked session goes on in the file of the first one."""
    lines = [
        line("user", "one"),
        line("assistant", [call("t1")], 1),
        line("user", [result("t1")], 2),
        line("user", "two", 3, sessionId="s2"),
        line("assistant", [{"type": "text", "text": "Done."}], 4, sessionId="s2"),
    ]
    events, _ = taken(write(tmp_path / "s.jsonl", lines))
    assert [(type(e).__name__, e.session) for e in events] == [
        ("PromptGiven", "s1"),
        ("ToolUsed", "s1"),
        ("PromptGiven", "s2"),
        ("ReplyGiven", "s2"),
        ("TurnEnded", "s1"),
        ("TurnEnded", "s2"),
    ]


def test_a_call_is_given_up_when_the_next_prompt_comes(tmp_path: Path) -> None:
    """The user broke it off: no result will come, and reading on must not wait for it."""
    lines = [
        line("user", "go"),
        line("assistant", [call("t1", "Write", file_path="/a")], 1),
        line("user", [{"type": "text", "text": "[Request interrupted by user for tool use]"}], 2),
        line("user", "do it otherwise", 3),
    ]
    path = write(tmp_path / "s.jsonl", lines)
    events, reading = taken(path, whole=False)
    (use,) = [e for e in events if isinstance(e, ToolUsed)]
    assert (use.ok, use.response, use.files_changed) == (False, None, ())
    assert reading.offset == path.stat().st_size


def test_a_messages_price_is_shared_by_its_calls_once(tmp_path: Path) -> None:
    """Its lines repeat the figures, and they grow while it is written."""
    small, full = (
        {"input_tokens": 10, "output_tokens": 1},
        {"input_tokens": 10, "output_tokens": 91},
    )
    lines = [
        line("assistant", [call("t1")], id="m1", usage=small),
        line("assistant", [call("t1"), call("t2")], id="m1", usage=full),
        line("user", [result("t1")]),
        line("assistant", [call("t3")], id="m1", usage=full),
        line("user", [result("t2"), result("t3")]),
        line("assistant", [call("t4")], id="m2", usage={"input_tokens": "many"}),
        line("assistant", [call("t5")]),
    ]
    events, _ = taken(write(tmp_path / "s.jsonl", lines))
    prices = {e.key: e.work_tokens for e in events if isinstance(e, ToolUsed)}
    assert prices == {"t1": 51, "t2": 50, "t3": 0, "t4": 0, "t5": 0}


def test_blocks_that_are_no_text_leave_their_kind(tmp_path: Path) -> None:
    blocks = [
        {"type": "tool_reference", "tool_name": "WebSearch"},
        {"type": "document", "source": {}},
        {"type": "text", "text": "seen"},
    ]
    lines = [
        line("assistant", [call("t1"), call("t2")]),
        line("user", [result("t1", blocks), result("t2")], toolUseResult={"durationMs": 7}),
    ]
    one, two = [e for e in taken(write(tmp_path / "s.jsonl", lines))[0] if isinstance(e, ToolUsed)]
    assert one.response == "WebSearch\n[document]\nseen"
    assert two.response == "done", "a result beside others has only its own block"


def test_how_long_a_call_took_is_kept(tmp_path: Path) -> None:
    lines = [line("assistant", [call("t1")])]
    lines.append(line("user", [result("t1")], toolUseResult={"durationMs": 7, "code": 200}))
    (use, _) = taken(write(tmp_path / "s.jsonl", lines))[0]
    assert isinstance(use, ToolUsed)
    assert (use.duration_ms, use.response["code"]) == (7, 200)


def test_strange_lines_stop_nobody(tmp_path: Path) -> None:
    """Issue: lone surrogates, NUL bytes, deep nesting, 50 MB lines, bytes that are no UTF-8."""
    deep = json.dumps({"type": "user", "sessionId": "s1", "message": {"content": "D"}}).replace(
        '"D"', "[" * 900 + "]" * 900
    )
    lines = [
        line("user", "lone \ud83d and nul \x00"),
        line("assistant", [call("t1", command="x" * 1_000_000)]),
        line("user", [result("t1", "y" * 50_000_000)]),
        deep,
        {"type": "user", "sessionId": "s1", "message": "no dict", "timestamp": 5},
        {"type": "assistant", "sessionId": ["no"], "message": {"content": 5}},
        {"type": "assistant", "sessionId": "s1", "message": {"content": 5}},
        line("assistant", [{"type": "text", "text": None}, {"type": "tool_use"}, "x", 5]),
    ]
    path = write(tmp_path / "s.jsonl", lines)
    with path.open("ab") as file:
        file.write(b'{"type": "user", "sessionId": "s1", "message": {"content": "caf\xe9"}}\n')
    events, reading = taken(path)
    assert [e.text for e in events if isinstance(e, PromptGiven)][1:] == ["caf\ufffd"]
    assert [len(e.response) for e in events if isinstance(e, ToolUsed)] == [50_000_000]
    assert (reading.bad_lines, reading.tool_uses) == (0, 2)


@pytest.mark.parametrize(("end", "left"), [("\n", 0), ("", 1)])
def test_a_line_too_long_for_memory_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, left: int
) -> None:
    monkeypatch.setattr("memfold.capture.transcripts.lines.MAX_LINE_BYTES", 500)
    lines = [line("user", "go"), line("user", "x" * 2_000)]
    path = write(tmp_path / "s.jsonl", lines, end=end)
    events, reading = taken(path)
    assert reading.bad_lines == 1
    assert [e.text for e in events if isinstance(e, PromptGiven)] == ["go"]
    assert (reading.offset < path.stat().st_size) == bool(left)
    _, reading = taken(path, whole=False)
    assert reading.bad_lines == 1 - left


def test_reading_on_after_an_import_that_met_a_cut_line_loses_nothing(tmp_path: Path) -> None:
    """An import may run while the host is writing."""
    text = json.dumps(line("user", "second", 1))
    path = write(tmp_path / "s.jsonl", [line("user", "first"), text[:30]], end="")
    _, reading = taken(path)
    assert reading.bad_lines == 1
    write(path, [line("user", "first"), text])
    events, _ = taken(path, reading.offset, whole=False)
    assert [e.text for e in events if isinstance(e, PromptGiven)] == ["second"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("fix it", "fix it"),
        ([{"type": "text", "text": "look"}, {"type": "image", "source": {}}], "look\n[image]"),
        ([{"type": "image"}], ""),
        ("<command-name>/clear</command-name>", ""),
        ("<command-name>/go</command-name><command-args>all</command-args>", "/go all"),
        ("<local-command-stdout>x</local-command-stdout>", ""),
        ("Caveat: The messages below", ""),
        ("[Request interrupted by user]", ""),
        ("<system-reminder>x</system-reminder>real", "real"),
        ("<ide_opened_file>x</ide_opened_file>real", "real"),
        ("<task-notification>x", ""),
        ("<command-name>/model</command-name><command-args>opus</command-args>", ""),
        ("<command-message>x</command-message>\n<command-name>/commit</command-name>", "/commit"),
        ("<command-message>init is</command-message><command-name>init</command-name>", "/init"),
        ("<command-message>clear</command-message><command-name>/clear</command-name>", ""),
        ("<command-message>nameless", ""),
        ("<bash-input>ls</bash-input>", ""),
        ("a <ide_x>b <ide_x>c</ide_x> d", "a <ide_x>b  d"),
        ([{"type": "text", "text": 7}, "no block", {"type": "document"}], ""),
        (None, ""),
    ],
)
def test_only_what_the_user_typed_is_a_prompt(content: Any, text: str) -> None:
    assert prompt_text(content) == text


def test_notices_of_the_program_are_not_the_agents_words(tmp_path: Path) -> None:
    lines = [
        line(
            "assistant", [{"type": "text", "text": "No response requested."}], model="<synthetic>"
        ),
        line("user", "meta", isMeta=True),
    ]
    assert taken(write(tmp_path / "s.jsonl", lines))[0] == []


def test_a_compactions_summary_is_no_prompt(tmp_path: Path) -> None:
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "sessionId": "s1",
        "compactMetadata": {"trigger": "auto"},
    }
    lines = [boundary, line("user", "This session is being continued", isCompactSummary=True)]
    (event,) = taken(write(tmp_path / "s.jsonl", lines))[0]
    assert isinstance(event, Compacted)
    assert (event.trigger, event.summary) == ("auto", "This session is being continued")


def test_images_in_results_leave_a_mark(tmp_path: Path) -> None:
    blocks = [{"type": "image", "source": {"data": "A" * 99}}, {"type": "text", "text": "seen"}]
    lines = [
        line("assistant", [call("t1"), call("t2")]),
        line("user", [result("t1", blocks)]),
        line("user", [result("t2")], toolUseResult={"type": "image", "file": {"base64": "A"}}),
    ]
    one, two = [e for e in taken(write(tmp_path / "s.jsonl", lines))[0] if isinstance(e, ToolUsed)]
    assert one.response == "[image]\nseen"
    assert "base64" not in json.dumps(two.response)


def test_times_that_cannot_be_read_fall_back() -> None:
    assert moment_ms("2026-04-30T08:00:00Z", 5) == 1_777_536_000_000
    assert [moment_ms(bad, 5) for bad in (None, "soon", 7)] == [5, 5, 5]


def rollout(kind: str, payload: dict[str, Any], at: int = 0) -> dict[str, Any]:
    return {"timestamp": TIME.format(at), "type": kind, "payload": payload}


def codex_lines() -> list[Any]:
    return [
        rollout("session_meta", {"id": "c1", "cwd": "/code", "git": {"branch": "dev"}}),
        rollout(
            "event_msg",
            {
                "type": "user_message",
                "message": "# Context from my IDE setup:\n## My request for Codex:\nfix it",
            },
        ),
        rollout("turn_context", {"cwd": "/code/app"}),
        rollout(
            "response_item",
            {
                "type": "function_call",
                "name": "exec_command",
                "call_id": "k1",
                "arguments": '{"cmd": "go test"}',
            },
            1,
        ),
        rollout(
            "response_item",
            {
                "type": "function_call_output",
                "call_id": "k1",
                "output": "Process exited with code 1\nOutput:\nFAIL",
            },
            2,
        ),
        rollout(
            "response_item",
            {
                "type": "custom_tool_call",
                "name": "apply_patch",
                "call_id": "k2",
                "input": "*** Begin Patch\n*** Update File: a.go\n",
            },
            3,
        ),
        rollout(
            "response_item",
            {
                "type": "custom_tool_call_output",
                "call_id": "k2",
                "output": '{"output": "Success", "metadata": {"exit_code": 0}}',
            },
            4,
        ),
        rollout("event_msg", {"type": "agent_message", "message": "Patched."}, 5),
        rollout(
            "response_item",
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Patched."}],
            },
            5,
        ),
        rollout("compacted", {"message": "so far"}, 6),
        rollout("event_msg", {"type": "task_complete", "last_agent_message": "Done it."}, 7),
        rollout(
            "response_item",
            {
                "type": "function_call",
                "name": "mem_search",
                "namespace": "mcp__memfold",
                "call_id": "k3",
                "arguments": "{}",
            },
            8,
        ),
        rollout(
            "response_item",
            {"type": "local_shell_call", "id": "k4", "action": {"command": ["ls"]}},
            8,
        ),
    ]


def test_a_codex_session_is_read_in_order(tmp_path: Path) -> None:
    events, reading = taken(write(tmp_path / "rollout-c1.jsonl", codex_lines()), host="codex")
    prompt = events[0]
    assert isinstance(prompt, PromptGiven)
    assert (prompt.text, prompt.session, prompt.branch) == ("fix it", "c1", "dev")
    uses = {e.key: e for e in events if isinstance(e, ToolUsed)}
    assert (uses["k1"].ok, uses["k1"].input, uses["k1"].cwd) == (
        False,
        {"cmd": "go test"},
        "/code/app",
    )
    assert (uses["k2"].ok, uses["k2"].files_changed, uses["k2"].response) == (
        True,
        ("a.go",),
        "Success",
    )
    assert uses["k4"].response is None
    assert any(isinstance(e, Compacted) for e in events)
    assert {e.text for e in events if isinstance(e, ReplyGiven)} == {"Patched.", "Done it."}
    assert sum(isinstance(e, TurnEnded) for e in events) == 2
    assert (reading.tool_uses, dict(reading.skipped)) == (4, {"memfold's own tool": 1})


def test_reading_a_codex_session_on_knows_whose_it_is(tmp_path: Path) -> None:
    path = write(tmp_path / "rollout-c1.jsonl", codex_lines()[:4])
    _, reading = taken(path, whole=False, host="codex")
    write(path, codex_lines())
    events, _ = taken(path, reading.offset, whole=False, host="codex")
    assert {e.session for e in events} == {"c1"}
    assert "k1" in {e.key for e in events if isinstance(e, ToolUsed)}


def use_of(key: str, output: Any) -> list[Any]:
    return [
        rollout("response_item", {"type": "function_call", "name": "shell", "call_id": key}),
        rollout(
            "response_item", {"type": "function_call_output", "call_id": key, "output": output}
        ),
    ]


@pytest.mark.parametrize(
    ("output", "ok", "response"),
    [
        ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nexit code: 1", True, None),
        ("Exit code: 2\nWall time: 1\nOutput:\n", False, None),
        ("it says exit code: 1 in a text", True, None),
        ({"output": "x", "metadata": {"exit_code": 3}}, False, "x"),
        ({"output": "x"}, True, "x"),
        ([{"type": "input_text", "text": "a"}, {"type": "input_image"}], True, "a\n[image]"),
        ({"content": 1}, True, {"content": 1}),
        ("[not json", True, None),
        (None, True, None),
    ],
)
def test_codex_says_how_a_call_went(tmp_path: Path, output: Any, ok: bool, response: Any) -> None:
    """What a command printed about exit codes is not its own."""
    path = write(tmp_path / "rollout-c1.jsonl", use_of("k1", output))
    (use,) = [e for e in taken(path, host="codex")[0] if isinstance(e, ToolUsed)]
    assert (use.ok, use.response) == (ok, output if response is None else response)


def price(tokens: int) -> dict[str, Any]:
    usage = {"input_tokens": tokens + 50, "cached_input_tokens": 50, "output_tokens": 1}
    return rollout("event_msg", {"type": "token_count", "info": {"last_token_usage": usage}})


def test_codex_prices_reach_their_calls_once_in_every_order(tmp_path: Path) -> None:
    """0.39 writes the price before the calls, 0.118 between calls and outputs, 0.139 after."""
    search = rollout("response_item", {"type": "web_search_call", "action": {"query": "q"}})
    one, two, three = use_of("k1", "x"), use_of("k2", "x"), use_of("k3", "x")
    four, five = use_of("k4", "x"), use_of("k5", "x")
    lines = [
        price(9), *one,
        two[0], three[0], price(100), two[1], three[1],
        *four, search, price(30),
        rollout("event_msg", {"type": "token_count", "info": None}),
        price(1), rollout("event_msg", {"type": "user_message", "message": "next"}),
        *five,
    ]  # fmt: skip
    events, reading = taken(write(tmp_path / "rollout-c1.jsonl", lines), host="codex")
    prices = {e.key: e.work_tokens for e in events if isinstance(e, ToolUsed)}
    assert [prices[key] for key in ("k1", "k2", "k3", "k4", "k5")] == [10, 51, 50, 16, 0]
    assert sum(prices.values()) == 10 + 101 + 31
    assert reading.tool_uses == len(prices) == 6


def test_a_forked_codex_session_keeps_its_own_id(tmp_path: Path) -> None:
    """The parent's head stands in the file too, with the history."""
    lines = [
        rollout("session_meta", {"id": "child", "cwd": "/new"}),
        rollout("session_meta", {"id": "parent", "cwd": "/old"}),
        rollout("event_msg", {"type": "user_message", "message": "go", "images": ["data:"]}),
        rollout("event_msg", {"type": "user_message", "message": "", "images": ["data:"]}),
        rollout("event_msg", {"type": "user_message", "message": "# Context from my IDE setup"}),
        rollout("event_msg", {"type": "turn_aborted"}),
        rollout("event_msg", {"type": "turn_aborted"}),
        rollout("event_msg", {"type": "agent_reasoning", "text": "hm"}),
        rollout("response_item", {"type": "function_call_output", "call_id": "unknown"}),
        rollout("response_item", {"type": "message", "role": "user", "content": "x"}),
    ]
    events, _ = taken(write(tmp_path / "rollout-child.jsonl", lines), host="codex")
    assert [(type(e).__name__, e.session, e.cwd) for e in events] == [
        ("PromptGiven", "child", "/new"),
        ("TurnEnded", "child", "/new"),
    ]
    assert isinstance(events[0], PromptGiven)
    assert events[0].text == "go\n[image]"


def test_a_codex_file_without_a_head_is_named_by_its_file(tmp_path: Path) -> None:
    name = "rollout-2026-04-30T08-09-17-019ddd6f-3680-7fb3-8f93-e567af97d303.jsonl"
    lines = [rollout("event_msg", {"type": "user_message", "message": "go"}), rollout("x", {})]
    path = write(tmp_path / name, lines)
    for start in (0, 1):
        reading = Reading()
        events = list(codex.read(path, start, reading, whole=True))
        assert {e.session for e in events} <= {"019ddd6f-3680-7fb3-8f93-e567af97d303"}


def test_transcripts_are_found_where_the_hosts_keep_them(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    assert own_folders("claude-code", env)[0] == tmp_path / ".claude" / "projects"
    assert own_folders("codex", {**env, "CODEX_HOME": "/c"})[0] == Path("/c/sessions")
    with pytest.raises(InvalidInput, match="not there"):
        find_transcripts("codex", None, env)
    with pytest.raises(InvalidInput, match="no reader"):
        find_transcripts("emacs", tmp_path)
    write(tmp_path / "a.jsonl", [])
    (tmp_path / "deep").mkdir()
    write(tmp_path / "deep" / "b.jsonl", [])
    assert len(find_transcripts("codex", tmp_path)) == 2
    assert find_transcripts("codex", tmp_path / "a.jsonl") == [tmp_path / "a.jsonl"]


def _table() -> list[tuple[str, int, int]]:
    """(file, tool calls, bad lines) of the real sessions, as counted by others."""
    if not SHARED.is_dir():
        return []
    rows = []
    for text in (SHARED / "README.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in text.split("|")]
        if re.match(r"`(claude-code|codex)/", cells[1] if len(cells) > 7 else ""):
            bad = re.search(r"BAD LINES×(\d+)", text)
            rows.append((cells[1].strip("`"), int(cells[8]), int(bad.group(1)) if bad else 0))
    return rows


@pytest.mark.shared_data
@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data is not beside this checkout")
@pytest.mark.parametrize(("name", "calls", "bad"), _table())
def test_every_real_tool_call_is_seen(name: str, calls: int, bad: int) -> None:
    """Counts of data/transcripts/README.md, file by file."""
    host = name.split("/", 1)[0]
    _, reading = taken(SHARED / name, host=host)
    assert (reading.tool_uses, reading.bad_lines) == (calls, bad)


def test_both_readers_are_known() -> None:
    assert reader_of("claude-code") is claude_code.read
    assert reader_of("codex") is codex.read
