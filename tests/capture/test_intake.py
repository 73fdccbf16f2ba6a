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
from memfold.errors import BadPayload
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
    assert spool.waiting(tmp_path / "none") == []
    assert not spool.any_waiting(tmp_path / "none")
    for name, text in (("2.evt", b"memfold-spool 1 h 7\n{}"), ("1.evt", b"what"), (".3.evt", b"")):
        (tmp_path / name).write_bytes(text)
    assert [path.name for path in spool.waiting(tmp_path)][-2:] == ["1.evt", "2.evt"]
    assert spool.any_waiting(tmp_path)
    event = spool.read(tmp_path / "2.evt")
    assert (event.host, event.at_ms, event.body) == ("h", 7, b"{}")
    with pytest.raises(BadPayload, match=r"1\.evt"):
        spool.read(tmp_path / "1.evt")
    spool.set_aside(tmp_path / "1.evt")
    spool.remove(tmp_path / "2.evt")
    assert (tmp_path / "bad" / "1.evt").exists()
