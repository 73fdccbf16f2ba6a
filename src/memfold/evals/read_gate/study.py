"""The whole study without a model: which sessions are run, and what each cost."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memfold import measure
from memfold.evals.read_gate import seeding, world
from memfold.evals.read_gate.agents import FUNCTION, MOST, PART, Habit, Way, agent
from memfold.evals.read_gate.bill import READ, Usage
from memfold.evals.read_gate.model import Turn
from memfold.evals.read_gate.sample import Sample, sample_of
from memfold.evals.read_gate.world import StudyFailed, World

Arm = Literal["off", "fetch", "memfold"]
KB = 1024
SIZES = (19 * KB, 32 * KB, 49 * KB, 120 * KB)
CALIBRATED = (19 * KB, 49 * KB)
CONTEXTS = (20_000, 150_000)  # tokens at the moment of the read
HABITS = (FUNCTION, PART, MOST)
LOWEST = 8 * KB  # what the gate may hold back in the study, so that it answers at every size
_TRIES = 3
_FILE = "service.py"


@dataclass(frozen=True, slots=True)
class Row:
    """One session."""

    part: Literal["calibration", "contexts"]
    size: int  # bytes of the file
    context: int  # tokens wanted at the moment of the read; 0: what the host begins with
    arm: Arm
    habit: Habit
    run: int
    cost: float  # in tokens of plain input, from the request on that asked for the read
    whole_cost: float  # of the session
    usage: Usage  # of the session
    turns: int
    at_read: int  # tokens of context that the read was asked with
    at_end: int  # tokens that each later turn would read again
    estimated: int  # that the gate itself thought to save; 0 where it was not asked
    steps: tuple[str, ...]

    @property
    def a_later_turn(self) -> float:
        """What one more turn pays for what stands in the context."""
        return READ * self.at_end


def rows(
    client: Path,
    runs: int,
    say: Callable[[str], None],
    *,
    sizes: Sequence[int] = SIZES,
    contexts: Sequence[int] = CONTEXTS,
) -> Iterator[Row]:
    """Every session of the study, interleaved arm by arm. Raises StudyFailed."""
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="memfold-eval-") as root:
            sample = sample_of(size)
            with world.opened(Path(root), client) as place:
                file = place.project / _FILE
                seeding.seed(place, file, sample)
                for case in _cases(size, contexts, runs):
                    row = _run(place, file, sample, case)
                    say(f"{size // KB} KB, {case.arm}, {case.habit.name}: {row.cost:,.0f}")
                    yield row


@dataclass(frozen=True, slots=True)
class _Case:
    part: Literal["calibration", "contexts"]
    size: int
    context: int
    arm: Arm
    habit: Habit
    run: int


def _cases(size: int, contexts: Sequence[int], runs: int) -> Iterator[_Case]:
    for run in range(runs):
        if size in CALIBRATED:
            yield _Case("calibration", size, 0, "off", FUNCTION, run)
            for habit in HABITS:
                yield _Case("calibration", size, 0, "fetch", habit, run)
                yield _Case("calibration", size, 0, "memfold", habit, run)
        for context in contexts:
            yield _Case("contexts", size, context, "off", FUNCTION, run)
            for habit in HABITS:
                yield _Case("contexts", size, context, "memfold", habit, run)


def _run(place: World, file: Path, sample: Sample, case: _Case) -> Row:
    """One session. It is run again where the gate was too late, as a busy machine makes it."""
    looks_first = case.part == "contexts"
    filler = _filler(case.context - _start(place, file, sample)) if looks_first else ""
    place.restore(  # here: what `_start` ran is taken back too
        {
            "read_gate": '"on"' if case.arm == "memfold" else '"off"',
            "read_gate_bytes": str(LOWEST),
        }
    )
    prompt = filler + sample.question.format(file=file)
    with place.hooked(_fetching(file, sample) if case.arm == "fetch" else None):
        for _ in range(_TRIES):
            way = Way()
            turns = place.session(
                prompt, agent(str(file), sample, case.habit, way, looks_first=looks_first)
            )
            if case.arm == "off" or "whole" not in way.steps:
                break
        else:
            raise StudyFailed(
                f"The gate let a read of {case.size:,} bytes through {_TRIES} times.",
                "Run it again when the machine is less busy.",
            )
    return _row(place, case, turns, way)


def _row(place: World, case: _Case, turns: list[Turn], way: Way) -> Row:
    first = next(at for at, turn in enumerate(turns) if "Read" in turn.tools)
    usage = sum((turn.usage for turn in turns), Usage())
    last = turns[-1].usage
    told = json.loads(place.memfold("gate", "--json"))["decisions"]
    blocks = [one["saved_tokens"] for one in told if one["kind"] == "block"]  # newest first
    return Row(
        part=case.part,
        size=case.size,
        context=case.context,
        arm=case.arm,
        habit=case.habit,
        run=case.run,
        cost=sum(turn.usage.cost for turn in turns[first:]),
        whole_cost=usage.cost,
        usage=usage,
        turns=len(turns),
        at_read=turns[first].usage.context,
        at_end=last.context + last.output,
        estimated=blocks[0] if blocks else 0,
        steps=tuple(way.steps),
    )


def _start(place: World, file: Path, sample: Sample) -> int:
    """Tokens that a session of this host has when it asks for its first read."""
    if place.begins_with is None:
        way = Way()
        turns = place.session(
            sample.question.format(file=file),
            agent(str(file), sample, FUNCTION, way, looks_first=True),
        )
        place.begins_with = turns[1].usage.context
    return place.begins_with


def _filler(tokens: int) -> str:
    """What a long session would have said before, in plain words, of about so many tokens."""
    line = (
        "Earlier we looked at part {} of the service, its tests and its logs, and it was sound.\n"
    )
    text = "".join(line.format(number) for number in range(1_000, 1_000 + max(0, tokens) // 15))
    while measure.tokens(text) > max(0, tokens):
        text = text[: text.rindex("\n", 0, -1) + 1] if text.count("\n") > 1 else ""
    return text


def _fetching(file: Path, sample: Sample) -> dict[str, object]:
    """The hook of the other kind of gate; what it says is about as long as theirs."""
    known = "\n".join(
        f"[{number}] Earlier work on {name} and what came of it, in a line of usual length"
        for number, name in enumerate(seeding.names_in(sample), 101)
    )
    said = (
        f"{file} ({sample.size:,} bytes) is known to memory, so reading all of it is held back.\n"
        f"Past work on it:\n{known}\n"
        "First call smart_outline(file_path), then smart_unfold(file_path, symbol_name) for what "
        "you need, or Read with offset and limit."
    )
    script = str(Path(__file__).with_name("fetch_gate.py"))
    return {"type": "command", "command": sys.executable, "args": [script, str(file), said]}
