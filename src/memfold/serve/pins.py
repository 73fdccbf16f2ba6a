"""Pinning an observation by hand: which one is meant, whose it is, and what is pinned."""

from __future__ import annotations

from typing import Any

from memfold.disclose.refs import kind_and_id
from memfold.errors import InvalidInput, NotFound
from memfold.records import Caller, Entry
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
    kind, number = kind_and_id(given, "id")
    if kind != "observation":
        raise InvalidInput(
            f"{given.strip()[:20]} is a {kind}; only observations can be pinned.",
            "Give an id such as 41.",
        )
    entry = library.find("observation", number)
    if entry is None:
        raise NotFound(
            f"There is no observation {number}.",
            "`memfold context` and a search show the ids there are.",
        )
    ids = caller.project_ids
    if entry.project_id not in ids:
        raise NotFound(
            f"Observation {number} belongs to the project {entry.project!r}.",
            "Run the command in a directory of that project, or name it with --project.",
        )
    changed = library.pin(number, ids, at_ms=now_ms) if on else library.unpin(number, ids)
    return {"id": number, "title": entry.title, "changed": changed}


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
