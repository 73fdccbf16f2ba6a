"""``work_state_write`` and ``work_state_read``: both return the list as it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

from memfold.display import one_line
from memfold.errors import InvalidInput
from memfold.records import Caller, ToolReply, WorkRow
from memfold.store.names import named_project
from memfold.store.ports import ProjectBook, WorkLog
from memfold.store.status import task_of
from memfold.workstate.fold import Fields, WorkList, fold_more
from memfold.workstate.lists import MIRRORS, items_of, lists_of
from memfold.workstate.rules import list_name, refuse_cycle, rows_of
from memfold.workstate.section import lines_in, render_lists

READ_LIMIT_UNITS = 16_000
WRITE_LIMIT_UNITS = 4_000  # of the list as it stands, after each write
_READ_ARGS = {"list", "includeClosed", "project"}
_WRITING = Lock()  # between the look for a cycle and the write, nobody else may make one


def write(
    log: WorkLog,
    caller: Caller,
    args: Mapping[str, Any],
    now_ms: int,
    *,
    projects: ProjectBook | None = None,
    clean: Callable[[Any], tuple[Any, Mapping[str, int]]] | None = None,
) -> ToolReply:
    """Append what the call says, then the list as it stands. A refused write changes nothing.

    Written to the caller's own project, or the one named. ``clean``: takes secrets out of JSON
    and counts them by kind. Raises InvalidInput.
    """
    rows = rows_of(args, now_ms, caller.session)
    secrets = 0
    if clean is not None:  # after the limits were looked at: a call is small here
        safe, counts = clean(dict(args))
        rows, secrets = rows_of(safe, now_ms, caller.session), sum(counts.values())
    target, seen = _where(caller, args, projects)
    name = rows[0].list_name
    with _WRITING:
        refuse_cycle(_around(log, seen, rows))
        log.append(target, rows)
    text = _open_text(log, seen, name, now_ms, WRITE_LIMIT_UNITS)
    count = sum(1 for row in rows if "task" in row.fields)
    what = f"{count} item{'' if count == 1 else 's'}" if count else "state"
    saved = f"Saved {what} in list `{one_line(name, 360)}`."
    if secrets:
        saved += f" {secrets} secret{'' if secrets == 1 else 's'} left out."
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
    if closed:
        current = log.current(seen, name)
        text = render_lists(current, now_ms, closed=True, limit_units=READ_LIMIT_UNITS)
    else:
        text = _open_text(log, seen, name, now_ms, READ_LIMIT_UNITS)
    return ToolReply(text or _nothing(log, seen, name, closed))


def _open_text(
    log: WorkLog, seen: tuple[int, ...], name: str | None, now_ms: int, limit_units: int
) -> str:
    found = log.open_rows(seen, name, most=lines_in(limit_units), mirrors=MIRRORS)
    return render_lists(
        found.rows, now_ms, closed=False, limit_units=limit_units, left_out=found.left_out
    )


def _around(log: WorkLog, seen: tuple[int, ...], rows: Sequence[WorkRow]) -> Mapping[str, Fields]:
    """The items that these rows change, as they will be, and those they wait for.

    A cycle that was not there before goes through one of the changed items, so nothing else of
    the list need be read.
    """
    name = rows[0].list_name
    items: Mapping[str, Fields] = {}
    asked: set[str] = set()
    wanted = {task for row in rows if (task := task_of(row))}
    while wanted:
        there = lists_of(log.current(seen, name, sorted(wanted)))
        asked |= wanted
        found = dict(items_of(there[0])) if there else {}
        changing = [row for row in rows if task_of(row) in wanted]
        found = {**fold_more(WorkList(items=found), changing).items}
        items = {**items, **found}
        wanted = {str(new["blocked_by"]) for new in found.values() if "blocked_by" in new} - asked
    return items


def _nothing(log: WorkLog, seen: tuple[int, ...], name: str | None, closed: bool) -> str:
    names = log.lists(seen)
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
