"""Both ways in end in the same rows, scrubbed, once (spec/70 Capture)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memfold.capture import spool
from memfold.capture.identity import ProjectFinder
from memfold.capture.intake import Intake
from memfold.capture.redact import redact_payload
from memfold.capture.transcripts.find import READERS
from memfold.display import CONTEXT_CLOSE, CONTEXT_OPEN
from memfold.errors import BadPayload
from memfold.hook import spool as hook_spool
from memfold.records import ToolUsed
from memfold.settings import Settings, Value
from memfold.store.sqlite.store import SqliteStore

AT = 1_777_536_000_000


class Desk:
    """An intake over a store of its own."""

    def __init__(self, folder: Path, values: dict[str, Value] | None = None) -> None:
        self.store = SqliteStore.open(folder / "m.db")
        self.intake = Intake(ProjectFinder(self.store), self.store, Settings(values))

    def hook(self, name: str, at_ms: int = AT, **more: Any) -> Any:
        payload = {"session_id": "s1", "cwd": "/code/app", "hook_event_name": name, **more}
        return self.intake.take_hook("claude-code", json.dumps(payload).encode(), at_ms)

    def uses(self) -> list[Any]:
        return list(self.store.tool_uses(range(1, 100), None))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.store.close()


def use(key: str, tool: str = "Bash", **given: Any) -> dict[str, Any]:
    return {
        "tool_name": tool,
        "tool_use_id": key,
        "tool_input": given or {"command": "ls"},
        "tool_response": {"stdout": "x"},
    }


def transcript(folder: Path, keys: list[str], cwd: str = "/code/app") -> Path:
    lines: list[dict[str, Any]] = [_line("user", "go", 0, cwd)]
    for at, key in enumerate(keys, 1):
        block = {"type": "tool_use", "id": key, "name": "Bash", "input": {"command": "ls"}}
        lines.append(_line("assistant", [block], at, cwd))
        lines.append(
            _line("user", [{"type": "tool_result", "tool_use_id": key, "content": "x"}], at, cwd)
        )
    path = folder / "s1.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def _line(kind: str, content: Any, at: int, cwd: str) -> dict[str, Any]:
    time = f"2026-04-30T08:00:{at:02}.000Z"
    common = {"type": kind, "sessionId": "s1", "cwd": cwd, "timestamp": time}
    return {**common, "message": {"role": kind, "content": content}}


def test_live_and_transcript_give_the_same_rows_once(desk: Desk, tmp_path: Path) -> None:
    desk.hook("UserPromptSubmit", prompt="go", prompt_id="p1")
    desk.hook("PostToolUse", **use("t1"))
    count = desk.intake.take_transcript(
        "claude-code", transcript(tmp_path, ["t1", "t2"]), from_offset=True
    )
    assert (count.tool_uses_seen, count.tool_uses_stored, count.tool_uses_known) == (2, 1, 1)
    assert count.prompts == 0
    again = desk.intake.take_transcript(
        "claude-code", transcript(tmp_path, ["t1", "t2"]), from_offset=False
    )
    assert (again.tool_uses_stored, again.prompts, again.replies) == (0, 0, 0)


def test_reading_goes_on_where_it_stopped(desk: Desk, tmp_path: Path) -> None:
    path = transcript(tmp_path, ["t1"])
    desk.intake.take_transcript("claude-code", path, from_offset=True)
    transcript(tmp_path, ["t1", "t2"])
    count = desk.intake.take_transcript("claude-code", path, from_offset=True)
    assert (count.tool_uses_seen, count.tool_uses_stored) == (1, 1)


def test_another_file_of_the_same_name_is_read_from_its_start(desk: Desk, tmp_path: Path) -> None:
    path = transcript(tmp_path, ["t1", "t2"])
    desk.intake.take_transcript("claude-code", path, from_offset=True)
    transcript(tmp_path, ["t9"], cwd="/code/other")
    count = desk.intake.take_transcript("claude-code", path, from_offset=True)
    assert count.tool_uses_stored == 1


def test_a_session_stays_with_the_project_it_started_in(desk: Desk) -> None:
    desk.hook("UserPromptSubmit", prompt="go")
    desk.hook("PostToolUse", **use("t1"), cwd="/code/elsewhere")
    (stored,) = desk.uses()
    session = desk.store.session("claude-code", "s1")
    assert session is not None
    assert stored.project_id == session.project_id


def test_double_delivery_is_one_row(desk: Desk) -> None:
    """VS Code and Cursor run Claude's hooks too."""
    for _ in range(3):
        desk.hook("PostToolUse", **use("t1"))
    assert len(desk.uses()) == 1


