"""The agent's own lists, and the plans of hosts' to-do tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from memfold.records import Json, Session, WorkRow


class WorkLog(Protocol):
    """The agent's own lists: an append-only log and its current values."""

    def append(self, project_id: int, rows: Sequence[WorkRow]) -> None:
        """All rows or none, with synchronous=FULL; current values change in the same
        transaction."""
        ...

    def log(self, project_ids: Sequence[int], list_name: str | None = None) -> tuple[WorkRow, ...]:
        """Every row in append order, for replay and checks."""
        ...

    def current(
        self,
        project_ids: Sequence[int],
        list_name: str | None = None,
        tasks: Sequence[str] | None = None,
    ) -> tuple[WorkCurrent, ...]:
        """Folded values, most recently written list first, items in order of first mention.

        ``tasks``: only these of the named list; an empty one means the list's own state.
        """
        ...

    def open_rows(
        self,
        project_ids: Sequence[int],
        list_name: str | None = None,
        *,
        most: int,
        mirrors: Sequence[str] = (),
    ) -> WorkOpen:
        """What is open, in the order of ``current``: at least the first ``most`` lines and the
        first ``most`` items being done, of ``mirrors`` all.

        Costs what is read, however much is closed. With it come the rows that decide about
        these: the same items of other projects, their blockers, and what is tracked both in one
        of ``mirrors`` and elsewhere.
        """
        ...

    def lists(self, project_ids: Sequence[int]) -> tuple[str, ...]:
        """Names of lists, most recently written first."""
        ...

    def list_names(self, project_id: int) -> tuple[str, ...]:
        """Every list that the project's log or its current values name."""
        ...

    def refold(self, project_id: int) -> None:
        """Make a project's current values again from its log, in one transaction."""
        ...


@dataclass(frozen=True, slots=True)
class WorkCurrent:
    """One item of a list as it stands, or the list's own state where ``task`` is empty."""

    list_name: str
    task: str
    fields: Mapping[str, str | int | float | bool]
    updated_at_ms: int
    project_id: int = 0
    first_entry: int = 0  # the log row that first named it
    last_entry: int = 0  # and the last one
    set_by: Mapping[str, int] = field(default_factory=dict)
    # key -> the log row that last set or cleared it; rows of one store are in one order


@dataclass(frozen=True, slots=True)
class WorkOpen:
    """What is open, as far as it was asked for."""

    rows: tuple[WorkCurrent, ...]
    left_out: int = 0  # open lines that are not among the rows


class PlanLog(Protocol):
    """Calls of the hosts' own to-do tools among the evidence."""

    def new_plans(self) -> NewPlans:
        """Sessions with calls that ``plans_seen`` has not been told of."""
        ...

    def plan_calls(self, session_id: int) -> tuple[Session, tuple[PlanCall, ...]] | None:
        """A session and all calls by which its main agent planned, in order of time; failed
        ones are left out. None when the session is gone."""
        ...

    def at_work(self, host_sessions: Iterable[str], *, since_ms: int) -> frozenset[str]:
        """Those of the sessions, by the host's own id, that have not ended and did something
        since then."""
        ...

    def plans_seen(self, until: int) -> None:
        """Calls up to this one have been looked at."""
        ...


@dataclass(frozen=True, slots=True)
class NewPlans:
    seen: int  # the last call that was looked at before
    newest: int
    session_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanCall:
    """One call of a to-do tool; a later one has a greater id unless it was heard of late."""

    id: int
    tool: str
    input: Json
    response: Json
    at_ms: int
