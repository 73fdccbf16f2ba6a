"""``mem_search``: a call in, a reply out; nothing is shown that the step before did not list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from memfold.disclose.freshness import Freshness
from memfold.disclose.mode import Mode, load_mode
from memfold.disclose.search import render
from memfold.disclose.search.auto import MAX_OTHERS, Scored, scored, text_of, worth_reading
from memfold.disclose.search.cursor import Cursors, Listed, State, listed
from memfold.disclose.search.request import Continue, Options, parse
from memfold.disclose.search.steps import authorised, details_step, index_step, timeline_step
from memfold.disclose.search.words import without_stop_words
from memfold.errors import ScopeChanged
from memfold.records import Caller, Entry, ToolReply
from memfold.store.names import seen_projects
from memfold.store.ports import CursorStore, Library, ProjectBook

_CHOICE_IS_YOURS = "Nothing matched well enough to read unasked: the choice is yours."


@dataclass(frozen=True, slots=True)
class _Search:
    """One call's search: what it was begun with, over which projects, for whom, when."""

    options: Options
    project_ids: tuple[int, ...] | None
    caller: Caller
    now_ms: int


class MemSearch:
    """The tool over one store. Safe to call from any thread: all state is in the stores."""

    def __init__(
        self,
        library: Library,
        projects: ProjectBook,
        cursors: CursorStore,
        secret: bytes,
        clock: Callable[[], int],
        *,
        mode: Mode | None = None,
        older_secret: bytes = b"",
    ) -> None:
        """``clock``: Unix ms. ``secret``: the cursor key of the data directory or fleet."""
        self._library = library
        self._projects = projects
        self._cursors = Cursors(cursors, secret, older_secret)
        self._clock = clock
        self._mode = mode or load_mode("code")

    def call(self, args: Mapping[str, Any], caller: Caller) -> ToolReply:
        """One step, or with mode ``auto`` all three. Raises the contract's errors."""
        now_ms = self._clock()
        request = parse(args, now_ms)
        if isinstance(request, Continue):
            return self._continue(request, caller, now_ms)
        project_ids = seen_projects(self._projects, caller, request.project)
        search = _Search(request, project_ids, caller, now_ms)
        if request.mode == "auto":
            return self._auto(search)
        found = index_step(self._library, request, project_ids, caller.session)
        return self._index(search, found)

    def _index(self, search: _Search, entries: Sequence[Entry], note: str = "") -> ToolReply:
        lines = self._lines(search, entries)
        options = search.options
        if not entries:
            return ToolReply(render.index_reply(lines, options, entries, render.Page()), step=1)
        before, after = options.depth_before, options.depth_after
        around = [self._library.around(one, before, after) for one in entries]
        cost = render.timeline_cost(lines, options, around)
        cursor = self._keep(search, 2, entries)
        text = render.index_reply(lines, options, entries, render.Page(cursor, cost, note))
        return ToolReply(text, tuple(entries), cursor, 1)

    def _continue(self, request: Continue, caller: Caller, now_ms: int) -> ToolReply:
        state = self._cursors.find(request.cursor, caller.scope, now_ms)
        _refuse_changes(request, state, caller)
        rows = authorised(state, request.selected)
        search = _Search(state.options, state.project_ids, caller, now_ms)
        if not rows:
            ended = render.ended_reply(state.step - 1, state.options)
            return ToolReply(ended, step=state.step - 1)
        if state.step == 3:
            return self._details(search, rows)
        timeline = timeline_step(self._library, state.options, rows)
        shown = timeline.entries
        trace = tuple(row.ref for row in rows)
        cursor = self._keep(search, 3, shown, trace) if shown else ""
        text = render.timeline_reply(self._lines(search, shown), search.options, timeline, cursor)
        return ToolReply(text, shown, cursor, 2)

    def _details(self, search: _Search, rows: Sequence[Listed]) -> ToolReply:
        chosen = details_step(self._library, rows)
        entries = tuple(one.entry for one in chosen.details)
        text = render.details_reply(self._lines(search, entries), self._mode, chosen)
        return ToolReply(text, entries, step=3)

    def _auto(self, search: _Search) -> ToolReply:
        rows = self._candidates(search)
        read = worth_reading(rows, search.options.max_details)
        if not read:
            return self._index(search, [row.entry for row in rows], _CHOICE_IS_YOURS)
        chosen_rows = [listed(row.entry) for row in read]
        timeline = timeline_step(self._library, search.options, chosen_rows)
        chosen = details_step(self._library, chosen_rows)
        chosen_refs = {row.ref for row in chosen_rows}
        around = [one for one in timeline.entries if one.ref not in chosen_refs]
        shown = chosen_refs | {one.ref for one in around}
        others = [row.entry for row in rows if row.entry.ref not in shown][:MAX_OTHERS]
        entries = (*(one.entry for one in chosen.details), *others, *around)
        cursor = self._keep(search, 3, entries)
        found = render.Found(chosen, around, others)
        lines = self._lines(search, entries)
        text = render.auto_reply(lines, self._mode, search.options, found, cursor)
        return ToolReply(text, entries, cursor, 3)

    def _candidates(self, search: _Search) -> list[Scored]:
        """Best first; once more without stop words where no title has a word of the query."""
        options, project_ids = search.options, search.project_ids
        own = search.caller.session
        rows = self._scored(options, index_step(self._library, options, project_ids, own))
        fewer = without_stop_words(options.query)
        if any(row.in_title for row in rows) or fewer in ("", options.query):
            return rows
        narrowed = msgspec.structs.replace(options, query=fewer)
        again = index_step(self._library, narrowed, project_ids, own)
        return self._scored(options, again) if again else rows

    def _scored(self, options: Options, entries: Sequence[Entry]) -> list[Scored]:
        found = self._library.details([(one.kind, one.id, one.project_id) for one in entries])
        texts = {one.entry.ref: text_of(one) for one in found}
        return scored(options.query, entries, texts)

    def _lines(self, search: _Search, entries: Sequence[Entry]) -> render.Lines:
        freshness = Freshness()
        found = ((one.ref, freshness.marks(one.files, one.cwd)) for one in entries)
        marks = {ref: mark for ref, mark in found if mark}
        own = search.caller.project.name if search.caller.project is not None else ""
        asked = search.options.project
        return render.Lines(self._mode, own if asked in ("", "*") else asked, marks)

    def _keep(
        self, search: _Search, step: int, entries: Sequence[Entry], trace: tuple[str, ...] = ()
    ) -> str:
        state = State(
            step=step,
            options=search.options,
            project_ids=search.project_ids,
            listed=tuple(listed(entry) for entry in entries),
            trace=trace,
        )
        return self._cursors.keep(state, search.caller.scope, search.now_ms)


def _refuse_changes(request: Continue, state: State, caller: Caller) -> None:
    """Raises ScopeChanged where an option is given again with another value."""
    for name, value in request.repeated.items():
        if state.options.value(name) != value:
            raise ScopeChanged(f"`{name}` is not what this search was begun with.")
    own = state.options.project == "" and state.project_ids is not None
    if own and caller.project_ids and not set(caller.project_ids) & set(state.project_ids or ()):
        raise ScopeChanged("This search was begun in another project.")
