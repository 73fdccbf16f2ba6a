"""The startup index kept ready: made when memory changes, the same bytes as one made on the spot.

Only the header depends on the present moment; it is made for each session, and the body stays as
long as the version of memory, the mode, the zone, the last reply and the marks of files do, and
while the room for it leads to the same choice of what is dropped.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock

from memfold.disclose.freshness import Sums
from memfold.disclose.gather import gather_index, stale_marks
from memfold.disclose.index import (
    Body,
    IndexView,
    Rendered,
    header,
    render_body,
    room_below,
    under,
)
from memfold.disclose.mode import Mode
from memfold.disclose.times import zone_of
from memfold.measure import Unit
from memfold.settings import Settings
from memfold.store.ports import IndexSource

_MOST_KEPT = 8  # projects in use at one time, a unit each


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose index, and in which form."""

    project: str  # its name as shown
    project_ids: tuple[int, ...]
    unit: Unit
    mode: Mode
    last_reply: str = ""


@dataclass(frozen=True, slots=True)
class _Kept:
    wanted: Wanted
    version: int
    view: IndexView
    body: Body
    room: int  # as asked for last


class PreparedIndexes:
    """Indexes of the projects in use. Safe to use from any thread."""

    def __init__(
        self,
        library: IndexSource,
        settings: Settings,
        *,
        most_kept: int = _MOST_KEPT,
        sums: Sums | None = None,
    ) -> None:
        self._library = library
        self._settings = settings
        self._most_kept = most_kept
        self._sums = sums or Sums()
        # What is kept is replaced as a whole: threads can at worst make the same twice.
        self._kept: OrderedDict[tuple[str, tuple[int, ...], Unit], _Kept] = OrderedDict()
        self._lock = Lock()

    def render(self, wanted: Wanted, limit_units: int, now_ms: int) -> Rendered:
        """As ``render_index`` of a view gathered now."""

        def room_for(view: IndexView) -> int:
            return room_below(header(view), limit_units, wanted.unit)

        kept = self._current(wanted, now_ms, room_for)
        head = header(replace(kept.view, now_ms=now_ms))
        return under(head, kept.body, limit_units, wanted.unit)

    def refresh(self, now_ms: int) -> None:
        """Make anew what is kept and no longer holds, so that the next session need not wait."""
        with self._lock:
            every = list(self._kept.values())
        for kept in every:
            room = kept.room
            self._current(kept.wanted, now_ms, lambda _, room=room: room)  # type: ignore[misc]

    def clear(self) -> None:
        """Keep nothing: a project's number may be given to another."""
        with self._lock:
            self._kept.clear()

    def _current(self, wanted: Wanted, now_ms: int, room_for: Callable[[IndexView], int]) -> _Kept:
        key = (wanted.project, wanted.project_ids, wanted.unit)
        version = self._library.version(wanted.project_ids)  # before what is read under it
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and kept.version == version and self._holds(kept.view, wanted):
            view = self._fresh(kept.view)
        else:
            kept, view = None, self._gathered(wanted, now_ms)
        room = room_for(replace(view, now_ms=now_ms))
        if kept is not None and kept.view is view and _fits(kept.body, room):
            body = kept.body
        else:
            body = render_body(view, room, unit=wanted.unit)
        now = _Kept(wanted, version, view, body, room)
        with self._lock:
            self._kept[key] = now
            self._kept.move_to_end(key)
            while len(self._kept) > self._most_kept:
                self._kept.popitem(last=False)
        return now

    def _holds(self, view: IndexView, wanted: Wanted) -> bool:
        """Whether a view of this version of memory is still the one to show."""
        return (
            view.mode is wanted.mode
            and view.last_reply == wanted.last_reply
            and view.zone == zone_of(self._settings.text("timezone"))  # the machine's may change
        )

    def _fresh(self, view: IndexView) -> IndexView:
        """The view with the marks of this moment; the same object where none has changed."""
        marks = stale_marks((*view.pinned, *view.observations), self._sums)
        return view if marks == view.stale else replace(view, stale=marks)

    def _gathered(self, wanted: Wanted, now_ms: int) -> IndexView:
        return gather_index(
            self._library,
            self._settings,
            project=wanted.project,
            project_ids=wanted.project_ids,
            now_ms=now_ms,
            last_reply=wanted.last_reply,
            mode=wanted.mode,
            known=self._sums,
        )


def _fits(body: Body, room: int) -> bool:
    return body.least_room <= room < body.below_room