def test_nothing_of_a_private_turn_is_kept(desk: Desk) -> None:
    desk.hook("UserPromptSubmit", AT, prompt="<private>secret plan</private>", prompt_id="p1")
    taken = desk.hook("PostToolUse", AT + 1, **use("t1"))
    desk.hook("UserPromptSubmit", AT + 2, prompt="now in the open", prompt_id="p2")
    desk.hook("PostToolUse", AT + 3, **use("t2"))
    assert taken.events
    assert [row.key for row in desk.uses()] == ["t2"]
    assert (
        b"secret plan" not in (desk.store._path).read_bytes()
    )  # the bytes on disk are the promise


@pytest.mark.parametrize(
    ("name", "globs", "kept"),
    [
        ("excluded_projects", ("/code/*",), 0),
        ("excluded_tools", ("Ba*",), 1),
        ("excluded_paths", ("*.env",), 1),
    ],
)
def test_what_is_excluded_is_never_captured(
    tmp_path: Path, name: str, globs: tuple[str, ...], kept: int
) -> None:
    desk = Desk(tmp_path, {name: globs})
    desk.hook("PostToolUse", **use("t1", "Bash", command="cat prod.env"))
    desk.hook("PostToolUse", **use("t2", "Read", file_path="/code/app/a.py"))
    assert [row.key for row in desk.uses()] == ["t2"][:kept]
    count = desk.intake.take_transcript(
        "claude-code", transcript(tmp_path, ["t3"]), from_offset=False
    )
    assert count.tool_uses_seen == count.tool_uses_stored + sum(count.skipped.values())
    desk.store.close()


@pytest.mark.parametrize(
    ("host", "body", "says"),
    [
        ("claude-code", b"{", "not JSON"),
        ("claude-code", b"[1]", "not a JSON object"),
        ("claude-code", b"[" * 100_000, "not JSON"),
        ("no-host", b"{}", "no-host"),
    ],
)
def test_what_cannot_be_read_is_named(desk: Desk, host: str, body: bytes, says: str) -> None:
    with pytest.raises(BadPayload, match=says):
        desk.intake.take_hook(host, body, AT)


def test_an_event_without_a_directory_goes_to_its_session(desk: Desk) -> None:
    desk.hook("UserPromptSubmit", prompt="go")
    desk.hook("PostToolUse", **use("t1"), cwd="")
    assert [row.key for row in desk.uses()] == ["t1"]


def test_where_the_agent_goes_makes_no_projects(desk: Desk, tmp_path: Path) -> None:
    """`cd` changes the directory of every later event."""
    desk.hook("UserPromptSubmit", prompt="go")
    taken = desk.hook("PostToolUse", **use("t1"), cwd="/elsewhere/entirely")
    assert taken.project is not None
    lines = [_line("user", "go", 0, "/code/one"), _line("user", "on", 1, "/code/two")]
    path = tmp_path / "s2.jsonl"
    path.write_text("".join(json.dumps({**each, "sessionId": "s2"}) + "\n" for each in lines))
    desk.intake.take_transcript("claude-code", path, from_offset=False)
    assert {row.project.name for row in desk.store.all_projects()} == {"app", "one"}


