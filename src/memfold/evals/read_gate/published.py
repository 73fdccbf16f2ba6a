"""What the authors of another gate published: the cost of a session with it against one without.

That gate sends the agent to fetch the outline. Two models, each with a way of its own to go on,
at two sizes of file. At 49 KB two figures a model; of the smaller file one.
"""

from __future__ import annotations

from dataclasses import dataclass

from memfold.evals.read_gate.agents import FUNCTION, PART, Habit

NEAR = 10  # points at 49 KB; of the smaller file the sign has to be right


@dataclass(frozen=True, slots=True)
class Published:
    """Points of cost that the gate changed; below zero it saved."""

    model: str
    habit: Habit
    size: int  # bytes
    points: tuple[float, ...]
    sign_only: bool = False

    def agrees(self, measured: float) -> bool:
        if self.sign_only:
            return all((measured > 0) == (each > 0) for each in self.points)
        return all(abs(measured - each) <= NEAR for each in self.points)


FIGURES = (
    Published("Sonnet", FUNCTION, 49 * 1024, (-35, -38)),
    Published("Opus", PART, 49 * 1024, (-30, -32)),
    Published("Sonnet", FUNCTION, 19 * 1024, (-6,), sign_only=True),
    Published("Opus", PART, 19 * 1024, (20,), sign_only=True),
)
