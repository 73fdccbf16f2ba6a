"""A real store filled through its ports, from a small description. For tests of several rooms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memfold.disclose.details import price_observation, price_summary
from memfold.disclose.mode import load_mode
from memfold.disclose.search.engine import MemSearch
from memfold.records import (
    Alias,
    Caller,
    Draft,
    FileMark,
    Observation,
    Project,
    PromptGiven,
    SummaryDraft,
    ToolReply,
    ToolUsed,
    TurnEnded,
)
from memfold.serve.tools import Toolbox, toolbox
from memfold.store.cursors.memory import MemoryCursors
from memfold.store.sqlite.store import SqliteStore
from memfold.testing import FakeClock

SECRET = b"s" * 32


def at_ms(text: str) -> int:
    """``2026-04-30 09:15`` in UTC as Unix ms."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@dataclass
class Memory:
    """A store and the tools over it, as one caller in ``project`` has them."""

    store: SqliteStore
    clock: FakeClock
    project: Project
    cursors: MemoryCursors = field(default_factory=MemoryCursors)
    last_cursor: str = ""

    @classmethod
    def open(cls, folder: Path, project: str = "sample") -> Memory:
        folder.mkdir(parents=True, exist_ok=True)
        store = SqliteStore.open(folder / "memfold.db")
        made = store.create(project, [Alias("directory", f"/home/dev/{project}")])
        return cls(store, FakeClock(), made)

    def caller(self, project: Project | None = None, **more: Any) -> Caller:
        mine = project or self.project
        return Caller(project=mine, project_ids=(mine.id,), session="now", **more)

    def search(self) -> MemSearch:
        return MemSearch(self.store, self.store, self.cursors, SECRET, self.clock)

    def call(self, tool: str, args: Mapping[str, Any], caller: Caller | None = None) -> ToolReply:
        """One tool call. ``"$"`` as continuation stands for the last cursor."""
        who = caller or self.caller()
        args = {**args}
        if args.get("continuation") == "$":
            args["continuation"] = self.last_cursor
        reply = self._answer(tool, args, who)
        self.last_cursor = reply.cursor or self.last_cursor
        return reply

    def _answer(self, tool: str, args: Mapping[str, Any], who: Caller) -> ToolReply:
        return self.toolbox().call(tool, args, who)

    def toolbox(self) -> Toolbox:
        """Every tool over the store; the index of symbols is not for these tests."""
        return toolbox(
            self.store,
            self.cursors,
            SECRET,
            self.clock,
            load_mode("code"),
            symbols=partial(pytest.fail, "no symbols are asked for here"),
        )

    def remember(self, session: Mapping[str, Any]) -> tuple[Observation, ...]:
        """One session of one turn: prompt, tool uses, what was learned from them, summary.

        Keys: id, at, prompt, project, cwd, observations (type, title, minute, and the fields of
        Draft; tool_uses as [tool, input, response]), summary (fields of SummaryDraft).
        """
        begin = at_ms(session["at"])
        name = session["id"]
        project = self.project
        if "project" in session:
            named = self.store.by_name(session["project"])
            project = named or self.store.create(session["project"], [])
        common: dict[str, Any] = {
            "host": session.get("host", "claude-code"),
            "session": name,
            "cwd": session.get("cwd", "/no/such/checkout"),
        }
        events: list[Any] = []
        if "prompt" in session:
            events.append(PromptGiven(at_ms=begin, text=session["prompt"], **common))
        notes = session.get("observations", [])
        for number, note in enumerate(notes):
            for step, (tool, given, response) in enumerate(note.get("tool_uses", [])):
                key = f"{name}-{number}-{step}"
                events.append(
                    ToolUsed(
                        at_ms=_moment(begin, note, number),
                        key=key,
                        tool=tool,
                        input=given,
                        response=response,
                        **common,
                    )
                )
        if not any(isinstance(event, ToolUsed) for event in events):
            events.append(
                ToolUsed(at_ms=begin, key=f"{name}-0", tool="Read", input={}, response="", **common)
            )
        events.append(TurnEnded(at_ms=begin + 3_600_000, **common))
        self.store.ingest(project.id, events)
        known = self.store.session(common["host"], name)
        assert known is not None
        turn = self.store.next_turn(idle_before_ms=2**60, session_id=known.id)
        assert turn is not None
        ids = {step.key: step.id for step in turn.steps if hasattr(step, "key")}
        drafts = []
        for number, note in enumerate(notes):
            evidence = tuple(
                ids[f"{name}-{number}-{step}"] for step in range(len(note.get("tool_uses", [])))
            )
            drafts.append(_draft(note, evidence, _moment(begin, note, number)))
        made = self.store.record(turn, drafts, at_ms=begin)
        if "summary" in session:
            values = dict(session["summary"])
            late = begin + 60_000 * values.pop("minute", 59)
            draft = SummaryDraft(**values, at_ms=late)
            priced = SummaryDraft(**values, at_ms=late, read_tokens=price_summary(draft))
            self.store.put_summary(known.id, priced)
        return made


def _moment(begin: int, note: Mapping[str, Any], number: int) -> int:
    return begin + 60_000 * int(note.get("minute", number))


def _draft(note: Mapping[str, Any], evidence: tuple[int, ...], when: int) -> Draft:
    values: dict[str, Any] = {
        "type": note.get("type", "change"),
        "title": note["title"],
        "subtitle": note.get("subtitle", ""),
        "narrative": note.get("narrative", ""),
        "facts": tuple(note.get("facts", ())),
        "concepts": tuple(note.get("concepts", ())),
        "files_read": tuple(note.get("files_read", ())),
        "files_changed": tuple(
            FileMark(*one) if isinstance(one, list) else FileMark(one)
            for one in note.get("files_changed", ())
        ),
        "work_tokens": note.get("work_tokens", 0),
        "evidence": evidence,
        "at_ms": when,
    }
    return Draft(**values, read_tokens=price_observation(Draft(**values)))
