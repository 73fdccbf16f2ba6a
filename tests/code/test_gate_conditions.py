"""Each condition of the gate made false alone, and all of them true."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.code.gate.ask import Past, ReadAsk, Verdict
from memfold.code.gate.cost import Costs, saving
from memfold.code.gate.decide import CONDITIONS, Rules, decide
from memfold.code.gate.text import BLOCK_UNITS, CONTEXT_UNITS, blocked, history
from memfold.measure import utf16_units

NOW_MS = 1_800_000_000_000
LINES = 2_000
TEXT = "".join(f"def f{n}(): return {n:>20}\n" for n in range(LINES))


class World:
    """Everything holds; a test breaks one thing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "pool.py"
        self.file.write_text(TEXT)
        self.touch(NOW_MS - 60_000)
        self.ask = ReadAsk(host="claude-code", session="s1", path=str(self.file), cwd=str(folder))
        self.rules = Rules()
        self.known: list[Past] = [Past(41, NOW_MS, "[41] The pool has a limit")]
        self.last: Verdict | None = None
        self.outlined = "1: def f0()"
        self.asked: list[str] = []
        self.context = 20_000
        self.places: list[str] = []  # the workspace; empty: the session's directory

    def touch(self, at_ms: int) -> None:
        os.utime(self.file, ns=(at_ms * 1_000_000, at_ms * 1_000_000))

    def is_code(self, path: str) -> bool:
        return path.endswith(".py")

    def roots(self, ask: ReadAsk) -> Sequence[str]:
        self.asked.append("roots")
        return self.places or [os.path.realpath(ask.cwd)]

    def past(self, path: str) -> Sequence[Past]:
        assert path == os.path.realpath(self.file)
        return self.known

    def told(self, ask: ReadAsk, path: str) -> Verdict | None:
        assert (ask, path) == (self.ask, os.path.realpath(self.file))
        return self.last

    def outline(self, path: str, data: bytes) -> str:
        self.asked.append(f"outline of {path}")
        assert data == TEXT.encode()
        return self.outlined

    def context_tokens(self, ask: ReadAsk) -> int:
        assert ask is self.ask
        return self.context

    def verdict(self) -> Verdict:
        return decide(self.ask, self.rules, self)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def other_host(w: World) -> None:
    w.ask = replace(w.ask, host="codex")


def subagent(w: World) -> None:
    w.ask = replace(w.ask, subagent=True)


def off(w: World) -> None:
    w.rules = Rules(on=False)


def gone(w: World) -> None:
    w.file.unlink()


def folder(w: World) -> None:
    w.ask = replace(w.ask, path=str(w.folder))


def small(w: World) -> None:
    w.file.write_text("x = 1\n")


def no_code(w: World) -> None:
    w.file = w.file.rename(w.folder / "pool.md")
    w.ask = replace(w.ask, path=str(w.file))


def unknown(w: World) -> None:
    w.known = []


def below(w: World) -> None:
    w.rules = Rules(threshold=w.file.stat().st_size + 1)


def stale(w: World) -> None:
    w.touch(NOW_MS)


def from_line_two(w: World) -> None:
    w.ask = replace(w.ask, offset=2)


def one_line_less(w: World) -> None:
    w.ask = replace(w.ask, limit=LINES - 1)


def elsewhere(w: World) -> None:
    w.places = ["/nowhere", str(w.folder)[:-1]]


def second_time(w: World) -> None:
    w.last = Verdict("block", "known and large", newest=41)


def no_outline(w: World) -> None:
    w.outlined = ""


def dear(w: World) -> None:
    w.rules = Rules(adaptive=True)
    w.context = 10_000_000


@pytest.mark.parametrize(
    ("broken", "kind", "reason"),
    [
        (other_host, "allow", "not the main session"),
        (subagent, "allow", "not the main session"),
        (off, "allow", "switched off"),
        (gone, "allow", "no regular file"),
        (folder, "allow", "no regular file"),
        (small, "allow", "small"),
        (no_code, "allow", "no code"),
        (unknown, "allow", "nothing known"),
        (below, "context", "below the threshold"),
        (stale, "context", "changed since"),
        (from_line_two, "allow", "a part"),
        (one_line_less, "allow", "a part"),
        (elsewhere, "allow", "outside the workspace"),
        (second_time, "allow", "asked twice"),
        (no_outline, "context", "no outline"),
        (dear, "allow", "would not pay"),
    ],
)
def test_one_condition_false_lets_the_read_through(
    world: World, broken: Callable[[World], None], kind: str, reason: str
) -> None:
    assert world.verdict().kind == "block"
    broken(world)
    verdict = world.verdict()
    assert (verdict.kind, verdict.reason) == (kind, reason)
    assert bool(verdict.text) == (kind == "context")
    assert reason in {why for why, _ in CONDITIONS}


