"""How what a person wants gone goes, and stays gone."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Protocol

FOREVER_MS = 1 << 62


@dataclass(frozen=True, slots=True)
class Scope:
    """What is to be forgotten: all that fits every one of the first five, or just these ids."""

    project_ids: tuple[int, ...] = ()  # empty: any
    session: str = ""  # the host's own id; empty: any
    since_ms: int = 0
    until_ms: int = FOREVER_MS
    text: str = ""  # holds this, whatever the case of its letters; empty: any
    observations: tuple[int, ...] = ()
    summaries: tuple[int, ...] = ()
    prompts: tuple[int, ...] = ()
    tool_uses: tuple[int, ...] = ()

    @property
    def by_id(self) -> bool:
        return bool(self.observations or self.summaries or self.prompts or self.tool_uses)

    @property
    def timed(self) -> bool:
        return self.since_ms > 0 or self.until_ms < FOREVER_MS

    @property
    def narrow(self) -> bool:
        """Whether some of a project or a session stays."""
        return self.by_id or self.timed or bool(self.text)


@dataclass(frozen=True, slots=True)
class ForgetCount:
    """Rows that go or went."""

    projects: int = 0
    sessions: int = 0
    prompts: int = 0
    replies: int = 0
    tool_uses: int = 0
    observations: int = 0
    summaries: int = 0
    work_entries: int = 0
    gate_decisions: int = 0
    commits: int = 0  # that held the text in their first line alone

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))


class Forgetting(Protocol):
    """Removal for good. What is forgotten is not stored again, whoever sends it."""

    def forget(self, scope: Scope, at_ms: int, *, dry_run: bool) -> ForgetCount:
        """Remove what fits, and what was learned from it, in one transaction; or count it.

        An observation goes that fits itself, that rests on forgotten evidence of its own session
        (by id: on nothing else), or that was learned in a turn of which a reply is forgotten for
        its text. The summary of a session that lost something goes. ``at_ms``: now; what is
        captured later is not touched.
        """
        ...

    def sweep(self) -> int:
        """Rewrite the file so that no byte of what was forgotten is left; its size after that.

        Takes as long as copying the file. Writes wait meanwhile.
        """
        ...

    def is_unswept(self) -> bool:
        """Whether something was forgotten since the last sweep."""
        ...
