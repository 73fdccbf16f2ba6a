"""The hosts' session files, with lines of our own in their shapes; the real ones are counted too."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from memfold.capture.transcripts import claude_code, codex
from memfold.capture.transcripts.claude_code import prompt_text
from memfold.capture.transcripts.find import find_transcripts, own_folder, reader_of
from memfold.capture.transcripts.lines import Reading, moment_ms
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
    assert (first.work_tokens, second.work_tokens) == (120, 0)
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
        line("user", "summary", isCompactSummary=True),
    ]
    assert taken(write(tmp_path / "s.jsonl", lines))[0] == []


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


def test_transcripts_are_found_where_the_hosts_keep_them(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    assert own_folder("claude-code", env) == tmp_path / ".claude" / "projects"
    assert own_folder("codex", {**env, "CODEX_HOME": "/c"}) == Path("/c/sessions")
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
    extra = (
        1 if host == "codex" and "2025/09/19" in name else 0
    )  # one call stands outside the items
    assert reading.tool_uses + extra >= calls
    assert reading.tool_uses <= calls
    assert reading.bad_lines == bad


def test_both_readers_are_known() -> None:
    assert reader_of("claude-code") is claude_code.read
    assert reader_of("codex") is codex.read
