"""Which projects a ``project`` argument means, for every tool that takes one."""

from __future__ import annotations

import difflib

from memfold.errors import InvalidInput
from memfold.records import Caller, Project
from memfold.store.ports import ProjectBook

_SHOWN = 8  # names in a refusal


def named_project(projects: ProjectBook, name: str) -> Project:
    """The project of that name. Raises InvalidInput that names some there are."""
    found = projects.by_name(name)
    if found is not None:
        return found
    known = [count.project.name for count in projects.all_projects()]
    near = difflib.get_close_matches(name, known, _SHOWN, 0.5)
    names = list(dict.fromkeys([*near, *known]))[:_SHOWN]
    said = ", ".join(f"`{one}`" for one in names)
    raise InvalidInput(
        f"There is no project {name[:80]!r}.",
        f"Known are {said}." if said else "Nothing is stored yet.",
    )


def seen_projects(projects: ProjectBook, caller: Caller, name: str) -> tuple[int, ...] | None:
    """Ids of what ``name`` means to this caller: empty = its own, ``*`` = None, all in scope."""
    if name == "*":
        return None
    return (named_project(projects, name).id,) if name else caller.project_ids
