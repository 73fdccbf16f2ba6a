"""The observation that a person names by its number, where it is theirs to see."""

from __future__ import annotations

from typing import Protocol

from memfold.disclose.refs import kind_and_id
from memfold.errors import InvalidInput, NotFound
from memfold.records import Caller, Entry, Kind


class Finds(Protocol):
    def find(self, kind: Kind, entry_id: int) -> Entry | None: ...


def own_observation(library: Finds, given: str, caller: Caller, only: str) -> Entry:
    """The entry. ``only``: what observations alone can, for the refusal: ``can be pinned``.

    Raises InvalidInput (no id of an observation), NotFound (not there, or another project's).
    """
    kind, number = kind_and_id(given, "id")
    if kind != "observation":
        raise InvalidInput(
            f"{given.strip()[:20]} is a {kind}; only observations {only}.",
            "Give an id such as 41.",
        )
    entry = library.find("observation", number)
    if entry is None:
        raise NotFound(
            f"There is no observation {number}.",
            "`memfold context` and a search show the ids there are.",
        )
    if entry.project_id not in caller.project_ids:
        raise NotFound(
            f"Observation {number} belongs to the project {entry.project!r}.",
            "Run the command in a directory of that project, or name it with --project.",
        )
    return entry
