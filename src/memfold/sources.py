"""`memfold import git|claude-mem`: what was asked for, checked, and who takes it in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfold.backlog import now_ms
from memfold.claude_mem import ClaudeMemImport
from memfold.disclose.search.dates import moment_ms
from memfold.errors import InvalidInput
from memfold.git_history import MOST_COMMITS, USUAL_LIMIT, GitHistory

if TYPE_CHECKING:
    from memfold.house import House


def take_source(house: House, source: str, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Progress lines, then ``{"result": ...}``. Raises InvalidInput."""
    if source == "git":
        yield from _git(house, given)
        return
    if source == "claude-mem":
        path = given.get("path")
        if not isinstance(path, str) or not path.startswith("/"):
            raise InvalidInput("`path` must be an absolute path.", "Name the database.")
        yield from ClaudeMemImport(house.store, house.finder, house.settings, now_ms).take(
            Path(path)
        )
        return
    raise InvalidInput(f"There is no source {source[:40]!r}.", "There are git and claude-mem.")


def _git(house: House, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    path, limit = given.get("path"), given.get("limit", USUAL_LIMIT)
    since = str(given.get("since") or "")
    if not isinstance(path, str) or not path.startswith("/"):
        raise InvalidInput("`path` must be an absolute path.", "Name the repository.")
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MOST_COMMITS:
        raise InvalidInput(f"`limit` must be a whole number from 1 to {MOST_COMMITS:,}.")
    since_ms = moment_ms(since, "since", now_ms()) if since else None
    history = GitHistory(house.store, house.finder, house.settings, now_ms)
    yield from history.take(path, since_ms=since_ms, limit=limit)
