"""What each step may list: rows authorised by the step before, and only those."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memfold.disclose.search.cursor import Listed, State
from memfold.disclose.search.request import Options
from memfold.errors import InvalidInput, InvalidSelection
from memfold.records import Details, Entry
from memfold.store.ports import Library

MAX_TIMELINE = 35


_OWN = 5  # so many of the caller's own prompts may be left out of a full page


@dataclass(frozen=True, slots=True)
class Timeline:
    entries: tuple[Entry, ...]  # oldest first
    chosen: frozenset[str]  # refs that were asked for
    gone: tuple[str, ...] = ()  # refs deleted or moved since they were listed


@dataclass(frozen=True, slots=True)
class Chosen:
    details: tuple[Details, ...]  # in the order asked
    gone: tuple[str, ...] = ()


def index_step(
    library: Library, options: Options, project_ids: tuple[int, ...] | None, session: str = ""
) -> tuple[Entry, ...]:
    """Step 1: matching entries, best first; prompts of ``session``, the caller's own, left out.

    The agent has those in front of it, and the question it was asked always matches itself.
    """
    found = library.search(project_ids, options.query, options.limit + _OWN, options.filters)
    others = [one for one in found if not (session and one.session == session and _is_prompt(one))]
    return tuple(others[: options.limit])


def _is_prompt(entry: Entry) -> bool:
    return entry.kind == "prompt"


def authorised(state: State, selected: Sequence[str]) -> tuple[Listed, ...]:
    """The chosen rows. Raises InvalidSelection for what the last step did not list."""
    if len(selected) > state.options.max_details:
        raise InvalidInput(
            f"`selectedIds` holds {len(selected)} ids.",
            f"Choose at most {state.options.max_details} (`maxDetails`).",
        )
    rows = {row.ref: row for row in state.listed}
    missing = [ref for ref in selected if ref not in rows]
    if missing:
        raise InvalidSelection(f"The last reply did not show {_shown(missing)}.")
    if state.step == 3:
        prompts = [ref for ref in selected if rows[ref].kind == "prompt"]
        if prompts:
            raise InvalidSelection(
                f"{_shown(prompts)} is a prompt: it gives context only.",
                "Choose observations or summaries from the last reply.",
            )
    return tuple(rows[ref] for ref in selected)


def timeline_step(library: Library, options: Options, rows: Sequence[Listed]) -> Timeline:
    """Step 2: what happened around the chosen rows, in their own projects."""
    found: dict[str, Entry] = {}
    neighbours: dict[str, Entry] = {}
    gone: list[str] = []
    for row in rows:
        entry = library.find(row.kind, row.id)
        if entry is None or entry.project_id != row.project_id:
            gone.append(row.ref)
            continue
        found[entry.ref] = entry
        for near in library.around(entry, options.depth_before, options.depth_after):
            if near.project_id == entry.project_id:
                neighbours[near.ref] = near
    room = MAX_TIMELINE - len(found)
    rest = [entry for ref, entry in neighbours.items() if ref not in found][:room]
    ordered = sorted([*found.values(), *rest], key=lambda one: (one.at_ms, one.kind, one.id))
    return Timeline(tuple(ordered), frozenset(found), tuple(gone))


def details_step(library: Library, rows: Sequence[Listed]) -> Chosen:
    """Step 3: full text, by id and project and kind."""
    found = library.details([(row.kind, row.id, row.project_id) for row in rows])
    allowed = {(row.kind, row.id, row.project_id) for row in rows}
    kept = tuple(
        one for one in found if (one.entry.kind, one.entry.id, one.entry.project_id) in allowed
    )
    there = {one.entry.ref for one in kept}
    return Chosen(kept, tuple(row.ref for row in rows if row.ref not in there))


def _shown(refs: Sequence[str]) -> str:
    return ", ".join(repr(ref[:20]) for ref in refs[:5])
