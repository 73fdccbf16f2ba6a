"""What the gate decided, and what is known of one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memfold.store.needs.library import Touched

MOST_DECISIONS = 5_000  # that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One answer of the gate."""

    host: str
    session: str
    project_id: int
    path: str
    size: int  # bytes of the file
    kind: str  # allow, context, block
    reason: str
    newest: int = 0  # id of the newest observation about the file
    saved_tokens: int = 0  # estimated; negative where it costs
    at_ms: int


@dataclass(frozen=True, slots=True)
class DecisionCount:
    """How often, by kind and reason, and the tokens that it came to."""

    kind: str
    reason: str
    count: int
    saved_tokens: int


class GateLog(Protocol):
    """The log of the gate's decisions."""

    def put_decision(self, decision: Decision) -> None:
        """Keep it; the oldest go when there are more than MOST_DECISIONS."""
        ...

    def last_told(self, host: str, session: str, path: str) -> Decision | None:
        """The newest decision about that file in that session that said something."""
        ...

    def decisions(self, limit: int) -> tuple[Decision, ...]:
        """Newest first."""
        ...

    def decision_counts(self, since_ms: int) -> tuple[DecisionCount, ...]:
        """By kind and reason, the most frequent first."""
        ...

    def naming(
        self, project_ids: Sequence[int], name: str, newest: int, limit: int
    ) -> tuple[Touched, ...]:
        """Of each project's ``newest`` observations those that name a file of that name.

        ``name``: the last part of its path. Newest first, at most ``limit``.
        """
        ...
