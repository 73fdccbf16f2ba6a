"""How raw evidence goes when it has had its time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


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
