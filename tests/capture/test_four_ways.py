"""One session by hook, spool, transcript and import: the same rows, in any mixture and order."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memfold.backlog import Backlog
from memfold.capture.identity import ProjectFinder
from memfold.capture.intake import Intake
from memfold.hook import spool as hook_spool
from memfold.settings import Settings
from memfold.store.sqlite.store import SqliteStore

AT = 1_777_536_000_000  # 2026-04-30T08:00:00Z
WAIT_S = 30.0
SAID = (
    "The cause: run() releases a connection only after a query that worked, so each failing query "
    "leaks one. I release it in a finally block."
)
DONE = (
    "Fixed the leak in Pool.run: a failing query kept its connection, and after two errors the "
    "pool was empty. The connection is now released in a finally block."
)
ROWS = {
    "sessions": "SELECT host, host_session, cwd, transcript FROM sessions ORDER BY 1, 2",
    "prompts": "SELECT text, prompt_key, private FROM prompts ORDER BY at_ms, text",
    "replies": "SELECT text, agent FROM replies ORDER BY at_ms, text",
    # How long a call took and the subagent's kind only a hook knows.
    "tool_uses": "SELECT key, tool, hex(input), hex(response), codec, ok, cwd, agent, files_read, "
    "files_changed, work_tokens, dropped_bytes FROM tool_uses ORDER BY key",
    "turns": "SELECT p.text, (SELECT group_concat(key) FROM (SELECT key FROM tool_uses "
    "WHERE turn_id = t.id ORDER BY key)) FROM turns t LEFT JOIN prompts p ON p.turn_id = t.id "
    "ORDER BY t.started_at_ms",
    "observations": "SELECT type, title, narrative, facts FROM observations ORDER BY title",
}


class Story:
    """An invented session of Claude Code: its payloads, and its transcript line by line."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "projects" / "s1.jsonl"
        self.path.parent.mkdir()
        self.cwd = str(folder / "app")
        self.payloads: list[tuple[int, dict[str, Any]]] = []
        self.lines: list[tuple[int, dict[str, Any]]] = []
        self._at = AT
        self._hook("SessionStart", source="startup")
        self._prompt("The pool runs empty. Find out why.", "p1")
        self._call("t1", "Read", {"file_path": f"{self.cwd}/pool.py"}, {"type": "text"}, "x = 1")
        self._call("t2", "Bash", {"command": "pytest -q"}, None, "Exit code 1\n1 failed")
        self._say(SAID)
        edit = {"file_path": f"{self.cwd}/pool.py", "old_string": "a", "new_string": "b"}
        self._call("t3", "Edit", edit, {"filePath": f"{self.cwd}/pool.py"}, "updated")
        self._call("t4", "Bash", {"command": "pytest -q"}, {"stdout": "4 passed"}, "4 passed")
        self._say(DONE)
        self._hook("Stop", last_assistant_message=DONE)
        self._prompt("Now commit it.", "p2")
        commit = {"command": "git commit -qam 'Give the connection back when a query fails'"}
        printed = "[main 1234abc] Give the connection back when a query fails"
        self._call("t5", "Bash", commit, {"stdout": printed}, printed)
        self._say("Committed.")
        self._hook("Stop", last_assistant_message="Committed.")
        self._hook("SessionEnd", reason="other")

    def _next(self) -> int:
        self._at += 1_000
        return self._at

    def _hook(self, name: str, **more: Any) -> None:
        common = {"session_id": "s1", "transcript_path": str(self.path), "cwd": self.cwd}
        self.payloads.append((self._next(), {**common, "hook_event_name": name, **more}))

    def _line(self, kind: str, content: Any, **more: Any) -> None:
        at = self._next()
        seconds, ms = divmod(at - AT, 1_000)
        time = f"2026-04-30T08:00:{seconds:02}.{ms:03}Z"
        line = {"type": kind, "sessionId": "s1", "cwd": self.cwd, "timestamp": time, **more}
        message = {"role": kind, "content": content, "id": f"m{at}"}
        if kind == "assistant":
            message["usage"] = {"input_tokens": 10, "output_tokens": 5}
        self.lines.append((at, {**line, "message": message}))

    def _prompt(self, text: str, key: str) -> None:
        self._hook("UserPromptSubmit", prompt=text, prompt_id=key)
        self._line("user", text, promptId=key)

    def _say(self, text: str) -> None:
        self._line("assistant", [{"type": "text", "text": text}])

    def _call(self, key: str, tool: str, given: Any, full: Any, text: str) -> None:
        """``full``: the tool's own result; None where it failed."""
        use = {"type": "tool_use", "id": key, "name": tool, "input": given}
        self._line("assistant", [use])
        call = {"tool_name": tool, "tool_use_id": key, "tool_input": given, "duration_ms": 7}
        if full is None:
            self._hook("PostToolUseFailure", **call, error=text)
        else:
            self._hook("PostToolUse", **call, tool_response=full)
        result = {"type": "tool_result", "tool_use_id": key, "content": text}
        told = f"Error: {text}" if full is None else full
        block = {**result, "is_error": True} if full is None else result
        self._line("user", [block], toolUseResult=told)

    def write(self, until_ms: int = 1 << 60) -> None:
        """The transcript as it stood at a moment."""
        text = "".join(json.dumps(line) + "\n" for at, line in self.lines if at <= until_ms)
        self.path.write_text(text)


