"""What is taken over from another memory, whose ids stay good as aliases."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from memfold.records import Draft, Kind, PromptGiven, SummaryDraft, ToolUsed, WorkRow

OtherKind = Literal["observation", "summary", "prompt", "tool_use", "work"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherSession:
    """One session of another memory, with its ids there beside each thing."""

    host: str
    session: str  # the host's own id
    cwd: str = ""
    at_ms: int = 0  # when it began
    prompts: Sequence[tuple[int, PromptGiven]] = ()
    tool_uses: Sequence[tuple[int, ToolUsed]] = ()
    observations: Sequence[tuple[int, Draft, Sequence[str]]] = ()  # with keys of its tool uses
    summaries: Sequence[int] = ()  # all are ``summary`` here
    summary: SummaryDraft | None = None


@dataclass(frozen=True, slots=True)
class TakenOver:
    """How many of each kind were stored, and how many were there before or say what is there."""

    stored: Mapping[OtherKind, int] = field(default_factory=dict)
    known: Mapping[OtherKind, int] = field(default_factory=dict)
    forgotten: Mapping[OtherKind, int] = field(default_factory=dict)  # stay away


class Takeover(Protocol):
    """The way in for another memory's entries, each taken once."""

    def other_memory(self, fingerprint: str) -> int:
        """The number of that memory here: 1 for the first, 2 for the next. Made where new."""
        ...

    def known_there(self, memory: int, kind: OtherKind, ids: Sequence[int]) -> Collection[int]:
        """Those of its ids that were taken in."""
        ...

    def take_over(
        self, memory: int, project_id: int, session: OtherSession, *, at_ms: int
    ) -> TakenOver:
        """Store a session's entries in one transaction, each with its alias.

        What was taken in changes nothing, and what was forgotten stays away. An observation with
        title, type and text of one that the project has is that one. Prompts and tool uses that
        were captured are known as always. Tool uses count as observed. A session that has a
        summary keeps its own.
        """
        ...

    def take_over_work(
        self, memory: int, project_id: int, rows: Sequence[tuple[int, WorkRow]]
    ) -> TakenOver:
        """Append rows of work state in order, each once."""
        ...

    def entry_of_alias(self, memory: int, kind: Kind, other_id: int) -> int | None:
        """The id here of what had that id there."""
        ...
