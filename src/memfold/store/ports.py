"""What the rooms need of a store, one small Protocol a need.

Methods block until done; a method that writes returns after the commit. All are safe to call
from any thread. Domain words only: no SQL and no driver types cross these lines. Failures are
``errors.StoreError`` and its children. ``tests/contract`` runs the same promises on every store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from memfold.records import (
    Alias,
    Details,
    Digest,
    Draft,
    Entry,
    Event,
    IngestCount,
    Json,
    Kind,
    Observation,
    Project,
    SearchFilters,
    Session,
    Summary,
    SummaryDraft,
    ToolUse,
    Turn,
    WorkRow,
)


class ProjectBook(Protocol):
    """Which project a checkout belongs to."""

    def by_alias(self, alias: Alias) -> Project | None:
        """The project known by this trace, merged projects resolved to the one that remains."""
        ...

    def aliases(self, project_id: int) -> tuple[Alias, ...]: ...

    def create(self, name: str, aliases: Sequence[Alias]) -> Project:
        """A new project; its name gets a number where taken.

        If another writer has the first alias by now, that project is returned instead. Of the
        others, those that are owned stay where they are.
        """
        ...

    def add_aliases(self, project_id: int, aliases: Sequence[Alias]) -> None:
        """Remember more traces. One that another project owns stays with that project."""
        ...

    def move_alias(self, alias: Alias, project_id: int) -> None:
        """Give a trace to another project (a directory that now holds other code)."""
        ...

    def all_projects(self) -> tuple[ProjectCount, ...]:
        """Every project with its counts, most recently used first."""
        ...

    def by_name(self, name: str) -> Project | None: ...

    def rename(self, project_id: int, name: str) -> Project:
        """Raises InvalidInput when the name is taken or empty."""
        ...

    def merge(self, source_ids: Sequence[int], target_id: int) -> Project:
        """Everything of the sources becomes the target's, aliases included."""
        ...


@dataclass(frozen=True, slots=True)
class ProjectCount:
    project: Project
    aliases: tuple[Alias, ...]
    sessions: int
    tool_uses: int
    observations: int
    last_at_ms: int


class EvidenceLog(Protocol):
    """Events as they arrive, kept once however often they are sent."""

    def ingest(self, project_id: int, events: Sequence[Event]) -> IngestCount:
        """Store a run of events of one project, in one transaction, idempotent.

        Sessions are made on first sight. A tool use is known by (session, key); a prompt by its
        key, or where either side has none by the same text within 10 s; a reply by its text.
        One that was retired is known too, and stays away.
        A known tool use that lacks work_tokens gets them. Events are attached to the session's
        turn by time. A turn whose prompt is private keeps nothing.
        """
        ...

    def session(self, host: str, host_session: str) -> Session | None: ...

    def import_offset(self, path: str) -> tuple[int, str]:
        """(bytes of this transcript taken so far, fingerprint of its start); (0, "") if none."""
        ...

    def set_import_offset(self, path: str, offset: int, fingerprint: str) -> None: ...

    def counts(self) -> StoreCount: ...


@dataclass(frozen=True, slots=True)
class StoreCount:
    projects: int
    sessions: int
    prompts: int
    tool_uses: int
    waiting: int  # tool uses not yet observed
    observations: int
    summaries: int
    last_event: Mapping[str, int]  # host -> at_ms
    bytes_on_disk: int


class ObserverDesk(Protocol):
    """The observer's work: a query over what is stored, so a crash loses nothing."""

    def next_turn(self, *, idle_before_ms: int, session_id: int | None = None) -> Turn | None:
        """The oldest closed turn with tool uses not yet observed, or a prompt-only closed turn
        whose replies were not yet looked at.

        Closed: the agent stopped, a later prompt came, the session ended, or nothing has
        happened in it since ``idle_before_ms``.
        """
        ...

    def record(self, turn: Turn, drafts: Sequence[Draft], *, at_ms: int) -> tuple[Observation, ...]:
        """Store what a turn taught and mark its tool uses observed, in one transaction.

        A draft whose title equals (ignoring case and blanks) that of an observation of the same
        project and type strengthens that one (seen_count, evidence links) instead.
        """
        ...

    def digest(self, session_id: int) -> Digest: ...

    def put_summary(self, session_id: int, draft: SummaryDraft) -> Summary:
        """One row per session: made, then updated. Its id never changes."""
        ...

    def existing_titles(self, project_id: int, limit: int) -> tuple[str, ...]:
        """Titles of the newest observations, to recognise what is known."""
        ...


