"""``work_state_write`` and ``work_state_read``: both return the list as it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memfold.display import one_line
from memfold.errors import InvalidInput
from memfold.records import Caller, ToolReply
from memfold.store.names import named_project
from memfold.store.ports import ProjectBook, WorkLog
from memfold.workstate.fold import WorkList, fold_more
from memfold.workstate.lists import items_of, lists_of
from memfold.workstate.rules import list_name, refuse_cycle, rows_of
from memfold.workstate.section import render_lists

READ_LIMIT_UNITS = 16_000
WRITE_LIMIT_UNITS = 4_000  # of the list as it stands, after each write
_READ_ARGS = {"list", "includeClosed", "project"}


def write(
    log: WorkLog,
    caller: Caller,
    args: Mapping[str, Any],
    now_ms: int,
    *,
    projects: ProjectBook | None = None,
) -> ToolReply:
    """Append what the call says, then the list as it stands. A refused write changes nothing.

    Written to the caller's own project, or the one named. Raises InvalidInput.
    """
    rows = rows_of(args, now_ms, caller.session)
    target, seen = _where(caller, args, projects)
    name = rows[0].list_name
    there = lists_of(log.current(seen, name))
    before = WorkList(items=items_of(there[0])) if there else WorkList()
    refuse_cycle(fold_more(before, rows).items)
    log.append(target, rows)
    text = render_lists(
        log.current(seen, name), now_ms, closed=False, limit_units=WRITE_LIMIT_UNITS
    )
    count = sum(1 for row in rows if "task" in row.fields)
    what = f"{count} item{'' if count == 1 else 's'}" if count else "state"
    saved = f"Saved {what} in list `{one_line(name, 360)}`."
    return ToolReply(f"{saved}\n{text or 'Nothing in it is open.'}")


def read(
    log: WorkLog,
    caller: Caller,
    args: Mapping[str, Any],
    now_ms: int,
    *,
    projects: ProjectBook | None = None,
) -> ToolReply:
    """The lists, or one, as they stand; closed items on request."""
    unknown = sorted(set(args) - _READ_ARGS)
    if unknown:
        raise InvalidInput(
            f"work_state_read has no argument `{unknown[0]}`.",
            "It takes `list`, `includeClosed` and `project`.",
        )
    closed = args.get("includeClosed", False)
    if not isinstance(closed, bool):
        raise InvalidInput("`includeClosed` must be true or false.")
    name = list_name(args["list"]) if args.get("list") is not None else None
    _, seen = _where(caller, args, projects)
    text = render_lists(
        log.current(seen, name), now_ms, closed=closed, limit_units=READ_LIMIT_UNITS
    )
    return ToolReply(text or _nothing(log, seen, name, closed))


def _nothing(log: WorkLog, seen: tuple[int, ...], name: str | None, closed: bool) -> str:
    names = [view.name for view in lists_of(log.current(seen))]
    if not names:
        return "No list has been written for this project yet."
    if name is not None and name not in names:
        known = ", ".join(f"`{one_line(one, 360)}`" for one in names[:10])
        return f"There is no list `{one_line(name, 360)}`. Lists: {known}."
    return "Nothing is open." + ("" if closed else " `includeClosed: true` shows closed items.")


def _where(
    caller: Caller, args: Mapping[str, Any], projects: ProjectBook | None
) -> tuple[int, tuple[int, ...]]:
    """(project that is written to, projects that are read)."""
    name = args.get("project")
    if name is not None and not isinstance(name, str):
        raise InvalidInput("`project` must be a project's name.")
    if name and projects is not None and (caller.project is None or caller.project.name != name):
        found = named_project(projects, name)
        return found.id, (found.id,)
    if caller.project is None:
        raise InvalidInput("It is not known which project this is.", "Pass `project`.")
    return caller.project.id, caller.project_ids or (caller.project.id,)
