"""What a block saves: the file's tokens now and in each later turn, against turns that it adds.

In tokens of plain input. Prices relative to it, as providers publish them for cached prompts:
written to the cache 1.25, read from it 0.1, output 5.
"""

from __future__ import annotations

from dataclasses import dataclass

WRITE, READ, OUTPUT = 1.25, 0.1, 5.0
HOST_LINES = 2_000  # of a file that the host reads at once
HOST_TOKENS = 25_000  # more, and the host answers with an error instead


@dataclass(frozen=True, slots=True)
class Costs:
    """Tokens."""

    file: int  # of the whole file as the agent would get it
    answer: int  # of the block's answer
    context: int  # before the read; 0 where it is not known
    lines: int = 0


@dataclass(frozen=True, slots=True)
class Habits:
    """What agents do after a block, and how long sessions go on.

    ``part``: as the published figures of a gate come out (`memfold eval read-gate`). ``later``: the
    lower quartile behind 54 whole reads in recorded sessions; the median is 36.
    """

    part: float = 0.3  # of the file that is read all the same
    turns: float = 1.0  # that are added
    turn_output: int = 120  # tokens of such a turn
    later: float = 20.0  # turns that still follow in the session


def saving(costs: Costs, habits: Habits | None = None) -> int:
    """Tokens of plain input that a block saves; negative where it costs more."""
    by = habits or Habits()
    file = costs.file * min(1.0, HOST_LINES / costs.lines) if costs.lines else costs.file
    turns = by.turns
    if file > HOST_TOKENS:
        # The host would answer with an error, and the agent would read parts anyway.
        file, turns = HOST_TOKENS * by.part, 0.0
    kept = costs.answer + file * by.part
    once = WRITE * (file - kept)
    each_turn = READ * (file - kept) * by.later
    added = turns * (READ * (costs.context + costs.answer) + OUTPUT * by.turn_output)
    return round(once + each_turn - added)
