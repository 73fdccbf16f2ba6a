"""What was taken from a repository's history, and from other memories."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from memfold.records import Draft

HISTORY_HOST = "git"  # of the session that history is filed under, one a project
FORGOTTEN = "forgotten"  # why a commit taught nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitLooked:
    """One commit and what it came to."""

    id: str
    subject: str  # its first line
    trace: bytes  # of when it was written and its first line
    change_trace: bytes  # of when it was written and what it changed
    draft: Draft | None = None
    reason: str = ""  # why there is no draft
    reverts: str = ""  # id, or its beginning, of the commit it takes back
    reverted_subject: str = ""  # that commit's first line, where no id is given


@dataclass(frozen=True, slots=True)
class CommitsTaken:
    """What one run of commits added."""

    observations: int = 0  # new ones
    met_again: int = 0  # that say what an observation said already
    rewritten: int = 0  # known under another id
    superseded: int = 0  # observations that these commits took back
    known: int = 0  # looked at before
    left_out: tuple[str, ...] = ()  # a reason for each that taught nothing


class CommitBook(Protocol):
    """Which commits were looked at."""

    def known_commits(self, project_id: int, ids: Sequence[str]) -> Collection[str]:
        """Those of ``ids`` that were looked at for this project."""
        ...

    def git_head(self, project_id: int) -> str:
        """The commit up to which all was looked at; '' where history was never imported."""
        ...

    def set_git_head(self, project_id: int, commit_id: str) -> None: ...

    def take_commits(
        self, project_id: int, checkout: str, looked: Sequence[CommitLooked]
    ) -> CommitsTaken:
        """Remember commits and store their observations, oldest first, in one transaction.

        One that was looked at changes nothing. One that is known under another id (written at the
        same moment with the same first line, or with the same change) gets no second observation.
        One whose title an observation of the project has is linked to that. A revert marks the
        observation of what it takes back as superseded.
        """
        ...
