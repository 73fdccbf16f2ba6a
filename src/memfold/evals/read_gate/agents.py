"""Scripted agents: what an agent does when it wants to know something of one file."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from memfold.evals.read_gate.model import Agent, Answer, Result, calls, says
from memfold.evals.read_gate.sample import Sample

TOOL = "mcp__memfold__"
_TOO_LARGE = "exceeds maximum allowed"
_UNKNOWN_LINES = 60  # that are read behind a function's first line where its end is not known


@dataclass(frozen=True, slots=True)
class Habit:
    """How an agent goes on after a whole read was held back."""

    name: str
    share: float = 0.0  # of the file that is read in one part; 0: the function alone

    @property
    def in_words(self) -> str:
        return f"{self.share:.0%} of it" if self.share else "the function alone"


FUNCTION = Habit("function")
PART = Habit("part", 0.3)
MOST = Habit("most", 0.7)


@dataclass(slots=True)
class Way:
    """What an agent met on its way."""

    steps: list[str] = field(default_factory=list)


def agent(file: str, sample: Sample, habit: Habit, way: Way, *, looks_first: bool) -> Agent:
    """Reads the file, does what it is told where that is held back, and answers."""
    if looks_first:
        yield [
            says("I will look at the project first."),
            calls("Bash", command="git log --oneline -3 && ls", description="Recent commits"),
        ]
    (result,) = yield [
        says(f"The answer should stand in {sample.symbol}. I will read the file."),
        calls("Read", file_path=file),
    ]
    if not result.is_error:
        way.steps.append("whole")
        _must_hold(result, sample)
    elif _TOO_LARGE in result.text:
        way.steps.append("too large for the host")
        yield from _searched(file, sample, habit)
    else:
        way.steps.append("held back")
        yield from _told(file, sample, habit, result.text, way)
    number = re.sub(r"\D", "", sample.answer)
    return (
        f"{sample.symbol} breaks a lock that was left behind after {number} hours: it sets "
        f"`patience = {number}` at the start of its body, before anything else is done."
    )


Talk = Generator[Answer, Sequence[Result], None]


def _told(file: str, sample: Sample, habit: Habit, said: str, way: Way) -> Talk:
    """Held back: with the outline in the answer, or sent away to fetch it."""
    lines = _range(said, sample)
    if lines is None:
        way.steps.append("outline fetched")
        (fetched,) = yield [
            says("The read was held back. I will get the outline."),
            calls(f"{TOOL}smart_outline", file_path=file),
        ]
        lines = _range(fetched.text, sample)
        if lines is None:
            raise LookupError(f"the outline does not name {sample.symbol}: {fetched.text[:300]}")
        if not habit.share:
            way.steps.append("unfolded")
            (result,) = yield [
                says("The outline shows where it is. I will unfold it."),
                calls(f"{TOOL}smart_unfold", file_path=file, symbol_name=sample.symbol),
            ]
            _must_hold(result, sample)
            return
    way.steps.append(f"part of {habit.name}")
    yield from _part(file, sample, habit, *lines)


def _searched(file: str, sample: Sample, habit: Habit) -> Talk:
    """The host itself read no more than a start of it, or nothing: search, then read there."""
    name = sample.symbol.rpartition(".")[2]
    (result,) = yield [
        says("It is too large to read at once. I will search for the function."),
        calls("Bash", command=f"grep -n 'def {name}' {file}", description="Find the function"),
    ]
    first = int(re.findall(r"^(\d+):", result.text, re.MULTILINE)[0])
    yield from _part(file, sample, habit, first, first + _UNKNOWN_LINES)


def _part(file: str, sample: Sample, habit: Habit, first: int, last: int) -> Talk:
    """One read of the lines, and of as much around them as the habit says."""
    start, end = around(sample.text.splitlines(), habit.share, first, last)
    (result,) = yield [
        says("I will read the part with it."),
        calls("Read", file_path=file, offset=start, limit=end - start + 1),
    ]
    _must_hold(result, sample)


def around(lines: Sequence[str], share: float, first: int, last: int) -> tuple[int, int]:
    """First and last line of that share of all characters, the given lines within it."""
    last = min(last, len(lines))
    long = [len(line) + 1 for line in lines]
    room = share * sum(long) - sum(long[first - 1 : last])
    while room > 0 and (first > 1 or last < len(lines)):
        if first > 1:
            first -= 1
            room -= long[first - 1]
        if last < len(lines):
            last += 1
            room -= long[last - 1]
    return first, last


def _range(outline: str, sample: Sample) -> tuple[int, int] | None:
    """The lines of the function as an outline names them; None where it is not in there."""
    name = re.escape(sample.symbol.rpartition(".")[2])
    lines = re.search(rf"\b(\d+)-(\d+) (?:\+ )?(?:def )?{name}\b", outline)
    return (int(lines[1]), int(lines[2])) if lines else None


def _must_hold(result: Result, sample: Sample) -> None:
    """A behaviour that does not find the answer measures nothing."""
    if not re.search(sample.answer, result.text):
        raise LookupError(f"{sample.symbol} was not in what was read: {result.text[:300]}")
