"""Random legal and illegal calls of mem_search against a model of its protocol.

Promise 4 of the spec: nothing is disclosed that the previous step did not list, and nothing
across scope or project.
"""

from __future__ import annotations

import atexit
import re
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, multiple, rule
from sample_memory import Memory

from memfold.disclose.search.cursor import LIFE_MS
from memfold.errors import MemfoldError
from memfold.measure import tokens, utf8_bytes
from memfold.records import Entry, Project, ToolReply
from memfold.store.cursors.memory import MemoryCursors
from memfold.testing import FakeClock

REFS = [
    *(str(n) for n in range(1, 26)),
    *(f"S{n}" for n in range(1, 8)),
    *(f"P{n}" for n in range(1, 8)),
]


@dataclass(frozen=True)
class Held:
    """A cursor as the model knows it."""

    cursor: str
    step: int  # it leads to
    scope: str
    listed: frozenset[str]
    max_details: int
    query: str
    until_ms: int
    projects: frozenset[str]


@cache
def _memory() -> Memory:
    folder = tempfile.TemporaryDirectory()
    memory = Memory.open(Path(folder.name))
    atexit.register(folder.cleanup)
    atexit.register(memory.store.close)  # runs first
    for number in range(5):
        memory.remember(
            {
                "id": f"s{number}",
                "at": f"2026-04-2{number} 09:00",
                "project": ["sample", "other"][number % 2],
                "prompt": f"the engine stalls, case {number}",
                "observations": [
                    {
                        "title": f"Engine {number} stalls on {word}",
                        "narrative": f"secret-{number}-{word}",
                    }
                    for word in ("start", "stop", "idle")
                ],
                "summary": {"request": f"Engine {number}", "completed": f"secret-s{number}"},
            }
        )
    return memory


@cache
def _secrets() -> dict[str, str]:
    """ref -> words that only its full text has."""
    return {ref: words for ref in REFS for words in [_secret(ref)] if words is not None}


def _secret(ref: str) -> str | None:
    if ref[0] == "P":
        return None
    store = _memory().store
    entry = (
        store.find("summary", int(ref[1:]))
        if ref[0] == "S"
        else store.find("observation", int(ref))
    )
    if entry is None:
        return None
    (details,) = store.details([(entry.kind, entry.id, entry.project_id)])
    if details.observation is not None:
        return details.observation.draft.narrative
    assert details.summary is not None
    return details.summary.draft.completed