def test_a_program_that_borrows_the_hooks_is_a_host_of_its_own(desk: Desk) -> None:
    """VS Code's transcript is no file we read; its sessions do not mix with Claude Code's."""
    payload = {
        "sessionId": "s1",
        "hookEventName": "Stop",
        "cwd": "/code/app",
        "transcriptPath": "/t.json",
        "last_assistant_message": "Done.",
    }
    taken = desk.intake.take_hook("claude-code", json.dumps(payload).encode(), AT)
    assert (taken.host, taken.transcript) == ("vscode-copilot", "")
    assert desk.store.session("vscode-copilot", "s1") is not None
    assert desk.store.session("claude-code", "s1") is None


def test_bytes_that_are_no_utf8_are_replaced(desk: Desk) -> None:
    body = json.dumps({"session_id": "s1", "cwd": "/c", "hook_event_name": "Stop"}).encode()
    taken = desk.intake.take_hook("claude-code", body.replace(b'"/c"', b'"/caf\xe9"'), AT)
    assert taken.cwd == "/caf\ufffd"


def test_fifty_megabytes_are_taken_and_cut(desk: Desk) -> None:
    """Issue: Bad input. What is missing is said, whether a value is one string or not."""
    size = 50_000_000
    text = "word " * (size // 5)
    desk.hook("PostToolUse", **{**use("t1"), "tool_response": text})
    desk.hook("PostToolUse", **{**use("t2"), "tool_response": {"stdout": text, "ok": True}})
    one, two = desk.uses()
    for row in (one, two):
        assert size * 0.97 < row.dropped_bytes < size
        assert "dropped]" in row.response
        assert len(row.response) < 1_100_000
    assert f"[{one.dropped_bytes} bytes dropped]" in one.response
    assert two.response.startswith('{"stdout":"word word')
    assert two.response.endswith('word ","ok":true}')


@pytest.mark.parametrize("nested", [False, True])
def test_a_million_short_strings_cost_no_more_than_their_kept_part(
    desk: Desk, nested: bool
) -> None:
    """A hook waits a second for its answer, then it spools the same payload."""
    lines: Any = [{"line": f"row {number} of a table"} for number in range(300_000)]
    for _ in range(900 if nested else 0):
        lines = [lines]
    desk.hook("PostToolUse", **{**use("t1"), "tool_response": lines, "tool_input": lines})
    (row,) = desk.uses()
    assert len(json.dumps(row.response)) < 1_300_000
    assert len(json.dumps(row.input)) < 1_300_000
    if not nested:
        assert row.dropped_bytes > 8_000_000
        assert row.response.startswith('[{"line":"row 0 of')
        assert "row 299999 of" in row.response
    safe = redact_payload(json.dumps({"tool_response": lines}).encode())
    assert len(safe) < 2_800_000


def test_strange_payloads_are_stored_without_harm(desk: Desk) -> None:
    """Issue: lone surrogates, NUL bytes, deep nesting."""
    value: Any = "leaf"
    for _ in range(600):
        value = {"in": value}
    desk.hook("PostToolUse", **{**use("t1"), "tool_input": value, "tool_response": "\ud83d\x00"})
    desk.hook("UserPromptSubmit", prompt="lone \ud83d", cwd="/code/\ud83d")
    desk.hook("Stop", last_assistant_message="nul \x00 and \udfff")
    (row,) = desk.uses()
    assert "nested deeper than 200 levels" in json.dumps(row.input)


def test_pictures_leave_a_mark(desk: Desk) -> None:
    """spec/70 keeps what was said and done, not megabytes of base64."""
    picture, other = "iVBORw0KGgo" + "A" * 4_000, "JVBERi0x" * 100
    response = {
        "file": {"type": "image/png", "base64": picture},
        "pdf": [{"type": "document", "data": other}],
        "html": f"<img src='data:image/png;base64,{picture}'> and data:font/woff;base64,{other}",
        "hash": "0123456789abcdef" * 30,
        "data": "plain words " * 100,
    }
    desk.hook("PostToolUse", **{**use("t1"), "tool_response": response})
    (row,) = desk.uses()
    assert row.response["file"]["base64"] == "[image]"
    assert row.response["pdf"][0]["data"] == "[binary data]"
    assert row.response["html"] == "<img src='[image]'> and [binary data]"
    assert row.response["hash"] == response["hash"]
    assert row.response["data"] == response["data"]
    assert row.dropped_bytes == 0


def test_a_private_part_may_go_on_in_the_next_block(desk: Desk) -> None:
    """spec/70: split ones included."""
    blocks = [
        {"type": "text", "text": "open <private>hid"},
        {"type": "image"},
        {"type": "text", "text": "den"},
        {"type": "text", "text": "den</private> open again"},
        {"type": "text", "text": "open"},
    ]
    desk.hook("PostToolUse", **{**use("t1"), "tool_response": blocks})
    (row,) = desk.uses()
    assert [b.get("text") for b in row.response] == ["open ", None, "", " open again", "open"]


def test_what_memfold_showed_is_not_captured_from_any_text(desk: Desk) -> None:
    """The marker is display's; here it stands again for the hook, which imports nothing."""
    shown = f"{CONTEXT_OPEN}\n# [app] recent context\n41 a title\n{CONTEXT_CLOSE}"
    desk.hook("UserPromptSubmit", prompt=f"{shown} go on")
    desk.hook("PostToolUse", **{**use("t1"), "tool_response": {"stdout": f"a {shown} b"}})
    (row,) = desk.uses()
    assert row.response == {"stdout": "a  b"}
    (prompt,) = desk.store.recent([row.project_id], "prompt", 5)
    assert prompt.title == "go on"


def subagent(folder: Path, key: str) -> Path:
    place = folder / "s1" / "subagents"
    place.mkdir(parents=True, exist_ok=True)
    block = {"type": "tool_use", "id": key, "name": "Bash", "input": {}}
    said = [{"type": "text", "text": f"Subagent found {key}."}, block]
    path = place / "agent-a1.jsonl"
    path.write_text(json.dumps(_line("assistant", said, 1, "/code/app")) + "\n")
    return path


def test_reading_on_takes_the_subagents_files_too(desk: Desk, tmp_path: Path) -> None:
    path = transcript(tmp_path, ["t1"])
    subagent(tmp_path, "sub1")
    count = desk.intake.take_transcript("claude-code", path, from_offset=True)
    assert (count.replies, count.tool_uses_seen) == (1, 2)
    again = desk.intake.take_transcript("claude-code", path, from_offset=True)
    assert (again.replies, again.prompts, again.tool_uses_stored) == (0, 0, 0)


def test_a_file_that_cannot_be_read_holds_up_nobody(desk: Desk, tmp_path: Path) -> None:
    count = desk.intake.take_transcript("claude-code", tmp_path / "gone.jsonl", from_offset=False)
    assert (count.unreadable, count.tool_uses_seen) == (1, 0)


def test_lines_without_a_directory_are_counted(desk: Desk, tmp_path: Path) -> None:
    count = desk.intake.take_transcript(
        "claude-code", transcript(tmp_path, ["t1"], cwd=""), from_offset=False
    )
    assert dict(count.skipped) == {"no directory": 1}
    assert desk.store.all_projects() == ()


PATCH = "*** Begin Patch\n*** Update File: conf/prod.env\n@@\n-A=1\n+A=2\n*** End Patch"


@pytest.mark.parametrize(
    ("command", "out"),
    [
        ("memfold context --cwd .", True),
        ("/opt/bin/memfold call mem_search '{}' | head -5", True),
        ("memfold context; make test", False),
        ("grep memfold context.py", False),
        ("memfold eval retrieval", False),
    ],
)
def test_what_memfold_prints_in_a_shell_is_not_captured_again(
    desk: Desk, command: str, out: bool
) -> None:
    desk.hook("PostToolUse", **use("t1", "Bash", command=command))
    assert (desk.uses() == []) is out


@pytest.mark.parametrize(
    ("name", "glob", "event", "out"),
    [
        ("excluded_projects", "/code/app", {"cwd": "/code/app/deep"}, True),
        ("excluded_projects", "/code/app/", {"cwd": "/code/app"}, True),
        ("excluded_projects", "/code/ap", {"cwd": "/code/app"}, False),
        ("excluded_projects", "~/vault", {"cwd": str(Path.home() / "vault" / "x")}, True),
        ("excluded_paths", ".env", {"tool": "Read", "file_path": ".env"}, True),
        ("excluded_paths", "secrets/*", {"tool": "Read", "file_path": "secrets/a"}, True),
        ("excluded_paths", "/code/app/keys", {"tool": "Read", "file_path": "keys/a/b"}, True),
        ("excluded_paths", "*.pem", {"tool": "Bash", "command": "cat a.txt"}, False),
        ("excluded_paths", "*.pem", {"tool": "Bash", "command": "openssl x509 < a.pem | wc"}, True),
        ("excluded_paths", "*.pem", {"tool": "Bash", "command": "curl --key='k/a.pem' h"}, True),
        ("excluded_paths", "/code/app/keys", {"tool": "Bash", "command": "ls -l keys/a"}, True),
        ("excluded_paths", "*.pem", {"tool": "Grep", "pattern": "x", "path": "a.pem"}, True),
        ("excluded_paths", "*.pem", {"tool": "Grep", "pattern": "pem", "path": "src"}, False),
        ("excluded_paths", "*.env", {"tool": "apply_patch", "input": PATCH}, True),
        ("excluded_paths", "*.env", {"tool": "Bash", "command": f"apply_patch '{PATCH}'"}, True),
        ("excluded_paths", "*.pem", {"tool": "apply_patch", "input": PATCH}, False),
        ("excluded_tools", "mcp__bank__*", {"tool": "mcp__bank__pay", "sum": 1}, True),
    ],
)
def test_globs_cover_what_lies_below(
    tmp_path: Path, name: str, glob: str, event: dict[str, Any], out: bool
) -> None:
    desk = Desk(tmp_path, {name: (glob,)})
    cwd, tool = event.pop("cwd", "/code/app"), event.pop("tool", "Bash")
    desk.hook("PostToolUse", **use("t1", tool, **event), cwd=cwd)
    assert (desk.uses() == []) is out
    desk.store.close()


def test_a_session_excluded_later_gets_nothing_more(tmp_path: Path) -> None:
    """Both ways in: the setting was added while the session was going on."""
    Desk(tmp_path).hook("PostToolUse", **use("t1"))
    desk = Desk(tmp_path, {"excluded_projects": ("/code/app",)})
    taken = desk.hook("PostToolUse", **use("t2"), cwd="/elsewhere")
    assert (taken.project, taken.events) == (None, ())
    count = desk.intake.take_transcript(
        "claude-code", transcript(tmp_path, ["t3"]), from_offset=False
    )
    assert dict(count.skipped) == {"excluded project": 1}
    assert [row.key for row in desk.uses()] == ["t1"]
    desk.store.close()


def test_events_without_a_directory_are_left_out(desk: Desk) -> None:
    taken = desk.hook("PostToolUse", **use("t1"), cwd="")
    assert taken.project is None
    assert desk.uses() == []


def test_moments_to_look_again_are_marked(desk: Desk) -> None:
    assert desk.hook("SessionStart", source="resume").wants_context
    assert desk.hook("SessionStart", source="resume").source == "resume"
    assert desk.hook("Stop").ends_turn
    assert desk.hook("PreCompact").ends_turn
    assert not desk.hook("PostToolUse", **use("t1")).ends_turn
    assert desk.hook("Notification").events == ()


def test_a_long_transcript_is_taken_in_runs(desk: Desk, tmp_path: Path) -> None:
    keys = [f"t{number}" for number in range(40)]
    path = tmp_path / "s1.jsonl"
    lines = [_line("user", "go", 0, "/code/app")]
    for key in keys * 20:
        block = {"type": "tool_use", "id": key, "name": "Bash", "input": {"command": "ls"}}
        lines += [
            _line("assistant", [block], 1, "/code/app"),
            _line(
                "user",
                [{"type": "tool_result", "tool_use_id": key, "content": "x"}],
                1,
                "/code/app",
            ),
        ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    count = desk.intake.take_transcript("claude-code", path, from_offset=False)
    assert count.tool_uses_stored == 40
    assert count.tool_uses_seen == count.tool_uses_stored + count.tool_uses_known


def test_the_spool_is_read_in_order_and_bad_files_go_aside(tmp_path: Path) -> None:
    """A name that begins with a dot is still being written by its hook."""
    assert spool.waiting(tmp_path / "none") == []
    assert not spool.any_waiting(tmp_path / "none")
    (tmp_path / ".0.evt").write_bytes(b"memfold-spool 1 h")
    assert not spool.any_waiting(tmp_path)
    for name, text in (("2.evt", b"memfold-spool 1 h 7\n{}"), ("1.evt", b"what"), ("3.txt", b"")):
        (tmp_path / name).write_bytes(text)
    (tmp_path / "3.evt").mkdir()
    assert [path.name for path in spool.waiting(tmp_path)] == ["1.evt", "2.evt", "3.evt"]
    assert spool.any_waiting(tmp_path)
    event = spool.read(tmp_path / "2.evt")
    assert (event.host, event.at_ms, event.body) == ("h", 7, b"{}")
    for name in ("1.evt", "3.evt", "gone.evt"):
        with pytest.raises(BadPayload, match=name.replace(".", r"\.")):
            spool.read(tmp_path / name)
    for name in ("1.evt", "gone.evt"):
        spool.set_aside(tmp_path / name)
    spool.remove(tmp_path / "2.evt")
    assert (tmp_path / "bad" / "1.evt").exists()


def test_what_the_hook_spools_is_what_is_read(tmp_path: Path) -> None:
    """One format, written without imports and read here."""
    body = json.dumps({"prompt": "go"}, separators=(",", ":")).encode()
    written = hook_spool.keep(str(tmp_path), "claude-code", AT, body)
    (path,) = spool.waiting(Path(written).parent)
    assert spool.read(path) == spool.Spooled("claude-code", AT, body)


def test_a_transcript_with_ids_is_recognised_where_hooks_had_none(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gemini CLI's hooks name no id of a call, its session file does."""
    common = {"session_id": "s1", "cwd": "/code/app", "hook_event_name": "AfterTool"}
    call = {"tool_name": "read_file", "tool_input": {"file_path": "/code/app/a.py"}}
    body = {**common, **call, "tool_response": {"llmContent": "x = 1", "returnDisplay": ""}}
    desk.intake.take_hook("gemini-cli", json.dumps(body).encode(), AT)

    def read(*_: object, **__: object) -> Iterator[ToolUsed]:
        for key, response in (("id-1", "x = 1"), ("id-2", "y = 2"), ("id-3", "y = 2")):
            yield ToolUsed(
                host="gemini-cli",
                session="s1",
                at_ms=AT,
                cwd="/code/app",
                key=key,
                tool="read_file",
                input=call["tool_input"],
                response=[{"functionResponse": {"response": {"output": response}}}],
            )

    monkeypatch.setitem(READERS, "gemini-cli", read)
    path = tmp_path / "s1.json"
    path.write_text("{}")
    count = desk.intake.take_transcript("gemini-cli", path, from_offset=False)
    assert (count.tool_uses_stored, count.tool_uses_known) == (2, 1)
    assert [row.key for row in desk.uses()][1:] == ["id-2", "id-3"]
