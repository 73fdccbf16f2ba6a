"""What may be shown, and how it is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memfold.records import CommitRef, Details, Entry, Kind, SearchFilters, ToolUse


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

    def commits_of(
        self, observation_ids: Sequence[int], project_ids: Sequence[int] | None
    ) -> tuple[tuple[int, tuple[CommitRef, ...]], ...]:
        """(observation id, the commits behind it, newest first) for those that have any and that
        the projects own. Several are one commit that was rewritten, or several that say the same.
        """
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


MOST_PINS = 20  # of one project: they stand in every index


class PinBoard(Protocol):
    """What a person keeps at the top of the startup index."""

    def pin(self, observation_id: int, project_ids: Sequence[int], *, at_ms: int) -> bool:
        """False where it was pinned already.

        Raises NotFound where these projects own no such observation, InvalidInput where its
        project has MOST_PINS. Projects that were merged may have more between them.
        """
        ...

    def unpin(self, observation_id: int, project_ids: Sequence[int]) -> bool:
        """False where it was not pinned. Raises NotFound as ``pin`` does."""
        ...

    def pinned(self, project_ids: Sequence[int], limit: int) -> tuple[Entry, ...]:
        """The newest observations that are pinned, newest first."""
        ...


class IndexSource(Library, PinBoard, Protocol):
    """All that the startup index is made from."""

    def last_reply(
        self, project_ids: Sequence[int], *, host: str, session: str, most_chars: int
    ) -> str:
        """What the main agent said last in the most recent session but this one; "" if nothing.

        Sessions in which nothing was said are passed over, up to 50 of a project.
        """
        ...


MOST_GIVEN = 512  # sessions


class GivenContexts(Protocol):
    """What sessions were shown when they began, for a resume that must not differ by a byte."""

    def given_context(
        self, host: str, session: str, project_ids: Sequence[int], version: int
    ) -> str | None:
        """The text, if it was given for these projects at this version of their memory."""
        ...

    def put_given_context(
        self, host: str, session: str, project_ids: Sequence[int], version: int, text: str
    ) -> None:
        """Keep it instead of what the session had. The newest MOST_GIVEN sessions are kept.

        What a private turn may have taught is in none of them: when one is heard of, all go.
        """
        ...


@dataclass(frozen=True, slots=True)
class Touched:
    """An observation and the files it names: changed in ``entry.files``, the others here.

    Paths are absolute, or relative to ``entry.cwd``.
    """

    entry: Entry
    files_read: tuple[str, ...] = ()


class Embedder(Protocol):
    """Texts as vectors. Safe to call from any thread."""

    name: str  # of the model: vectors of another one are not compared

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """For each text float32 little endian, always as many, of length 1 (0 if it says nothing).

        Never fails on a text, however odd.
        """
        ...


class Meaning(Protocol):
    """Search by meaning, where an embedder is installed."""

    def embed_waiting(self, limit: int) -> int:
        """Give vectors to up to ``limit`` entries that lack them, newest first; how many got
        theirs. 0 without an embedder."""
        ...


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
