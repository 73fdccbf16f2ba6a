"""What is open, as an agent reads it at session start and from the two tools.

Source: spec of layer 0: at most 3,000 UTF-16 units, cut at whole lines, ``doing`` last to go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memfold.display import one_line
from memfold.measure import Unit, cut_to, length_in
from memfold.store.ports import WorkCurrent, WorkLog
from memfold.workstate.lists import HIDDEN, MIRRORS, Item, ListView, lists_of

LIMIT_UNITS = 3_000
_HEAD = """\
## Work state: your own to-dos, kept across sessions
Keep plans, to-dos and state with `work_state_write` instead of the host's own to-do tool: \
write when you make a plan, start or finish a step, or stop with work left \
(one call takes many `items`). `work_state_read` shows all, closed ones too."""
_NOTHING = "Nothing is open."
_SHORTEST_UNITS = len("[] , updated just now\n")  # no line is shorter
_MINUTE_MS = 60_000
_SCALE = (("day", 1_440), ("hour", 60), ("minute", 1))


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    list_at: int
    keep: bool = False  # cut last


def section(
    log: WorkLog,
    project_ids: Sequence[int],
    now_ms: int,
    *,
    limit_units: int = LIMIT_UNITS,
    unit: Unit = "utf16",
) -> str:
    """What is open in these projects, reading no more than can be shown."""
    found = log.open_rows(project_ids, most=lines_in(limit_units), mirrors=MIRRORS)
    return render_section(
        found.rows, now_ms, limit_units=limit_units, left_out=found.left_out, unit=unit
    )


def render_section(
    current: Sequence[WorkCurrent],
    now_ms: int,
    *,
    limit_units: int = LIMIT_UNITS,
    left_out: int = 0,
    unit: Unit = "utf16",
) -> str:
    """Heading, note and what is open, never over the limit. At most 806 units when empty.

    ``left_out``: open lines that ``current`` does not hold; they are counted in the last line.
    """
    views = lists_of(current)
    lines = [line for at, view in enumerate(views) for line in _lines(view, at, now_ms)]
    if not lines and not left_out:
        return cut_to(f"{_HEAD}\n{_NOTHING}", limit_units, unit)
    headings = [_heading(view) for view in views]
    room = limit_units - length_in(_HEAD, unit) - 1
    body = _fit(lines, headings, room, left_out, unit)
    return cut_to("\n".join([_HEAD, *body]), limit_units, unit)


def render_lists(
    current: Sequence[WorkCurrent],
    now_ms: int,
    *,
    closed: bool,
    limit_units: int,
    left_out: int = 0,
) -> str:
    """The lists as the tools show them; empty when there is nothing to show."""
    views = lists_of(current)
    lines = [line for at, view in enumerate(views) for line in _lines(view, at, now_ms, closed)]
    return "\n".join(
        _fit(lines, [_heading(view) for view in views], limit_units, left_out, "utf16")
    )


def lines_in(limit_units: int) -> int:
    """As many lines as never fit, however short they are."""
    return limit_units // _SHORTEST_UNITS + 1


def ago(at_ms: int, now_ms: int) -> str:
    """``5 minutes ago``; ``just now`` under a minute or when a clock went backwards."""
    minutes = (now_ms - at_ms) // _MINUTE_MS
    for word, size in _SCALE:
        if minutes >= size:
            count = minutes // size
            return f"{count} {word}{'s' if count > 1 else ''} ago"
    return "just now"


def _heading(view: ListView) -> str:
    return f"### {one_line(view.name, 360)}"


def _lines(view: ListView, at: int, now_ms: int, closed: bool = False) -> list[_Line]:
    lines: list[_Line] = []
    if view.state is not None and (closed or not view.closed):
        said = _said(view.state, () if view.closed else HIDDEN[1:])
        if said:
            lines.append(
                _Line(f"state: {said}, updated {ago(view.state.updated_at_ms, now_ms)}", at)
            )
    for item in view.items.values():
        if closed or not item.closed:
            lines.append(_Line(_item_line(item, now_ms), at, keep=item.doing))
    return lines


def _item_line(item: Item, now_ms: int) -> str:
    said = _said(item, HIDDEN)
    about = f" ({said})" if said else ""
    word = one_line(item.word, 40)
    return f"[{word}] {one_line(item.task)}{about}, updated {ago(item.updated_at_ms, now_ms)}"


def _said(item: Item, hidden: Sequence[str]) -> str:
    pairs = (
        f"{one_line(key, 64)}={_value(value)}"
        for key, value in item.fields.items()
        if key not in hidden
    )
    return one_line(", ".join(pairs), 480)


def _value(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return one_line(str(value))


def _fit(
    lines: Sequence[_Line], headings: Sequence[str], limit_units: int, left_out: int, unit: Unit
) -> list[str]:
    """Lines under their headings. Over the limit: first lines first, ``keep`` before others,
    and a last line that counts what is left out."""
    total = len(lines) + left_out
    whole = set(range(len(lines)))
    text = _laid_out(lines, headings, whole)
    if not left_out and length_in("\n".join(text), unit) <= limit_units:
        return text
    room = limit_units - length_in(_more(total), unit) - 1
    chosen: set[int] = set()
    shown: set[int] = set()  # lists whose heading is paid for
    for keep in (True, False):
        for at, line in enumerate(lines):
            if line.keep is not keep:
                continue
            cost = length_in(line.text, unit) + 1
            if line.list_at not in shown:
                cost += length_in(headings[line.list_at], unit) + 1
            if cost > room:
                break
            room -= cost
            chosen.add(at)
            shown.add(line.list_at)
        else:
            continue
        break  # nothing of lesser rank takes the place of a line that did not fit
    return [*_laid_out(lines, headings, chosen), _more(total - len(chosen))]


def _laid_out(lines: Sequence[_Line], headings: Sequence[str], chosen: set[int]) -> list[str]:
    text: list[str] = []
    last = -1
    for at, line in enumerate(lines):
        if at not in chosen:
            continue
        if line.list_at != last:
            text.append(headings[line.list_at])
            last = line.list_at
        text.append(line.text)
    return text


def _more(count: int) -> str:
    lines = "1 more line" if count == 1 else f"{count:,} more lines"
    return f"{lines}: `work_state_read` with `list` shows {'it' if count == 1 else 'them'}."
