"""The change of cost by the size of the file, as one SVG without any program in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from memfold.evals.read_gate.agents import Habit
from memfold.evals.read_gate.study import KB, SIZES
from memfold.evals.read_gate.verdict import JUDGED, Cell, Verdicts

_WIDE, _HIGH = 760, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 260, 40, 48
_MOST = 80  # points, up and down
_COLOURS = ("#1b6ca8", "#c4571a", "#2d7d46", "#7a3e9d")
_TICKS = range(-_MOST, _MOST + 1, 20)


def svg(found: Verdicts) -> str:
    """One line a context and habit, and the published figures as dots."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" '
            'font-family="sans-serif" font-size="12" role="img">',
            "<title>Change of a session's cost by the read gate</title>",
            f'<rect width="{_WIDE}" height="{_HIGH}" fill="white"/>',
            f'<text x="{_LEFT}" y="20" font-size="14">Change of cost by the gate, in percent; '
            "below zero it saves</text>",
            *_axes(),
            *_lines(found),
            *_published(found),
            "</svg>",
            "",
        ]
    )


def _axes() -> Iterator[str]:
    for points in _TICKS:
        y = _y(points)
        colour = "#666" if points == 0 else "#ddd"
        yield f'<line x1="{_LEFT}" x2="{_WIDE - _RIGHT}" y1="{y}" y2="{y}" stroke="{colour}"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{points:+d}</text>'
    for size in SIZES:
        yield (
            f'<text x="{_x(size)}" y="{_HIGH - _BOTTOM + 20}" text-anchor="middle">'
            f"{size // KB} KB</text>"
        )


def _lines(found: Verdicts) -> Iterator[str]:
    judged = [cell for cell in found.cells if cell.habit in JUDGED]
    series = groupby(sorted(judged, key=_series), key=_series)
    for number, ((context, _), cells) in enumerate(series):
        drawn = sorted(cells, key=lambda cell: cell.size)
        colour = _COLOURS[number % len(_COLOURS)]
        spots = [(_x(cell.size), _y(cell.points)) for cell in drawn]
        path = " ".join(f"{x},{y}" for x, y in spots)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield from _dots(spots, colour, 3)
        label = f"{context // 1000}k tokens, {drawn[0].habit.in_words}"
        yield from _label(number, colour, label)


def _published(found: Verdicts) -> Iterator[str]:
    spots = [
        (_x(one.published.size), _y(each))
        for one in found.agreements
        for each in one.published.points
    ]
    yield from _dots(spots, "#222", 4)
    yield from _label(len(_COLOURS), "#222", "published, another gate")


def _dots(spots: Sequence[tuple[float, float]], colour: str, radius: int) -> Iterator[str]:
    for x, y in spots:
        yield f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}"/>'


def _label(number: int, colour: str, text: str) -> Iterator[str]:
    x, y = _WIDE - _RIGHT + 16, _TOP + 20 + 20 * number
    yield f'<circle cx="{x}" cy="{y - 4}" r="4" fill="{colour}"/>'
    yield f'<text x="{x + 10}" y="{y}">{text}</text>'


def _series(cell: Cell) -> tuple[int, float]:
    habit: Habit = cell.habit
    return cell.context, habit.share


def _x(size: int) -> float:
    first, last = SIZES[0], SIZES[-1]
    return round(_LEFT + 24 + (size - first) / (last - first) * (_WIDE - _LEFT - _RIGHT - 48), 1)


def _y(points: float) -> float:
    bounded = max(-_MOST, min(_MOST, points))
    return round(_TOP + (_MOST - bounded) / (2 * _MOST) * (_HIGH - _TOP - _BOTTOM), 1)
