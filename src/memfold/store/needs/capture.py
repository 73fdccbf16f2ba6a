"""What arrives, and what is made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memfold.records import (
    Alias,
    Digest,
    Draft,
    Event,
    IngestCount,
    Observation,
    Project,
    Session,
    Summary,
    SummaryDraft,
    Turn,
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

    def has_tool_use(self, host: str, host_session: str, key: str) -> bool:
        """Whether the session has a tool use of this key now; one that was retired does not count.

        For hosts whose hooks give no id of a call, so that its transcript is recognised.
        """
        ...

    def recent_transcripts(self, since_ms: int, limit: int) -> tuple[Session, ...]:
        """Sessions heard of since then whose host named a transcript; the last heard first."""
        ...

    def is_forgotten(
        self, host: str, host_session: str, directories: Sequence[str], at_ms: int
    ) -> bool:
        """Whether a session, or the project of one of these directories, was forgotten up to a
        moment at or after ``at_ms``."""
        ...

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

    def record(
        self,
        turn: Turn,
        drafts: Sequence[Draft],
        *,
        at_ms: int,
        taken_back: Sequence[Sequence[int]] = (),
    ) -> tuple[Observation, ...]:
        """Store what a turn taught and mark its tool uses observed, in one transaction.

        ``taken_back``: for each draft, in order, the observations that it supersedes; one that
        the turn itself met again, or that is gone, is left as it is.

        A draft whose title equals (ignoring case and blanks) that of an observation of the same
        project and type strengthens that one (seen_count, evidence links) instead.
        """
        ...

    def digest(self, session_id: int) -> Digest: ...

    def put_summary(self, session_id: int, draft: SummaryDraft) -> Summary:
        """One row per session: made, then updated. Its id never changes."""
        ...

    def sessions_to_summarise(self) -> tuple[int, ...]:
        """Sessions with prompts and observations that have no summary, or one older than what
        our own observer has made since: the process ended between the two."""
        ...

    def note(self, project_id: int, host: str, session: str, draft: Draft) -> Observation:
        """An observation that an agent or a person wrote down, with synchronous=FULL.

        Filed under that session, which is made where it was not heard of yet. The same title, type
        and text once more strengthens the one that is there; another text is another observation.
        """
        ...

    def supersede(self, older_id: int, newer_id: int) -> bool:
        """Mark an observation as overtaken by another one of its project; both stay.

        False where it was so marked before, or where the newer one is itself overtaken by the
        older. Raises NotFound where they are not two observations of one project.
        """
        ...

    def existing_titles(self, project_id: int, limit: int) -> tuple[str, ...]:
        """Titles of the newest observations, to recognise what is known."""
        ...
