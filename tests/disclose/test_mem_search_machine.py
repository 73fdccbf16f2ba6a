"""Random legal and illegal calls of mem_search against a model of its protocol.

Promise 4 of the spec: nothing is disclosed that the previous step did not list, and nothing
across scope or project. The model: docs/decisions/0008-search-protocol.md.
"""

from __future__ import annotations

import atexit
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, multiple, rule
from search_worlds import CHANGES, SESSIONS, Known, World, Worlds, marks_in, refs_in

from memfold.disclose.search.cursor import LIFE_MS
from memfold.disclose.search.steps import MAX_TIMELINE
from memfold.errors import MemfoldError
from memfold.measure import utf8_bytes
from memfold.records import Caller, Entry, ToolReply
from memfold.store.cursors.memory import MemoryCursors
from memfold.testing import FakeClock

pytestmark = pytest.mark.timeout(900)  # thousands of examples, some of them under coverage

QUERIES = ("engine stalls", "stalls valve", "what of the engine as a whole?", "zebra")
_EIGHT = range(1, 9)
REFS = [*map(str, range(1, 23)), *(f"S{n}" for n in _EIGHT), *(f"P{n}" for n in _EIGHT)]
STRAYS = [
    *REFS,
    "s3",
    "[4]",
    "#5",
    "999",
    "S999",
    "0",
    "41; 42",
    "",
    "P",
    "٣",
    7,
    10**30,
    True,
    1.5,
]
FILTERS: tuple[Mapping[str, Any], ...] = (
    {},
    {"types": ["bugfix"]},
    {"concepts": ["gotcha"]},
    {"files": ["engine/"]},
    {"since": "2026-04-21", "until": "2026-04-22"},
)
OTHERS: Mapping[str, Any] = {
    "query": "engine stalls again",
    "mode": "auto",
    "project": "nope",
    "limit": 19,
    "maxDetails": 4,
    "depthBefore": 3,
    "depthAfter": 3,
    "types": ["change"],
    "concepts": ["pattern"],
    "files": ["x"],
    "since": "1d",
    "until": "2026-04-22T00:00",
}
MOST_RECORDS = 4  # cursors that are kept at once in the machine: the oldest are soon evicted
WORLDS = Worlds()


@dataclass(frozen=True)
class Near:
    """Stands for an id that the last reply might have listed, but did not."""

    at: int


NEAR = st.builds(Near, st.integers(0, 6))


@dataclass(frozen=True)
class Held:
    """A cursor as the model knows it."""

    cursor: str
    step: int  # it leads to
    scope: str
    options: Mapping[str, Any]
    listed: Mapping[str, int]  # ref -> project it was listed in
    project_ids: frozenset[int] | None  # None: all


def _caller(world: World, scope: str, project: str, session: str = "now") -> Caller:
    # A project that was merged away is still what an earlier call was made for.
    mine = world.projects.get(project) or WORLDS.at(frozenset()).projects[project]
    return Caller(scope=scope, project=mine, project_ids=(mine.id,), session=session)


