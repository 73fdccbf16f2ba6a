"""Pinning an observation by hand: which one is meant, whose it is, and what is pinned."""

from __future__ import annotations

from typing import Any

from memfold.errors import NotFound
from memfold.records import Caller, Entry
from memfold.serve.own_observation import own_observation
from memfold.store.ports import IndexSource

_MOST_LISTED = 1_000  # merged projects may have more pins than one can


def set_pin(
    library: IndexSource, given: str, caller: Caller, *, on: bool, now_ms: int
) -> dict[str, Any]:
    """Keys: id, title, and changed (False where it was so already).

    Raises InvalidInput (no id of an observation; as many as can be are pinned already), NotFound
    (not there, or another project's).
    """
    _checked(caller)
    entry = own_observation(library, given, caller, "can be pinned")
    ids = caller.project_ids
    changed = library.pin(entry.id, ids, at_ms=now_ms) if on else library.unpin(entry.id, ids)
    return {"id": entry.id, "title": entry.title, "changed": changed}


def listed(library: IndexSource, caller: Caller) -> list[Entry]:
    """All that is pinned, newest first. Raises NotFound where no project is known."""
    _checked(caller)
    return list(library.pinned(caller.project_ids, _MOST_LISTED))


def _checked(caller: Caller) -> None:
    if not caller.project_ids:
        raise NotFound(
            "Nothing is remembered of this directory.",
            "Run the command in a project's directory, or name a project with --project.",
        )
