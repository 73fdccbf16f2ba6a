"""What the study says: does it agree with what was published, what does our gate save, and when?"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memfold.code.gate.cost import Habits
from memfold.evals.read_gate.agents import FUNCTION, PART, Habit
from memfold.evals.read_gate.published import FIGURES, Published
from memfold.evals.read_gate.study import CALIBRATED, CONTEXTS, KB, SIZES, Arm, Row

LATER = int(Habits().later)  # turns that follow a read
MORE = 5  # points that our gate has to save beyond the other kind at 49 KB
JUDGED = (FUNCTION, PART)  # the ways to go on that agree with the published figures


@dataclass(frozen=True, slots=True)
class Agreement:
    """One published figure beside ours."""

    published: Published
    measured: float  # points

    @property
    def holds(self) -> bool:
        return self.published.agrees(self.measured)


@dataclass(frozen=True, slots=True)
class Cell:
    """One size, context and habit: the change of cost by our gate, in points and in tokens."""

    size: int
    context: int
    habit: Habit
    points: float  # of what the session costs from the read on
    saved: float  # tokens of plain input, until the answer
    saved_later: float  # and with LATER turns behind it
    spread: float  # points between the runs
    estimated: int  # by the gate, with LATER turns


@dataclass(frozen=True, slots=True)
class Verdicts:
    """All that the report says in words."""

    agreements: tuple[Agreement, ...]
    against: tuple[tuple[Habit, float, float], ...]  # at 49 KB: fetch, memfold, in points
    cells: tuple[Cell, ...]

    @property
    def is_believed(self) -> bool:
        """Whether every published figure came out, so that new ones can be believed."""
        return all(one.holds for one in self.agreements)

    @property
    def beats(self) -> bool:
        return all(theirs - ours >= MORE for _, theirs, ours in self.against)

    def pays_from(self, context: int, *, later: bool) -> int | None:
        """The smallest size from which on our gate saves whatever the habit; None: at no size."""
        found = None
        for size in sorted(SIZES, reverse=True):
            cells = [c for c in self.cells if (c.size, c.context) == (size, context)]
            judged = [c for c in cells if c.habit in JUDGED]
            if not judged or any((c.saved_later if later else c.saved) <= 0 for c in judged):
                break
            found = size
        return found

    @property
    def recommended(self) -> int | None:
        """The smallest size from which on it saves in every context, LATER turns behind it."""
        sizes = [self.pays_from(context, later=True) for context in CONTEXTS]
        return None if None in sizes else max(size for size in sizes if size is not None)

    @property
    def right_signs(self) -> tuple[int, int]:
        """(cells in which the gate's own estimate has the right sign, cells), of judged ones."""
        judged = [c for c in self.cells if c.habit in JUDGED]
        return sum((c.estimated > 0) == (c.saved_later > 0) for c in judged), len(judged)


def verdicts(rows: Sequence[Row]) -> Verdicts:
    """From every row of a study. Raises ValueError where one is missing."""
    agreements = tuple(
        Agreement(one, _points(rows, one.size, "fetch", one.habit)) for one in FIGURES
    )
    large = max(CALIBRATED)
    against = tuple(
        (habit, _points(rows, large, "fetch", habit), _points(rows, large, "memfold", habit))
        for habit in JUDGED
    )
    return Verdicts(agreements, against, tuple(_cells(rows)))


def _points(rows: Sequence[Row], size: int, arm: Arm, habit: Habit) -> float:
    """Median change of a whole session's cost at the host's own context."""
    of = [row for row in rows if row.part == "calibration" and row.size == size]
    off = statistics.median(row.whole_cost for row in of if row.arm == "off")
    costs = [row.whole_cost for row in of if row.arm == arm and row.habit == habit]
    return (statistics.median(costs) / off - 1) * 100


def _cells(rows: Sequence[Row]) -> Iterator[Cell]:
    behind = [row for row in rows if row.part == "contexts"]
    keys = dict.fromkeys((r.size, r.context, r.habit) for r in behind if r.arm == "memfold")
    for size, context, habit in keys:
        here = [row for row in behind if (row.size, row.context) == (size, context)]
        off = [row for row in here if row.arm == "off"]
        on = [row for row in here if row.arm == "memfold" and row.habit == habit]
        without = statistics.median(row.cost for row in off)
        saved = without - statistics.median(row.cost for row in on)
        each = _median_turn(off) - _median_turn(on)
        spread = (max(row.cost for row in on) - min(row.cost for row in on)) / without * 100
        yield Cell(
            size=size,
            context=context,
            habit=habit,
            points=-saved / without * 100,
            saved=saved,
            saved_later=saved + LATER * each,
            spread=spread,
            estimated=round(statistics.median(row.estimated for row in on)),
        )


def _median_turn(rows: Sequence[Row]) -> float:
    return statistics.median(row.a_later_turn for row in rows)


def kilobytes(size: int) -> str:
    return f"{size // KB} KB"