class Protocol(RuleBasedStateMachine):
    cursors = Bundle("cursors")

    @initialize()
    def begin_anew(self) -> None:
        self.world = WORLDS.at(frozenset())
        self.clock = FakeClock()
        self.shelf = MemoryCursors(most_records=MOST_RECORDS)
        self.alive: OrderedDict[str, int] = OrderedDict()  # cursor -> when it ends
        self.expired: set[str] = set()

    # --- calls ---------------------------------------------------------------------------------

    def _call(self, args: Mapping[str, Any], caller: Caller) -> ToolReply | str:
        try:
            reply = self.world.call(args, caller, self.shelf, self.clock)
        except MemfoldError as error:
            refusal = error
        else:
            assert utf8_bytes(reply.text) <= 64 * 1024
            self._agrees(reply)
            return reply
        assert not marks_in(str(refusal)), "a refusal says nothing of what is stored"
        assert refusal.next_step
        return refusal.code

    def _agrees(self, reply: ToolReply) -> None:
        """The text shows the entries it is said to list, each with its own marks, no others."""
        refs = [entry.ref for entry in reply.entries]
        assert sorted(refs_in(reply.text)) == sorted(refs)
        assert len(set(refs)) == len(refs)
        shown = {mark for mark in marks_in(reply.text) if mark.endswith("t")}
        assert shown == {self.world.known[ref].title_mark for ref in refs}
        assert reply.text.count("Continue with: ") == (1 if reply.cursor else 0)
        if reply.cursor:
            assert f"\nContinue with: {reply.cursor}\n" in reply.text
        assert reply.text.startswith(f"mem-search step {reply.step} of 3")

    def _read_in_full(self, reply: ToolReply) -> set[str]:
        """Refs whose full text stands in the reply."""
        bodies = {mark for mark in marks_in(reply.text) if mark.endswith("b")}
        return {known.ref for known in self.world.known.values() if known.body_mark in bodies}

    def _held(self, reply: ToolReply, step: int, like: Held) -> Held:
        """Also keeps the model's shelf: a new cursor pushes out the oldest."""
        assert reply.cursor not in self.alive
        self.alive[reply.cursor] = self.clock() + LIFE_MS
        while len(self.alive) > MOST_RECORDS:
            self.alive.popitem(last=False)
        listed = {entry.ref: entry.project_id for entry in reply.entries}
        return Held(reply.cursor, step, like.scope, like.options, listed, like.project_ids)

    # --- step 1 --------------------------------------------------------------------------------

    @rule(
        target=cursors,
        query=st.sampled_from(QUERIES),
        project=st.sampled_from(["", "", "sample", "other", "*", "nope"]),
        limit=st.sampled_from([1, 2, 3, 3, 20, 0, 21]),
        most=st.sampled_from([1, 3, 3, 5]),
        depth=st.sampled_from([0, 1, 2, 2, 3]),
        filters=st.sampled_from((*FILTERS[:1] * 3, *FILTERS)),
        mode=st.sampled_from(["guided", "guided", "guided", "auto"]),
        scope=st.sampled_from(["local", "local", "elsewhere"]),
        asks=st.sampled_from(["sample", "sample", "other"]),
        session=st.sampled_from(["now", "now", "s0"]),
    )
    def begin(  # noqa: PLR0917  # hypothesis passes by name
        self,
        query: str,
        project: str,
        limit: int,
        most: int,
        depth: int,
        filters: Mapping[str, Any],
        mode: str,
        scope: str,
        asks: str,
        session: str,
    ) -> Any:
        options: dict[str, Any] = {
            "query": query, "limit": limit, "maxDetails": most, "mode": mode,
            "depthBefore": depth, **filters,
        }  # fmt: skip
        if project:
            options["project"] = project
        caller = _caller(self.world, scope, asks, session)
        reply = self._call(options, caller)
        named = project in ("", "*") or project in self.world.projects
        if not named or not 1 <= limit <= 20:
            assert reply == "invalid_input"
            return multiple()
        assert isinstance(reply, ToolReply)
        seen = None if project == "*" else frozenset(self._ids(project, caller))
        rows = [self.world.known[entry.ref] for entry in reply.entries]
        assert seen is None or {row.entry.project_id for row in rows} <= seen
        read = self._read_in_full(reply)
        like = Held("", 0, scope, options, {}, seen)
        if reply.step == 1:
            assert not read
            self._matches(rows, filters, limit, session)
            return self._held(reply, 2, like) if reply.cursor else multiple()
        assert (mode, reply.step) == ("auto", 3)
        assert 1 <= len(read) <= most
        around = {near for ref in read for near in self.world.near(ref, depth, 2)}
        others = [row for row in rows if row.ref not in read | around]
        self._matches([*others, *(self.world.known[ref] for ref in read)], filters, limit, session)
        return self._held(reply, 3, like)

    def _ids(self, project: str, caller: Caller) -> tuple[int, ...]:
        return (self.world.projects[project].id,) if project else caller.project_ids

    def _matches(
        self, rows: list[Known], filters: Mapping[str, Any], limit: int, session: str
    ) -> None:
        assert len(rows) <= limit
        for row in rows:
            assert row.entry.kind != "prompt" or row.entry.session != session
            assert "types" not in filters or row.entry.type in filters["types"]
            assert "concepts" not in filters or row.concept in filters["concepts"]
            assert "files" not in filters or filters["files"][0] in row.file
            assert "since" not in filters or "s2" <= row.entry.session <= "s5"

    # --- steps 2 and 3 -------------------------------------------------------------------------

    @rule(
        target=cursors,
        held=cursors,
        picks=st.lists(st.integers(0, 40), max_size=4),
        stray=st.one_of(*[st.none()] * 5, st.sampled_from(STRAYS), *[NEAR] * 2),
        scope=st.sampled_from(["", "", "", "", "foreign"]),
        asks=st.sampled_from(["", "", "", "", "sample", "other"]),
        again=st.sampled_from(["", "", "", *OTHERS]),
        same=st.booleans(),
        harm=st.sampled_from([""] * 8 + ["cut", "pad", "swap", "case", "key"]),
    )
    def go_on(  # noqa: PLR0917  # hypothesis passes by name
        self,
        held: Held,
        picks: list[int],
        stray: Any,
        scope: str,
        asks: str,
        again: str,
        same: bool,
        harm: str,
    ) -> Any:
        listed = sorted(held.listed)
        chosen: list[Any] = list(dict.fromkeys(listed[pick % len(listed)] for pick in picks))
        if isinstance(stray, Near):
            chosen += self._unlisted(held)[stray.at :][:1]
        elif stray is not None:
            chosen.append(stray)
        args: dict[str, Any] = {"continuation": _harmed(held.cursor, harm), "selectedIds": chosen}
        if again:
            args[again] = held.options[again] if same and again in held.options else OTHERS[again]
        own = held.options.get("project", "") == "" and held.project_ids is not None
        project = asks or _owner(held, self.world)
        caller = _caller(self.world, scope or held.scope, project)
        foreign = own and not set(caller.project_ids) & (held.project_ids or frozenset())
        reply = self._call(args, caller)
        expected = self._expected(held, args, bool(scope), foreign, harm)
        if expected:
            assert reply in expected
            return multiple()
        assert isinstance(reply, ToolReply)
        refs = list(dict.fromkeys(_as_shown(one) for one in chosen))
        return self._followed(held, refs, reply)

    def _unlisted(self, held: Held) -> list[str]:
        """What stands beside something listed but was not listed itself: the likeliest leak."""
        there = [ref for ref in held.listed if ref in self.world.known]
        near = {one for ref in there for one in self.world.near(ref, 3, 3)}
        return sorted(near - set(held.listed))

    @rule(
        held=cursors,
        how=st.sampled_from(["no ids", "no cursor", "not a list", "no text", "unknown", "six"]),
    )
    def malformed(self, held: Held, how: str) -> None:
        """Whatever is wrong in form is refused before anything is looked up."""
        ids = list(held.listed)[:1]
        forms: dict[str, dict[str, Any]] = {
            "no ids": {"continuation": held.cursor},
            "no cursor": {"selectedIds": ids},
            "not a list": {"continuation": held.cursor, "selectedIds": ids[0]},
            "no text": {"continuation": 7, "selectedIds": ids},
            "unknown": {"continuation": held.cursor, "selectedIds": ids, "step": 3},
            "six": {"continuation": held.cursor, "selectedIds": [1, 2, 3, 4, 5, 6]},
        }
        args = forms[how]
        assert self._call(args, _caller(self.world, held.scope, "sample")) == "invalid_input"

    def _expected(
        self, held: Held, args: Mapping[str, Any], foreign: bool, elsewhere: bool, harm: str
    ) -> set[str]:
        """Codes that the model allows; empty where the call is legal."""
        chosen = args["selectedIds"]
        if any(isinstance(one, bool | float) for one in chosen) or len(chosen) > 5:
            return {"invalid_input"}
        if harm or foreign:
            return {"invalid_continuation"}
        if held.cursor in self.expired:
            return {"expired_continuation"}
        if held.cursor not in self.alive:
            return {"invalid_continuation"}
        wrong = set()
        given = {n: v for n, v in args.items() if n not in ("continuation", "selectedIds")}
        if elsewhere or any(_default(held.options, name) != v for name, v in given.items()):
            wrong.add("scope_changed")
        refs = list(dict.fromkeys(_as_shown(one) for one in chosen))
        if len(refs) > held.options["maxDetails"]:
            wrong.add("invalid_input")
        if set(refs) - set(held.listed) or (held.step == 3 and any(r[:1] == "P" for r in refs)):
            wrong.add("invalid_selection")
        return wrong

    def _followed(self, held: Held, refs: list[str], reply: ToolReply) -> Any:
        shown = [entry.ref for entry in reply.entries]
        read = self._read_in_full(reply)
        if not refs:
            assert (shown, read, reply.cursor) == ([], set(), "")
            return multiple()
        there = [ref for ref in refs if self._is_there(ref, held.listed[ref])]
        gone = [ref for ref in refs if ref not in there]
        assert reply.step == held.step
        assert ("Gone since they were listed" in reply.text) == bool(gone)
        if gone:
            assert f"(deleted or moved): {', '.join(gone)}." in reply.text
        if held.step == 3:
            assert shown == there
            assert read == set(there)
            assert reply.cursor == ""
            return multiple()
        assert read == set()
        before, after = held.options["depthBefore"], 2
        near = {one for ref in there for one in self.world.near(ref, before, after)}
        allowed = near | set(there)
        assert set(there) <= set(shown) <= allowed
        assert len(shown) == min(len(allowed), MAX_TIMELINE)
        assert shown == sorted(shown, key=lambda ref: self._time(reply.entries, ref))
        return self._held(reply, 3, held) if there else multiple()

    def _is_there(self, ref: str, project_id: int) -> bool:
        known = self.world.known.get(ref)
        return known is not None and known.entry.project_id == project_id

    def _time(self, entries: tuple[Entry, ...], ref: str) -> int:
        return next(entry.at_ms for entry in entries if entry.ref == ref)

    # --- what happens meanwhile ----------------------------------------------------------------

    @rule(ms=st.sampled_from([1_000, 1_000, LIFE_MS // 2, LIFE_MS - 1_000, LIFE_MS]))
    def wait(self, ms: int) -> None:
        self.clock.pass_ms(ms)
        for cursor, until in list(self.alive.items()):
            if until <= self.clock():
                del self.alive[cursor]
                self.expired.add(cursor)

    @rule(change=st.sampled_from(sorted(CHANGES)))
    def change(self, change: str) -> None:
        """The memory is no longer what it was when the cursors were given."""
        self.world = WORLDS.at(self.world.changes | {change})


def _default(options: Mapping[str, Any], name: str) -> Any:
    defaults = {"mode": "guided", "limit": 20, "maxDetails": 3, "depthBefore": 2, "depthAfter": 2}
    empty = [] if name in ("types", "concepts", "files") else ""
    return options.get(name, defaults.get(name, empty))


def _owner(held: Held, world: World) -> str:
    """A project from which the search may go on."""
    pristine = WORLDS.at(frozenset()).projects
    for name, project in pristine.items():
        if held.project_ids and project.id in held.project_ids and name in world.projects:
            return name
    return "sample"


def _harmed(cursor: str, harm: str) -> str:
    return {
        "": cursor,
        "cut": cursor[:-1],
        "pad": cursor + "A",
        "swap": cursor[:-1] + ("A" if cursor[-1] != "A" else "Q"),
        "case": cursor[:3] + cursor[3:].swapcase() + "=",
        "key": "ms_" + "A" * 24,
    }[harm]


def _as_shown(value: Any) -> str:
    """An id as replies show it."""
    text = str(value).strip().strip("[]#").upper()
    return text if text in REFS else str(value)


atexit.register(WORLDS.close)
Protocol.TestCase.settings = settings(max_examples=2_000, stateful_step_count=12, deadline=None)
TestProtocol = pytest.mark.timeout(600)(Protocol.TestCase)


def test_the_memory_that_the_machine_walks_holds_what_its_model_says() -> None:
    """The marks are where the model looks for them, and every change makes a difference."""
    worlds = Worlds()
    try:
        plain = worlds.at(frozenset())
        assert len(plain.known) == SESSIONS * 5
        for known in plain.known.values():
            (full,) = plain.memory.store.details(
                [(known.entry.kind, known.entry.id, known.entry.project_id)]
            )
            assert known.body_mark in repr(full)
            assert known.title_mark in known.entry.title
        for change in CHANGES:
            other = worlds.at(frozenset({change}))
            was = {ref: one.entry.project_id for ref, one in plain.known.items()}
            assert {ref: one.entry.project_id for ref, one in other.known.items()} != was
    finally:
        worlds.close()