class Desk:
    """A store with its intake and backlog, as the daemon holds them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.store = SqliteStore.open(home / "m.db")
        self.intake = Intake(ProjectFinder(self.store), self.store, Settings())
        self.open()

    def open(self) -> None:
        self.backlog = Backlog(
            self.home, self.store, self.intake, lambda: AT + 3_600_000, mirror=False
        )

    def reopen(self) -> None:
        """Another daemon over the same store."""
        self.backlog.close()
        self.open()
        self.backlog.start()

    def hook(self, at_ms: int, payload: dict[str, Any]) -> None:
        body = json.dumps(payload).encode()
        self.backlog.after(self.intake.take_hook("claude-code", body, at_ms))

    def spool(self, at_ms: int, payload: dict[str, Any]) -> None:
        hook_spool.keep(str(self.home), "claude-code", at_ms, json.dumps(payload).encode())

    def drain(self) -> None:
        self.backlog.look_at_spool()
        assert self.backlog.settle(WAIT_S)

    def rows(self) -> dict[str, list[Any]]:
        self.drain()
        self.backlog.close()  # a look back that is under way ends
        self.open()
        self.backlog.observe()
        with sqlite3.connect(self.home / "m.db") as db:
            return {name: db.execute(query).fetchall() for name, query in ROWS.items()}


@contextmanager
def desk(home: Path) -> Iterator[Desk]:
    home.mkdir()
    made = Desk(home)
    yield made
    made.backlog.close()
    made.store.close()


def by_hook(story: Story, here: Desk) -> None:
    for at_ms, payload in story.payloads:
        story.write(at_ms)
        here.hook(at_ms, payload)
        here.drain()  # seconds pass between two events of an agent


def by_spool(story: Story, here: Desk) -> None:
    story.write()
    for at_ms, payload in story.payloads:
        here.spool(at_ms, payload)
    here.drain()


def by_transcript(story: Story, here: Desk) -> None:
    """The daemon was away from just after the start until another session began."""
    here.hook(*story.payloads[0])
    story.write()
    here.reopen()


def by_import(story: Story, here: Desk) -> None:
    story.write()
    list(here.backlog.import_sessions("claude-code", story.path))


WAYS: dict[str, Callable[[Story, Desk], None]] = {
    "spool": by_spool,
    "transcript": by_transcript,
    "import": by_import,
}


def expected(story: Story, folder: Path) -> dict[str, list[Any]]:
    with desk(folder / "live") as here:
        by_hook(story, here)
        rows = here.rows()
    assert [len(rows[name]) for name in ("prompts", "replies", "tool_uses", "turns")] == [
        2,
        3,
        5,
        2,
    ]
    assert any("leak" in row[1] for row in rows["observations"])
    return rows


@pytest.mark.parametrize("way", sorted(WAYS))
def test_a_session_is_the_same_whichever_way_it_came(way: str, tmp_path: Path) -> None:
    """Ingest is idempotent across live, spool, transcript and import (spec, Capture)."""
    story = Story(tmp_path)
    wanted = expected(story, tmp_path)
    with desk(tmp_path / "other") as here:
        WAYS[way](story, here)
        assert here.rows() == wanted


@pytest.mark.parametrize("seed", range(16))
def test_the_four_ways_in_any_mixture_give_the_same(seed: int, tmp_path: Path) -> None:
    """Events come live, late by the spool, or not at all; imports and restarts fall in between."""
    dice = random.Random(seed)  # a test's choice
    story = Story(tmp_path)
    wanted = expected(story, tmp_path)
    with desk(tmp_path / "other") as here:
        here.hook(*story.payloads[0])
        for at_ms, payload in story.payloads[1:]:
            story.write(at_ms)
            how = dice.choice(("hook", "hook", "spool", "lost", "twice"))
            if how in {"hook", "twice"}:
                here.hook(at_ms, payload)
            if how in {"spool", "twice"}:
                here.spool(at_ms, payload)
            chance = dice.random()
            if chance < 0.15:
                list(here.backlog.import_sessions("claude-code", story.path))
            elif chance < 0.3:
                here.reopen()
        story.write()
        here.reopen()
        rows = here.rows()
    # A turn observed before all of it was heard of teaches in other words: the evidence counts.
    for name in ("sessions", "prompts", "replies", "tool_uses", "turns"):
        assert rows[name] == wanted[name], name
