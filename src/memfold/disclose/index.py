"""The startup index: a table of contents with prices, never over its limit.

Render, measure, drop, render again: full texts, the last summary, the last reply, half of the
summaries again and again, half of the observations again and again, pinned ones last and one by
one. Whole entries only; header, footer and one observation stay. Pure: the same view gives the same
bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta, tzinfo

from msgspec import structs

from memfold.disclose.details import overtaken, summary_fields
from memfold.disclose.mode import SESSION_SYMBOL, Mode
from memfold.disclose.times import clock_time, day, local
from memfold.display import ELLIPSIS, block, one_line
from memfold.measure import Unit, cut_to, cut_utf16, length_in
from memfold.records import Entry, Summary

LIMIT_UNITS = 10_000
_TITLE_BYTES = 240
_FIELD_BYTES = 600  # of each field of the last summary
_TEXT_BYTES = 2_000  # of a full narrative or the last reply
_ENDLESS = 1 << 62
_HOW = "Full text of an ID: get_observations. Search: mem_search. Raw evidence: get_tool_uses."


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexView:
    """All that the index may show, newest first, and how."""

    project: str
    now_ms: int
    zone: tzinfo
    mode: Mode
    observations: tuple[Entry, ...]  # but for those that are pinned
    pinned: tuple[Entry, ...] = ()
    summaries: tuple[Entry, ...] = ()
    full: Mapping[int, str] = field(default_factory=dict)  # observation id -> its text
    last_summary: Summary | None = None
    last_reply: str = ""
    has_prompts: bool = False  # asked for only where there is nothing else
    totals: tuple[int, int, int] = (0, 0, 0)  # observations, read tokens, work tokens: all stored
    stale: Mapping[str, str] = field(default_factory=dict)  # ref -> changed or gone
    show_read_tokens: bool = False
    show_work_tokens: bool = False
    show_savings_amount: bool = False
    show_savings_percent: bool = True


@dataclass(frozen=True, slots=True)
class Rendered:
    text: str
    dropped: tuple[str, ...] = ()  # what was left out to fit, in order


@dataclass(frozen=True, slots=True)
class Body:
    """The index below its header: nothing in it depends on the present moment."""

    text: str
    dropped: tuple[str, ...]
    least_room: int  # with this much room ...
    below_room: int  # ... and less than this it is the same text


def render_index(
    view: IndexView, limit_units: int = LIMIT_UNITS, *, unit: Unit = "utf16"
) -> Rendered:
    """The index in at most ``limit_units`` of ``unit``."""
    head = header(view)
    body = render_body(view, room_below(head, limit_units, unit), unit=unit)
    return under(head, body, limit_units, unit)


def header(view: IndexView) -> str:
    """The one line that depends on the present moment."""
    now = local(view.now_ms, view.zone)
    zone = now.tzname() or "UTC"
    return f"# [{one_line(view.project, 160)}] recent context, {day(now)} {clock_time(now)} {zone}"


def room_below(head: str, limit_units: int, unit: Unit) -> int:
    """What is left for the body."""
    return limit_units - length_in(head, unit) - 1  # the line's end


def under(head: str, body: Body, limit_units: int, unit: Unit) -> Rendered:
    """Header and body. Only a header that alone is over the limit is cut here."""
    return Rendered(cut_to(f"{head}\n{body.text}", limit_units, unit), body.dropped)


def render_body(view: IndexView, room: int, *, unit: Unit) -> Body:
    """What fits into ``room`` units of ``unit``."""
    if not view.observations and not view.summaries and not view.pinned:
        return _fitted(_empty(view), (), room, unit)
    dropped: list[str] = []
    view = _cleaned(view)
    text = _render(view)
    smallest_over = _ENDLESS
    for what, smaller in _drops(view):
        length = length_in(text, unit)
        if length <= room:
            return Body(text, tuple(dropped), length, smallest_over)
        smallest_over = min(smallest_over, length)
        view = smaller
        text = _render(view)
        dropped.append(what)
    over = length_in(text, unit) - room
    if over > 0 and (view.observations or view.pinned):
        view = _shorter_title(view, over, unit)
        dropped.append("title")
        return _fitted(_render(view), tuple(dropped), room, unit)
    return _fitted(text, tuple(dropped), room, unit, smallest_over)


def _fitted(
    text: str, dropped: tuple[str, ...], room: int, unit: Unit, below_room: int | None = None
) -> Body:
    """The last resort: cut where it must be. Made for this room alone where it was shortened."""
    length = length_in(text, unit)
    if length > room or "title" in dropped:
        return Body(cut_to(text, room, unit), dropped, room, room + 1)
    return Body(text, dropped, length, _ENDLESS if below_room is None else below_room)


def _cleaned(view: IndexView) -> IndexView:
    """Titles on one line once, however often the view is rendered."""
    observations, pinned, summaries = (
        tuple(structs.replace(one, title=one_line(one.title, _TITLE_BYTES)) for one in entries)
        for entries in (view.observations, view.pinned, view.summaries)
    )
    return replace(view, observations=observations, pinned=pinned, summaries=summaries)


def _drops(view: IndexView) -> Iterator[tuple[str, IndexView]]:
    """(what goes, the view without it), each on top of the one before."""
    if view.full:
        view = replace(view, full={})
        yield "full texts", view
    if view.last_summary is not None:
        view = replace(view, last_summary=None)
        yield "last summary", view
    if view.last_reply:
        view = replace(view, last_reply="")
        yield "last reply", view
    # With no observation at all, one summary is what stays.
    fewest = 0 if view.observations or view.pinned else 1
    while len(view.summaries) > fewest:
        keep = max(len(view.summaries) // 2, fewest)
        view = replace(view, summaries=view.summaries[:keep])
        yield f"summaries to {keep}", view
    # Nor does an observation have to stay beside pinned ones.
    fewest = 0 if view.pinned else 1
    while len(view.observations) > fewest:
        keep = len(view.observations) // 2
        view = replace(view, observations=view.observations[:keep])
        yield f"observations to {keep}", view
    while len(view.pinned) > 1:
        keep = len(view.pinned) - 1
        view = replace(view, pinned=view.pinned[:keep])
        yield f"pinned to {keep}", view


def _shorter_title(view: IndexView, over_units: int, unit: Unit) -> IndexView:
    """The view's only observation with less of its title."""
    entry = (view.pinned or view.observations)[0]
    kept = max(length_in(entry.title, unit) - over_units - length_in(ELLIPSIS, unit), 1)
    shorter = (structs.replace(entry, title=cut_to(entry.title, kept, unit) + ELLIPSIS),)
    if view.pinned:
        return replace(view, pinned=shorter)
    return replace(view, observations=shorter)


