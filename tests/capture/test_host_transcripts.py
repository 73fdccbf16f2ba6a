"""The session files of all hosts: one shape out of many, from samples of our own and real ones."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import host_sessions as samples
import pytest

from memfold.capture.tools import files_of, is_ours
from memfold.capture.transcripts.find import READERS, find_transcripts, reader_of
from memfold.capture.transcripts.folders import HOSTS, own_folders
from memfold.capture.transcripts.lines import Reading
from memfold.capture.transcripts.places import common_folder, cursor_folder
from memfold.records import Compacted, Event, PromptGiven, ReplyGiven, ToolUsed, TurnEnded

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "transcripts"
# What data/transcripts/README.md counts as prompts although nobody typed it.
_ENVIRONMENT = "1 line of Codex tells the model of its surroundings"
_STOPPED = "1 notice of an interruption"
NOT_TYPED = {
    "ff0a7d3f": (8, "4 times /exit and what it printed"),
    "2a02d4b6": (2, "/clear and what it printed"),
    "47bf5f5c": (3, "2 lines of a file opened in the editor, 1 of a picture alone"),
    "0ccf1a04-1b4c-43b6-8aa5-79e41db43a68.jsonl": (
        8,
        "3 notices of finished tasks, 2 times /plugin and what it printed, 1 interruption",
    ),
    "258c7280-ae70-4798-800f-63464d01a85d.jsonl": (
        3,
        "1 interruption, 2 notices of tasks, 1 summary; it leaves out 1 prompt that was queued",
    ),
    "491e126e": (1, _STOPPED),
    "55604662": (1, _STOPPED),
    "d6e0bada": (4, "2 interruptions, /mcp and what it printed"),
    "e9f146fa": (6, "2 interruptions, /mcp and /exit and what they printed"),
    "43bc3167": (1, _STOPPED),
    "01996135": (1, _ENVIRONMENT),
    "019d7d4c": (1, _ENVIRONMENT),
    "019ddd6f": (2, f"{_ENVIRONMENT}, 1 that the turn was aborted"),
    "019ddda4": (1, _ENVIRONMENT),
    "019ed48b": (1, _ENVIRONMENT),
    "019ed836": (1, _ENVIRONMENT),
    "2026-01-12_15-08-38Z": (3, "/exit, its caveat and what it printed"),
}


def taken(
    host: str, path: Path, start: int = 0, *, whole: bool = True
) -> tuple[list[Event], Reading]:
    reading = Reading()
    return list(reader_of(host)(path, start, reading, whole=whole)), reading


def names(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


@pytest.mark.parametrize("host", HOSTS)
def test_every_host_tells_the_same_story(host: str, tmp_path: Path) -> None:
    path = samples.write_sessions(tmp_path / "user", tmp_path / "app")[host]
    events, reading = taken(host, path)
    assert names(events) == ["PromptGiven", "ToolUsed", "ToolUsed", "ReplyGiven", "TurnEnded"]
    prompt, read, edit, reply, ended = events
    assert isinstance(prompt, PromptGiven)
    assert isinstance(read, ToolUsed)
    assert isinstance(edit, ToolUsed)
    assert isinstance(reply, ReplyGiven)
    assert isinstance(ended, TurnEnded)
    assert prompt.text == samples.ASKED
    assert reply.text == samples.FOUND
    assert (read.files_read, read.files_changed) == ((samples.FILE,), ())
    assert (edit.files_read, edit.files_changed) == ((), (samples.FILE,))
    assert read.ok
    assert edit.ok
    assert read.key
    assert read.key != edit.key
    assert [e.at_ms for e in events] == sorted(e.at_ms for e in events)
    where = str(tmp_path / "app") if host == "specstory" else samples.CWD
    assert {(e.host, e.cwd) for e in events} == {(host, where)}
    assert len({e.session for e in events}) == 1
    assert (reading.bad_lines, reading.tool_uses, reading.placed) == (0, samples.USES, False)


@pytest.mark.parametrize("host", HOSTS)
def test_read_again_keys_and_times_are_the_same(host: str, tmp_path: Path) -> None:
    path = samples.write_sessions(tmp_path / "user", tmp_path / "app")[host]
    assert taken(host, path)[0] == taken(host, path)[0]
    keys = [e.key for e in taken(host, path)[0] if isinstance(e, ToolUsed)]
    later = path.stat().st_mtime + 60
    os.utime(path, (later, later))
    assert [e.key for e in taken(host, path)[0] if isinstance(e, ToolUsed)] == keys


LINES = [host for host in HOSTS if host not in ("opencode", "specstory")]


@pytest.mark.parametrize("host", LINES)
def test_read_in_pieces_it_is_the_same_as_at_once(host: str, tmp_path: Path) -> None:
    """As `memfold watch` reads: after every line, and in the middle of some."""
    path = samples.write_sessions(tmp_path / "user", tmp_path / "app")[host]
    raw = path.read_bytes()
    whole = [_plain(e) for e in taken(host, path)[0] if not isinstance(e, TurnEnded)]
    ends = [at + 1 for at, byte in enumerate(raw) if byte == ord("\n")]
    pieces: dict[tuple[Any, ...], None] = {}
    offset = 0
    for end in sorted({*ends, *(end - 7 for end in ends[1:]), len(raw)}):
        path.write_bytes(raw[:end])
        events, reading = taken(host, path, offset, whole=False)
        offset = reading.offset
        pieces |= {_plain(e): None for e in events if not isinstance(e, TurnEnded)}
    left, _ = taken(host, path, offset)
    pieces |= {_plain(e): None for e in left if not isinstance(e, TurnEnded)}
    assert list(pieces) == whole


def _plain(event: Event) -> tuple[Any, ...]:
    """An event without its time (which hosts without times do not have) and its price."""
    if isinstance(event, PromptGiven):
        return ("prompt", event.session, event.text, event.prompt_key)
    if isinstance(event, ToolUsed):
        return ("use", event.session, event.key, event.tool, event.ok, str(event.response))
    return ("reply", event.session, getattr(event, "text", ""))


@pytest.mark.parametrize(
    ("host", "name", "make"),
    [
        ("gemini-cli", "session-old.json", samples.gemini_document),
        ("copilot-cli", "session-old.json", samples.copilot_timeline),
        ("opencode", "ses_1.json", samples.opencode_export),
    ],
)
def test_the_other_form_of_a_host_tells_it_too(
    host: str, name: str, make: Callable[[], dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(make()), "utf-8")
    events, reading = taken(host, path)
    assert names(events) == ["PromptGiven", "ToolUsed", "ToolUsed", "ReplyGiven", "TurnEnded"]
    assert events[0].cwd == samples.CWD
    assert find_transcripts(host, tmp_path) == [path]
    assert reading.tool_uses == samples.USES
    # Half written it tells nothing, and is looked at again.
    path.write_text(json.dumps(make())[:-20], "utf-8")
    events, reading = taken(host, path, whole=False)
    assert events == []
    assert (reading.offset, reading.bad_lines) == (0, 1)


def test_work_tokens_are_handed_on_once(tmp_path: Path) -> None:
    files = samples.write_sessions(tmp_path / "user", tmp_path / "app")
    paid = {
        host: sum(e.work_tokens for e in taken(host, path)[0] if isinstance(e, ToolUsed))
        for host, path in files.items()
    }
    expected = {"gemini-cli": 81, "copilot-cli": 9, "opencode": 16, "pi": 9}
    assert {host: paid[host] for host in expected} == expected


def test_a_session_without_a_directory_is_filed_under_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "w.jsonl"
    path.write_text(samples.lines_of(samples.windsurf()[:1]), "utf-8")
    events, reading = taken("windsurf", path)
    assert events[0].cwd == str(tmp_path)
    assert reading.placed


def test_a_cursor_folder_is_what_its_name_was_made_from(tmp_path: Path) -> None:
    path = tmp_path / "projects" / "a-my-app" / "agent-transcripts" / "u.jsonl"
    assert cursor_folder(path, ["/a/my.app/src/x.py", "/b/y.py"]) == "/a/my.app"
    assert cursor_folder(path, []) == ""
    project = tmp_path / "my.proj" / "app"
    project.mkdir(parents=True)
    dashed = re.sub(r"[^A-Za-z0-9]+", "-", str(project)).strip("-")
    there = tmp_path / "projects" / dashed / "agent-transcripts" / "u.jsonl"
    assert cursor_folder(there, []) == str(project)


def test_what_paths_have_in_common_is_not_everybodys_folder() -> None:
    assert common_folder(["/home/u/app/a.py", "/home/u/app/src/b.py"]) == "/home/u/app"
    assert common_folder(["/home/u/a.py", "/home/u/app/b.py"]) == ""
    assert common_folder(["/home/u/app/a.py", "/home/u/.cursor/x/y.txt"]) == "/home/u/app"
    assert common_folder([]) == ""


def test_gemini_names_its_project_beside_the_chats(tmp_path: Path) -> None:
    chats = tmp_path / ".gemini" / "tmp" / "app" / "chats"
    chats.mkdir(parents=True)
    path = chats / "session-1.json"
    path.write_text(json.dumps(samples.gemini_document()), "utf-8")
    noted = {"projects": {"/somewhere/app": "app"}}
    (tmp_path / ".gemini" / "projects.json").write_text(json.dumps(noted), "utf-8")
    assert taken("gemini-cli", path)[0][0].cwd == "/somewhere/app"
    (chats.parent / ".project_root").write_text("/elsewhere/app\n", "utf-8")
    assert taken("gemini-cli", path)[0][0].cwd == "/elsewhere/app"


def test_subagents_are_told_apart(tmp_path: Path) -> None:
    chats = tmp_path / "chats" / "parent-1"
    chats.mkdir(parents=True)
    head, *rest = samples.gemini_lines()
    path = chats / "child-1.jsonl"
    path.write_text(samples.lines_of([{**head, "kind": "subagent"}, *rest]), "utf-8")
    events, _ = taken("gemini-cli", path)
    assert {(e.session, e.agent) for e in events} == {("parent-1", "g-1")}
    assert "PromptGiven" not in names(events)
    export = samples.opencode_export()
    export["info"]["parentID"] = "ses_0"
    file = tmp_path / "ses_1.json"
    file.write_text(json.dumps(export), "utf-8")
    events, _ = taken("opencode", file)
    assert {(e.session, e.agent) for e in events} == {("ses_0", "ses_1")}
    assert names(events) == ["ToolUsed", "ToolUsed", "ReplyGiven"]


def test_failed_and_cut_off_calls_changed_nothing(tmp_path: Path) -> None:
    lines = samples.pi()
    lines[4]["message"]["isError"] = True
    path = tmp_path / "i.jsonl"
    path.write_text(samples.lines_of(lines[:5]), "utf-8")
    events, _ = taken("pi", path)
    uses = [e for e in events if isinstance(e, ToolUsed)]
    assert [(e.ok, e.files_changed) for e in uses] == [(True, ()), (False, ())]
    path.write_text(samples.lines_of(lines[:3]), "utf-8")
    uses = [e for e in taken("pi", path)[0] if isinstance(e, ToolUsed)]
    assert [(e.ok, e.response, e.files_changed) for e in uses] == [(False, None, ())] * 2


def test_compactions_and_the_users_own_commands_of_pi(tmp_path: Path) -> None:
    ran = {"role": "bashExecution", "command": "make", "output": "no rule", "exitCode": 2}
    lines = [
        samples.pi()[0],
        {"type": "message", "id": "b1", "message": ran},
        {"type": "compaction", "id": "k1", "summary": "the pool was mended"},
    ]
    path = tmp_path / "i.jsonl"
    path.write_text(samples.lines_of(lines), "utf-8")
    use, compacted = taken("pi", path)[0][:2]
    assert isinstance(use, ToolUsed)
    assert (use.tool, use.input, use.ok) == ("bash", {"command": "make"}, False)
    assert isinstance(compacted, Compacted)
    assert compacted.summary == "the pool was mended"


def test_a_session_told_over_by_specstory_is_counted_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "h.md"
    told = "_**User**_\n\ngo on\n\n---\n\n_**Agent**_\n\nTool use: **Bash** `ls`\n\n```\na\n```\n"
    path.write_text(told, "utf-8")
    events, reading = taken("specstory", path)
    assert names(events) == ["PromptGiven", "TurnEnded"]
    assert dict(reading.skipped) == {"told over from another session": 1}


def test_memfolds_own_tools_are_known_in_every_hosts_spelling() -> None:
    ours = ("mcp__memfold__mem_search", "mcp_memfold_mem_search", "memfold-mem_search",
            "memfold_mem_search", "memfold__mem_search")  # fmt: skip
    assert all(is_ours(tool) for tool in ours)
    assert not any(is_ours(tool) for tool in ("Bash", "memfolder", "mcp_other_memfold_x"))


@pytest.mark.parametrize(
    ("tool", "given", "read", "changed"),
    [
        ("view_file", {"path": "file:///a/b%20c.py"}, ("/a/b c.py",), ()),
        ("read_many_files", {"paths": ["a", "b", 3]}, ("a", "b"), ()),
        ("str_replace_editor", {"command": "view", "path": "a"}, ("a",), ()),
        ("str_replace_editor", {"command": "create", "path": "a"}, (), ("a",)),
        ("write_file", {"file_path": "a"}, (), ("a",)),
        ("replace", {"absolute_path": "a"}, (), ("a",)),
        ("run_command", {"command": "cat src/a.py"}, ("src/a.py",), ()),
        ("bash", {"command": "cat a.py | wc"}, (), ()),
        ("list_directory", {"path": "a"}, (), ()),
    ],
)
def test_files_of_the_hosts_tools(
    tool: str, given: dict[str, Any], read: tuple[str, ...], changed: tuple[str, ...]
) -> None:
    assert files_of(tool, given) == (read, changed)


def test_every_host_has_a_reader_and_a_folder(tmp_path: Path) -> None:
    assert tuple(READERS) == HOSTS
    files = samples.write_sessions(tmp_path / "user", tmp_path / "app")
    for host, path in files.items():
        env = {"HOME": str(tmp_path / "user")}
        found = [
            file
            for folder in own_folders(host, env, here=tmp_path / "app")
            if folder.is_dir()
            for file in find_transcripts(host, folder)
        ]
        assert found == [path], host


def test_other_files_beside_the_sessions_are_left_alone(tmp_path: Path) -> None:
    files = samples.write_sessions(tmp_path / "user", tmp_path / "app")
    beside = files["gemini-cli"].parents[1] / "logs.json"
    beside.write_text("[]", "utf-8")
    projects = files["cursor"].parents[3]
    (projects / "code-app" / "log.jsonl").write_text("{}\n", "utf-8")
    diff = tmp_path / "user/.local/share/opencode/storage/session_diff/ses_1.json"
    diff.parent.mkdir()
    diff.write_text("[]", "utf-8")
    assert find_transcripts("gemini-cli", beside.parents[1]) == [files["gemini-cli"]]
    assert find_transcripts("cursor", projects) == [files["cursor"]]
    assert find_transcripts("opencode", diff.parents[1]) == [files["opencode"]]


def _table() -> list[tuple[str, int, int]]:
    """(file, prompts, tool calls) of the real sessions, as counted by others."""
    if not SHARED.is_dir():
        return []
    rows = []
    for text in (SHARED / "README.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in text.split("|")]
        if re.match(r"`[a-z-]+/.+\.(jsonl|json|md)`$", cells[1] if len(cells) > 9 else ""):
            rows.append((cells[1].strip("`"), int(cells[7]), int(cells[8])))
    return rows


@pytest.mark.shared_data
@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data is not beside this checkout")
@pytest.mark.parametrize(("name", "prompts", "calls"), _table())
def test_every_real_prompt_and_tool_call_is_told(name: str, prompts: int, calls: int) -> None:
    """Counts of data/transcripts/README.md, file by file, less what nobody typed."""
    host = name.split("/", 1)[0]
    events, reading = taken(host, SHARED / name)
    not_typed = next((n for part, (n, _) in NOT_TYPED.items() if part in name), 0)
    told = [e for e in events if isinstance(e, PromptGiven)]
    uses = [e for e in events if isinstance(e, ToolUsed)]
    assert (len(told), len(uses)) == (prompts - not_typed, calls)
    over = reading.skipped["told over from another session"]
    assert reading.tool_uses == calls + over
    assert len({e.key for e in uses}) == len(uses)


@pytest.mark.shared_data
@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data is not beside this checkout")
def test_all_files_are_in_the_table() -> None:
    files = {
        str(file.relative_to(SHARED))
        for host in HOSTS
        for file in find_transcripts(host, SHARED / host)
    }
    assert files == {name for name, _, _ in _table()}