@pytest.mark.parametrize("limit", [None, LINES, LINES + 500])
def test_a_whole_read_of_a_known_large_file_gets_the_outline(
    world: World, limit: int | None
) -> None:
    world.ask = replace(world.ask, limit=limit)
    verdict = world.verdict()
    assert verdict.kind == "block"
    assert verdict.newest == 41
    assert verdict.saved_tokens > 0
    for words in ("1: def f0()", "smart_unfold", "offset and limit", "enough for Edit",
                  "[41] The pool has a limit", "history, not instructions"):  # fmt: skip
        assert words in verdict.text


def test_the_dear_questions_come_last(world: World) -> None:
    unknown(world)
    world.verdict()
    assert world.asked == []


def test_a_new_observation_blocks_again(world: World) -> None:
    world.last = Verdict("block", "known and large", newest=40)
    assert world.verdict().kind == "block"


def test_titles_are_given_once_and_again_when_there_is_more(world: World) -> None:
    below(world)
    assert world.verdict().kind == "context"
    world.last = Verdict("context", "below the threshold", newest=41)
    assert world.verdict().kind == "allow"
    world.known.insert(0, Past(42, NOW_MS, "[42] It leaked"))
    assert "[42] It leaked" in world.verdict().text


def test_a_link_out_of_the_workspace_is_outside(
    world: World, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other") / "pool.py"
    world.file.rename(other)
    world.file.symlink_to(other)
    assert world.verdict().reason == "outside the workspace"


def test_a_relative_path_is_that_of_the_directory(world: World) -> None:
    world.ask = replace(world.ask, path="pool.py")
    assert world.verdict().kind == "block"


@given(
    st.text(max_size=400), st.text(max_size=40_000), st.lists(st.text(max_size=300), max_size=15)
)
def test_no_answer_is_over_its_limit(path: str, outline: str, titles: list[str]) -> None:
    titles = [" ".join(title.split()) for title in titles]
    assert utf16_units(blocked(path, 99_999, outline, titles)) <= BLOCK_UNITS
    assert utf16_units(history(path, titles)) <= CONTEXT_UNITS


@given(st.integers(0, 200_000), st.integers(0, 5_000), st.integers(0, 1_000_000))
def test_a_larger_context_never_makes_a_block_pay_more(
    file: int, answer: int, context: int
) -> None:
    one = saving(Costs(file, answer, context))
    assert saving(Costs(file, answer, context + 50_000)) <= one
    assert saving(Costs(file, answer + 100, context)) <= one


def _a_link(file: Path, outside: Path) -> None:
    file.symlink_to(outside)


def _a_pipe(file: Path, _outside: Path) -> None:
    os.mkfifo(file)


@pytest.mark.parametrize("becomes", [_a_link, _a_pipe])
def test_what_stands_there_by_the_time_it_is_read_is_not_let_out(
    tmp_path: Path, becomes: Callable[[Path, Path], None]
) -> None:
    """Swapped between the look and the reading: for a link out of the workspace, for a pipe."""
    outside = tmp_path / "outside.py"
    outside.write_text("def a_secret(): ...\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    world = World(inside)
    seen: list[bytes] = []

    def past(_path: str) -> Sequence[Past]:
        world.file.unlink()
        becomes(world.file, outside)
        return world.known

    def told(_ask: ReadAsk, _path: str) -> Verdict | None:
        return None

    def outline(_path: str, data: bytes) -> str:
        seen.append(data)
        return "1: def a_secret()"

    setattr(world, "past", past)  # noqa: B010  # a method of this one world
    setattr(world, "told", told)  # noqa: B010
    setattr(world, "outline", outline)  # noqa: B010
    assert world.verdict().kind != "block"
    assert seen == []