class Protocol(RuleBasedStateMachine):
    cursors = Bundle("cursors")

    @initialize()
    def begin_anew(self) -> None:
        """The same memory for all, since nothing here changes it; cursors and clock of its own."""
        self.memory = replace(_memory(), clock=FakeClock(), cursors=MemoryCursors())
        self.secrets = _secrets()

    def _call(self, args: dict[str, Any], scope: str, project: str) -> ToolReply | str:
        named = self.memory.store.by_name(project)
        assert isinstance(named, Project)
        caller = self.memory.caller(named, scope=scope)
        try:
            return self.memory.search().call(args, caller)
        except MemfoldError as error:
            return error.code

    def _held(self, reply: ToolReply, like: Held) -> Held:
        return Held(
            reply.cursor,
            reply.step + 1 if reply.step < 3 else 3,
            like.scope,
            frozenset(entry.ref for entry in reply.entries),
            like.max_details,
            like.query,
            self.memory.clock() + LIFE_MS,
            like.projects,
        )

    def _disclosed(self, reply: ToolReply) -> set[str]:
        """Entries whose full text stands in the reply."""
        return {ref for ref, words in self.secrets.items() if words in reply.text}

    @rule(
        target=cursors,
        query=st.sampled_from(["engine", "stalls on idle", "why does it stop?", "secret", "zebra"]),
        project=st.sampled_from(["", "sample", "other", "*", "nope"]),
        limit=st.integers(0, 21),
        most=st.integers(1, 5),
        mode=st.sampled_from(["guided", "guided", "auto"]),
        scope=st.sampled_from(["local", "elsewhere"]),
    )
    def begin(  # noqa: PLR0917  # hypothesis passes by name
        self, query: str, project: str, limit: int, most: int, mode: str, scope: str
    ) -> Any:
        args: dict[str, Any] = {"query": query, "limit": limit, "maxDetails": most, "mode": mode}
        if project:
            args["project"] = project
        reply = self._call(args, scope, "sample")
        if project == "nope" or not 1 <= limit <= 20:
            assert reply == "invalid_input"
            return multiple()
        assert isinstance(reply, ToolReply)
        seen = {"": {"sample"}, "*": {"sample", "other"}}.get(project, {project})
        assert {entry.project for entry in reply.entries} <= seen
        disclosed = self._disclosed(reply)
        if mode == "guided":
            assert reply.step == 1
            assert not disclosed
            assert len(reply.entries) <= limit
        else:
            assert len(disclosed) <= most
            assert disclosed <= {entry.ref for entry in reply.entries}
        if not reply.cursor:
            return multiple()
        like = Held("", 0, scope, frozenset(), most, query, 0, frozenset(seen))
        return self._held(reply, like)

    @rule(
        target=cursors,
        held=cursors,
        picks=st.lists(st.integers(0, 40), max_size=4),
        stray=st.one_of(st.none(), st.none(), st.none(), st.sampled_from(REFS)),
        scope=st.sampled_from(["", "", "", "foreign"]),
        again=st.sampled_from(["", "", "same", "other"]),
        harm=st.sampled_from(["", "", "", "", "cut", "pad", "swap"]),
    )
    def go_on(  # noqa: PLR0917  # hypothesis passes by name
        self, held: Held, picks: list[int], stray: str | None, scope: str, again: str, harm: str
    ) -> Any:
        listed = sorted(held.listed)
        chosen = list(dict.fromkeys(listed[pick % len(listed)] for pick in picks))
        if stray:
            chosen.append(stray)
        cursor = {
            "": held.cursor,
            "cut": held.cursor[:-1],
            "pad": held.cursor + "A",
            "swap": held.cursor[:-1] + ("A" if held.cursor[-1] != "A" else "Q"),
        }[harm]
        args: dict[str, Any] = {"continuation": cursor, "selectedIds": list(chosen)}
        if again:
            args["query"] = held.query if again == "same" else held.query + " x"
        reply = self._call(args, scope or held.scope, "sample")
        refs = list(dict.fromkeys(chosen))
        expected = self._expected(held, refs, bool(scope), again, harm)
        if expected:
            assert reply in expected
            return multiple()
        assert isinstance(reply, ToolReply)
        return self._followed(held, refs, reply)

    def _expected(
        self, held: Held, refs: list[str], foreign: bool, again: str, harm: str
    ) -> set[str]:
        """Codes that the model allows; empty where the call is legal."""
        if harm or foreign:
            return {"invalid_continuation"}
        if self.memory.clock() >= held.until_ms:
            return {"expired_continuation"}
        wrong = set()
        if again == "other":
            wrong.add("scope_changed")
        if len(refs) > held.max_details:
            wrong.add("invalid_input")
        if set(refs) - held.listed or (held.step == 3 and any(ref[0] == "P" for ref in refs)):
            wrong.add("invalid_selection")
        return wrong

    def _followed(self, held: Held, refs: list[str], reply: ToolReply) -> Any:
        disclosed = self._disclosed(reply)
        assert {entry.project for entry in reply.entries} <= held.projects
        assert utf8_bytes(reply.text) <= 64 * 1024
        if not refs or held.step == 2:
            assert not disclosed
        if held.step == 3:
            assert disclosed == set(refs)
            assert [entry.ref for entry in reply.entries] == refs
            assert reply.cursor == ""
            return multiple()
        if not refs:
            assert reply.entries == ()
            return multiple()
        assert set(refs) <= {entry.ref for entry in reply.entries}
        for price in re.findall(r"at most ~([\d,]+)", reply.text):
            assert int(price.replace(",", "")) >= max(_prices(reply.entries), default=0)
        assert tokens(reply.text) > 0
        return self._held(reply, held)

    @rule(ms=st.sampled_from([1_000, LIFE_MS // 2, LIFE_MS]))
    def wait(self, ms: int) -> None:
        self.memory.clock.pass_ms(ms)


def _prices(entries: tuple[Entry, ...]) -> list[int]:
    return [entry.read_tokens for entry in entries if entry.kind != "prompt"]


Protocol.TestCase.settings = settings(
    max_examples=2_000,
    stateful_step_count=8,
    deadline=None,
)
TestProtocol = pytest.mark.timeout(600)(Protocol.TestCase)
