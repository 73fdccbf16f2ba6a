"""One small memory in every state that a few changes can bring it to, made once and kept.

For tests that walk the same memory thousands of times: a change does not touch the store they
read, it leads to another one. Every entry carries marks of its own, so that a reply which shows
what it must not is recognised, however it came by it.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sample_memory import Memory, at_ms

from memfold.disclose.search.engine import MemSearch
from memfold.records import Caller, Entry, Kind, Project, PromptGiven, ToolReply
from memfold.store.ports import CursorStore
from memfold.store.sqlite.store import SqliteStore
from memfold.testing import FakeClock

SECRET = b"w" * 32
PROJECTS = ("sample", "other")
SESSIONS = 6
_TYPES = ("bugfix", "decision", "change")
_FILES = ("engine/pump.py", "engine/valve.py", "docs/notes.md")
_MARK = re.compile(r"mark\d{4}[tb]")
_RANK: dict[Kind, int] = {"prompt": 0, "observation": 1, "summary": 2}


def marks_in(text: str) -> set[str]:
    return set(_MARK.findall(text))


@dataclass(frozen=True)
class Known:
    """An entry as a test knows it, without asking what is tested."""

    entry: Entry
    title_mark: str  # in its title
    body_mark: str  # in its full text only
    concept: str
    file: str

    @property
    def ref(self) -> str:
        return self.entry.ref

    @property
    def position(self) -> tuple[int, int, int]:
        return (self.entry.at_ms, _RANK[self.entry.kind], self.entry.id)


def _told(number: int, session: int) -> str:
    return (
        f"the engine stalls, case {session} mark{number:04d}t {'and so on ' * 40}mark{number:04d}b"
    )


def session_told(session: int, project: str) -> dict[str, Any]:
    """Session ``session``: a prompt, three observations a minute apart, a summary."""
    first = session * 10
    notes = [
        {
            "title": f"Engine {session} {word} mark{first + at:04d}t",
            "narrative": f"It stalls because of the {word}: mark{first + at:04d}b",
            "type": _TYPES[at - 1],
            "concepts": ["gotcha"] if at == 1 else [],
            "files_changed": [[_FILES[at - 1], ""]],
            "minute": at,
            "tool_uses": [["Bash", {"command": word}, "ok"]],
        }
        for at, word in enumerate(("pump", "valve", "seal"), 1)
    ]
    return {
        "id": f"s{session}",
        "at": f"2026-04-{20 + session // 2:02d} {9 + session % 2:02d}:00",
        "project": project,
        "prompt": _told(first, session),
        "observations": notes,
        "summary": {
            "request": f"Engine {session} as a whole mark{first + 9:04d}t",
            "completed": f"It no longer stalls: mark{first + 9:04d}b",
        },
    }


def _forget(memory: Memory, session: int, minute: int) -> None:
    """A private prompt is heard of late: what was done after it is gone."""
    when = at_ms(session_told(session, "")["at"]) + minute * 60_000 - 1
    known = memory.store.session("claude-code", f"s{session}")
    assert known is not None
    gone = PromptGiven(
        host="claude-code", session=f"s{session}", at_ms=when, text="", private=True,
        cwd="/no/such/checkout",
    )  # fmt: skip
    memory.store.ingest(known.project_id, [gone])


def _move(memory: Memory) -> None:
    sample, other = (memory.store.by_name(name) for name in PROJECTS)
    assert sample is not None
    assert other is not None
    memory.store.merge([other.id], sample.id)


def _add(memory: Memory) -> None:
    memory.remember(session_told(SESSIONS, "sample"))


CHANGES: Mapping[str, Callable[[Memory], None]] = {
    "another project is merged into this one": _move,
    "all that a session learned is forgotten": lambda memory: _forget(memory, 2, 1),
    "the end of a session is forgotten": lambda memory: _forget(memory, 3, 3),
    "a session is added": _add,
}


class World:
    """The memory in one state. Read only."""

    def __init__(self, memory: Memory, changes: frozenset[str]) -> None:
        self.memory = memory
        self.changes = changes
        self.projects = {
            name: found for name in PROJECTS if (found := memory.store.by_name(name)) is not None
        }
        self._answers: dict[Any, Any] = {}

    def __getattr__(self, name: str) -> Any:
        """The store's own method; its answer is kept, as nothing changes here any more."""
        method = getattr(self.memory.store, name)

        def asked(*args: Any) -> Any:
            key = (name, repr(args))
            if key not in self._answers:
                self._answers[key] = method(*args)
            return self._answers[key]

        return asked

    def call(
        self, args: Mapping[str, Any], caller: Caller, cursors: CursorStore, clock: FakeClock
    ) -> ToolReply:
        library: Any = self
        return MemSearch(library, library, cursors, SECRET, clock).call(args, caller)

    @cached_property
    def known(self) -> dict[str, Known]:
        """Every entry there is, by ref."""
        store, found = self.memory.store, {}
        ids = [project.id for project in self.projects.values()]
        for kind in _RANK:
            for entry in store.recent(ids, kind, 999):
                (full,) = store.details([(kind, entry.id, entry.project_id)])
                draft = full.observation.draft if full.observation else None
                title = entry.title
                if kind == "prompt":
                    title = title[:200]
                (mark,) = marks_in(title)
                found[entry.ref] = Known(
                    entry,
                    mark,
                    f"{mark[:-1]}b",
                    draft.concepts[0] if draft and draft.concepts else "",
                    draft.files_changed[0].path if draft else "",
                )
        return found

    def near(self, ref: str, before: int, after: int) -> list[str]:
        """Neighbours of an entry in its project, itself left out, nearest last or first."""
        own = self.known[ref]
        same = [k for k in self.known.values() if k.entry.project_id == own.entry.project_id]
        order = [one.ref for one in sorted(same, key=lambda one: one.position)]
        at = order.index(ref)
        return order[max(at - before, 0) : at] + order[at + 1 : at + 1 + after]


class Worlds:
    """Every state of the memory, each made when it is first met."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._made: dict[frozenset[str], World] = {}

    def at(self, changes: frozenset[str]) -> World:
        if changes not in self._made:
            self._made[changes] = World(self._memory(changes), changes)
        return self._made[changes]

    def _place(self, changes: frozenset[str]) -> Path:
        at = [str(number) for number, change in enumerate(CHANGES) if change in changes]
        return Path(self._folder.name) / ("-".join(at) or "plain")

    def close(self) -> None:
        for world in self._made.values():
            world.memory.store.close()
        self._made.clear()
        self._folder.cleanup()

    def _memory(self, changes: frozenset[str]) -> Memory:
        folder = self._place(changes)
        if not changes:
            memory = Memory.open(folder)
            for session in range(SESSIONS):
                memory.remember(session_told(session, PROJECTS[session % 2]))
            return memory
        last = next(change for change in reversed(list(CHANGES)) if change in changes)
        before = self.at(changes - {last})
        folder.mkdir()
        file = self._place(before.changes) / "memfold.db"
        for suffix in ("", "-wal"):  # nobody writes to it any more
            if Path(f"{file}{suffix}").exists():
                shutil.copy(f"{file}{suffix}", folder / f"memfold.db{suffix}")
        store = SqliteStore.open(folder / "memfold.db")
        project = store.by_name("sample")
        assert isinstance(project, Project)
        memory = Memory(store, FakeClock(), project)
        CHANGES[last](memory)
        return memory


def refs_in(text: str) -> Iterator[str]:
    """Ids that a reply lists, in order."""
    for line in text.split("\n"):
        found = re.match(r"(?:- |### )\[([SP]?\d+)\]", line)
        if found:
            yield found.group(1)