class Library(Protocol):
    """What may be shown, always within a scope and projects."""

    def recent(
        self,
        project_ids: Sequence[int],
        kind: Kind,
        limit: int,
        *,
        types: Sequence[str] = (),
        concepts: Sequence[str] = (),
    ) -> tuple[Entry, ...]:
        """Newest first."""
        ...

    def touched(
        self,
        project_ids: Sequence[int],
        newest: int,
        *,
        types: Sequence[str] = (),
        concepts: Sequence[str] = (),
    ) -> tuple[Touched, ...]:
        """Of each project's ``newest`` observations those that name files, newest first."""
        ...

    def totals(self, project_ids: Sequence[int]) -> tuple[int, int, int]:
        """(observations, read tokens, work tokens) of everything stored."""
        ...

    def search(
        self,
        project_ids: Sequence[int] | None,
        query: str,
        limit: int,
        filters: SearchFilters = SearchFilters(),  # noqa: B008  # frozen, so shared safely
    ) -> tuple[Entry, ...]:
        """Best first, all kinds. None = all projects in scope. Any text is a valid query."""
        ...

    def around(self, entry: Entry, before: int, after: int) -> tuple[Entry, ...]:
        """Entries just before and after it in its project, oldest first, itself included."""
        ...

    def details(self, refs: Sequence[tuple[Kind, int, int]]) -> tuple[Details, ...]:
        """(kind, id, project id) -> full entries, in that order; what is gone is left out."""
        ...

    def find(self, kind: Kind, entry_id: int) -> Entry | None: ...

    def tool_uses(
        self, ids: Sequence[int], project_ids: Sequence[int] | None
    ) -> tuple[ToolUse, ...]:
        """In the order asked; others' and missing ones are left out."""
        ...

    def evidence_of(
        self, observation_ids: Sequence[int], project_ids: Sequence[int] | None
    ) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """(observation id, its tool use ids) for those the projects own."""
        ...

    def observations_from(
        self, tool_use_ids: Sequence[int], project_ids: Sequence[int] | None
    ) -> Mapping[int, tuple[int, ...]]:
        """Tool use id -> ids of the observations made from it that the projects own, ascending.

        Tool uses that taught nothing are left out.
        """
        ...

    def version(self, project_ids: Sequence[int]) -> int:
        """A number that changes whenever what these projects show may have changed."""
        ...


@dataclass(frozen=True, slots=True)
class Touched:
    """An observation and the files it names: changed in ``entry.files``, the others here.

    Paths are absolute, or relative to ``entry.cwd``.
    """

    entry: Entry
    files_read: tuple[str, ...] = ()


class Retention(Protocol):
    """Raw evidence that has had its time. Observations, prompts and replies are never touched."""

    def evidence_span(self) -> tuple[int, int] | None:
        """Moments (ms) when the oldest and the newest kept tool uses were observed; None if none
        was."""
        ...

    def retirable(self, before_ms: int) -> RetentionCount:
        """What ``retire`` with no limit would remove: tool uses observed before that moment.

        One that waits for the observer never is, nor the one stored last, whose id must not be
        given again.
        """
        ...

    def retire(self, before_ms: int, limit: int) -> RetentionCount:
        """Remove the oldest of these, up to ``limit`` tool uses or 16 MiB, in one transaction.

        What went; call again until that is nothing. Their observations then say that evidence was
        retired. A retired tool use is known from then on: it is not stored again.
        """
        ...

    def give_back(self, most_bytes: int) -> int:
        """Give space that nothing uses to the file system: the bytes given back, 0 for none.

        An eighth of the store stays free for what comes next.
        """
        ...

    def retention_ran_at_ms(self) -> int | None:
        """What ``note_retention`` was last told; None before."""
        ...

    def note_retention(self, at_ms: int) -> None:
        """A daily run begins."""
        ...


@dataclass(frozen=True, slots=True)
class ProjectShare:
    project: str
    tool_uses: int
    bytes: int


@dataclass(frozen=True, slots=True)
class RetentionCount:
    """Tool uses that go or went."""

    tool_uses: int = 0
    bytes: int = 0  # of their inputs and responses, as stored
    oldest_at_ms: int | None = None  # when the oldest was observed
    projects: tuple[ProjectShare, ...] = ()  # most tool uses first


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


class CursorStore(Protocol):
    """Where the state of a search waits between steps."""

    def put(self, key: bytes, record: bytes, *, expires_at_ms: int, now_ms: int) -> None:
        """Keep ``record`` until then. Oldest out first over 1,024 records or 8 MiB."""
        ...

    def get(self, key: bytes, *, now_ms: int) -> CursorHit:
        """Reading does not use it up."""
        ...


@dataclass(frozen=True, slots=True)
class CursorHit:
    record: bytes | None  # None: unknown or expired
    expired: bool = False  # known, but its time is over


class Store(ProjectBook, EvidenceLog, ObserverDesk, Library, Retention, WorkLog, PlanLog, Protocol):
    """Everything a single store offers; rooms ask for the small ports above."""

    def close(self) -> None: ...
