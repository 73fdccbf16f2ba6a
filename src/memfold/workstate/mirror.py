"""The host's own to-do tool, kept as a list of that name, so open items survive the session.

Only the last plan of a project counts, a host at a time: when a session plans, what sessions
that are over had left open is dropped. Sessions at work beside it keep theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from memfold.records import WorkRow
from memfold.store.ports import WorkCurrent
from memfold.store.status import is_closed
from memfold.workstate.fold import Fields, Scalar
from memfold.workstate.plan import PLANS, Plan, Step

FAMILIES = (  # lists of one host
    ("TodoWrite", "TaskCreate"),
    ("update_plan",),
    ("todowrite",),
    ("todo_write",),
    ("write_todos",),
    ("manage_todo_list",),
)
_Known = dict[tuple[str, str], dict[str, Scalar]]  # list, task -> fields


def mirrored_rows(
    plans: Iterable[Plan], current: Sequence[WorkCurrent], *, seen: int, alive: Set[str]
) -> tuple[WorkRow, ...]:
    """Rows that bring a project's mirror lists up to date with these plans.

    ``plans``: of sessions with new calls. ``current``: the mirror lists as they stand, closed
    items too. ``seen``: the last call that was mirrored before; what only earlier calls said is
    left as it stands, so that a value the agent wrote itself holds. ``alive``: sessions still at
    work. Of sessions that are over, as an import brings them, only the last plan is taken, and
    only when the list holds no later one. Pure.
    """
    rows: list[WorkRow] = []
    given = list(plans)
    for family in FAMILIES:
        known: _Known = {
            (row.list_name, row.task): dict(row.fields)
            for row in current
            if row.list_name in family and row.task
        }
        for plan in _that_count(given, family, current, alive):
            for row in _rows(plan, family, known, seen, alive):
                _apply(known, row)
                rows.append(row)
    return tuple(rows)


def _that_count(
    plans: Sequence[Plan], family: Sequence[str], current: Sequence[WorkCurrent], alive: Set[str]
) -> list[Plan]:
    """Those at work and the last one of the others, oldest first."""
    ours = [plan for plan in plans if any(plan.lists.get(name) for name in family)]
    at_work = [plan for plan in ours if plan.session in alive]
    over = [plan for plan in ours if plan.session not in alive]
    last = max(over, key=lambda plan: (plan.at_ms, plan.session), default=None)
    if last is not None:
        others = (
            row.updated_at_ms
            for row in current
            if row.list_name in family
            and row.fields.get("host_session") not in {None, last.session}
        )
        if last.at_ms >= max(others, default=last.at_ms):
            at_work.append(last)
    return sorted(at_work, key=lambda plan: (plan.at_ms, plan.session))


def _rows(
    plan: Plan, family: Sequence[str], known: _Known, seen: int, alive: Set[str]
) -> list[WorkRow]:
    def row(name: str, task: str, at_ms: int, fields: Mapping[str, Scalar | None]) -> WorkRow:
        return WorkRow(name, {"task": task, **fields}, at_ms, plan.session)

    rows: list[WorkRow] = []
    planned: set[tuple[str, str]] = set()
    for name in family:
        for task, step in plan.lists.get(name, {}).items():
            planned.add((name, task))
            was = known.get((name, task))
            if was is None and step.status == "dropped":
                continue  # it came and went between two looks
            new = _fields(plan.session, step, was or {})
            if step.call > seen and (was is None or any(was.get(k) != v for k, v in new.items())):
                rows.append(row(name, task, step.at_ms, new))
    for (name, task), was in known.items():
        owner = was.get("host_session")
        if owner is None or is_closed(was) or (name, task) in planned:
            continue  # the agent wrote it here itself, or it is settled
        left_out = owner == plan.session and name in PLANS and plan.lists.get(name)
        if left_out or (owner != plan.session and owner not in alive):
            rows.append(row(name, task, plan.at_ms, {"status": "dropped"}))
    return rows


def _fields(session: str, step: Step, was: Fields) -> dict[str, Scalar | None]:
    fields: dict[str, Scalar | None] = {"status": step.status, "host_session": session}
    if step.blocked_by:
        fields["blocked_by"] = step.blocked_by
    elif "blocked_by" in was and was.get("host_session") != session:
        fields["blocked_by"] = None  # that was another plan's
    return fields


def _apply(known: _Known, row: WorkRow) -> None:
    fields = known.setdefault((row.list_name, str(row.fields["task"])), {})
    for key, value in row.fields.items():
        fields.pop(key, None)
        if key != "task" and value is not None:
            fields[key] = value