def _empty(view: IndexView) -> str:
    count = view.totals[0]
    if count:
        return (
            "The settings index_observations, index_types and index_concepts "
            f"leave out all that is remembered (observations: {count:,}). mem_search finds it."
        )
    so_far = (
        "Only prompts are remembered of this project yet; mem_search finds them."
        if view.has_prompts
        else "Nothing is remembered of this project yet."
    )
    return (
        f"{so_far} What is done, found and decided from now on will be listed here in later "
        "sessions."
    )


def _render(view: IndexView) -> str:
    lines = [_legend(view), _stats(view), *_pins(view), *_timeline(view)]
    if view.last_summary is not None:
        lines += _last_summary(view.last_summary)
    if view.last_reply:
        lines += ["", "Last reply of the previous session:", _set_in(view.last_reply)]
    lines += ["", _footer(view)]
    return "\n".join(line for line in lines if line is not None)


def _legend(view: IndexView) -> str:
    symbols = ", ".join(f"{one.symbol} {one.label}" for one in view.mode.types)
    return (
        f"Mode: {view.mode.name} ({view.mode.id}). {symbols}, {SESSION_SYMBOL} session (S).\n"
        f'Format: ID TIME SYMBOL TITLE (" = same minute). {_HOW}'
    )


def _stats(view: IndexView) -> str:
    count, read, work = view.totals
    said = f"Stats: {count:,} observation{'' if count == 1 else 's'}, {read:,} tokens to read all"
    if work > 0:
        said += f", {work:,} tokens of work"
        saved = work - read
        if view.show_savings_amount:
            said += f", {saved:,} saved"
        if view.show_savings_percent:
            said += (
                f", {round(saved / work * 100)}% saved"
                if not view.show_savings_amount
                else (f" ({round(saved / work * 100)}%)")
            )
    return said


def _footer(view: IndexView) -> str:
    _, read, work = view.totals
    if work > 0:
        return (
            f"{work:,} tokens of past work can be had for {read:,}: ask mem_search before you "
            "investigate or redo something."
        )
    return "Ask mem_search before you investigate or redo something: it may be known."


def _pins(view: IndexView) -> list[str]:
    """Oldest first as everything else; outside the days, so each states its own."""
    lines = ["### Pinned"] if view.pinned else []
    for entry in reversed(view.pinned):
        at = local(entry.at_ms, view.zone)
        lines.append(_observation_line(view, entry, f"{day(at)} {clock_time(at)}"))
    return lines


def _timeline(view: IndexView) -> list[str]:
    lines: list[str] = []
    shown_day = ""
    last: tuple[str, timedelta | None] | None = None  # where clocks go back, a minute comes twice
    rows = sorted(
        [*view.observations, *view.summaries], key=lambda one: (one.at_ms, one.kind, one.id)
    )
    for entry in rows:
        at = local(entry.at_ms, view.zone)
        if day(at) != shown_day:
            shown_day, last = day(at), None
            lines.append(f"### {shown_day}")
        if entry.kind == "summary":
            lines.append(
                f"{entry.ref} {one_line(entry.title, _TITLE_BYTES)} ({day(at)}, {clock_time(at)})"
            )
            last = None  # `"` means the line above, and this one states no minute
            continue
        minute = clock_time(at)
        now = (minute, at.utcoffset())
        lines.append(_observation_line(view, entry, '"' if now == last else minute))
        last = now
        if entry.id in view.full:
            lines.append(_set_in(view.full[entry.id]))
    return lines


def _observation_line(view: IndexView, entry: Entry, minute: str) -> str:
    line = f"{entry.ref} {minute} {view.mode.symbol(entry.type)} "
    line += one_line(entry.title, _TITLE_BYTES)
    line += overtaken(entry)
    if entry.seen_count > 1:
        line += f" ×{entry.seen_count}"
    if entry.ref in view.stale:
        line += f" (stale: files {view.stale[entry.ref]})"
    if view.show_read_tokens:
        line += f" ~{entry.read_tokens:,}t"
    if view.show_work_tokens:
        line += f" (work {entry.work_tokens:,}t)"
    return line


def _last_summary(summary: Summary) -> list[str]:
    fields = [
        f"{label}: {one_line(text, _FIELD_BYTES)}"
        for label, text in summary_fields(summary.draft)
        if text.strip()
    ]
    return ["", f"Last session (S{summary.id}):", *fields] if fields else []


def _set_in(text: str) -> str:
    lines = [one_line(line, _TEXT_BYTES) for line in block(text).split("\n")]
    whole = "\n".join(f"  {line}" for line in lines if line)
    return cut_utf16(whole, _TEXT_BYTES)
