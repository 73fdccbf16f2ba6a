"""A repository's history as memory: what is new is read, observed and stored, in bounded steps."""

from __future__ import annotations

import hashlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from memfold.capture import commits
from memfold.capture.checkout import inspect, parents
from memfold.capture.exclusions import Exclusions
from memfold.capture.identity import ProjectFinder
from memfold.disclose.details import price_observation
from memfold.errors import InvalidInput
from memfold.observe.history.observer import observe_commit
from memfold.records import Commit
from memfold.settings import Settings
from memfold.store.needs.history import FORGOTTEN, HISTORY_HOST
from memfold.store.ports import CommitLooked, Store

log = logging.getLogger(__name__)
USUAL_LIMIT = 5_000  # commits of one import
MOST_COMMITS = 1_000_000
_AT_START = 200  # commits that a session's start takes in
_AT_START_S = 5.0
_BATCH = 200  # commits of one transaction


class GitHistory:
    """Takes history into one store. Safe to use from any thread."""

    def __init__(
        self, store: Store, finder: ProjectFinder, settings: Settings, clock: Callable[[], int]
    ) -> None:
        """``clock``: Unix ms."""
        self._store = store
        self._finder = finder
        self._excluded = Exclusions(settings)
        self._clock = clock

    def take(self, directory: str, *, since_ms: int | None, limit: int) -> Iterator[dict[str, Any]]:
        """Progress lines ``{"done", "total"}``, then ``{"result": ...}``: what this run added.

        What was looked at before costs next to nothing. Raises InvalidInput.
        """
        place = self._checkout(directory)
        ids = commits.new_ids(
            place, since_s=None if since_ms is None else since_ms // 1000, limit=limit
        )
        if ids is None:
            raise InvalidInput(
                f"git could not read the history of {place}.",
                "Check that git is installed and that `git log` works there.",
            )
        found = len(ids)
        if self._finder.known(str(place)) is None and self._is_forgotten(place, 0):
            # The project is not made again for commits that stay away.
            ids = self._to_take(place, ids)
            if not ids:
                yield {"result": _told(place.name, found) | {"left_out": {FORGOTTEN: found}}}
                return
        project = self._finder.project_for(str(place), fresh=True)
        total = _told(project.name, found)
        left_out: Counter[str] = Counter({FORGOTTEN: found - len(ids)})
        known = self._store.known_commits(project.id, ids)
        total["known"] = len(known)
        fresh = [one for one in ids if one not in known]
        for done in self._batches(project.id, place, fresh, total, left_out):
            yield {"done": done, "total": len(fresh)}
        if ids:
            self._store.set_git_head(project.id, ids[-1])
        total["left_out"] = {why: number for why, number in left_out.most_common() if number}
        yield {"result": total}

    def catch_up(self, directory: str) -> int:
        """New commits since the last import, at most 200 and 5 s; how many were looked at.

        Does nothing where history was never imported. Never fails on a repository.
        """
        project = self._finder.known(directory)
        behind = self._store.git_head(project.id) if project else ""
        if project is None or not behind or self._excluded.directory(directory):
            return 0
        place = Path(directory)
        now = commits.head(place)
        if not now or now == behind:
            return 0
        began = time.monotonic()
        ids = commits.new_ids(place, limit=_AT_START, behind=behind) or ()
        known = self._store.known_commits(project.id, ids)
        fresh = [one for one in ids if one not in known]
        looked = 0
        for done in self._batches(project.id, place, fresh, {}, Counter()):
            looked = done
            if time.monotonic() - began > _AT_START_S:
                break
        if looked == len(fresh):
            self._store.set_git_head(project.id, now)
        return looked

    def _batches(
        self,
        project_id: int,
        place: Path,
        ids: Sequence[str],
        total: dict[str, Any],
        left_out: Counter[str],
    ) -> Iterator[int]:
        """How many of ``ids`` are done, after each batch; counts go into ``total``."""
        for start in range(0, len(ids), _BATCH):
            batch = ids[start : start + _BATCH]
            looked = [self._look(one, place) for one in commits.read(place, batch)]
            taken = self._store.take_commits(project_id, str(place), looked)
            for name in ("observations", "met_again", "rewritten", "superseded"):
                total[name] = total.get(name, 0) + getattr(taken, name)
            left_out.update(taken.left_out)
            if len(looked) < len(batch):
                left_out["could not be read"] += len(batch) - len(looked)
            yield start + len(batch)

    def _is_forgotten(self, place: Path, at_ms: int) -> bool:
        return self._store.is_forgotten(HISTORY_HOST, "", tuple(parents(str(place))), at_ms)

    def _to_take(self, place: Path, ids: Sequence[str]) -> list[str]:
        """Those that teach something and were not forgotten."""
        kept = []
        for start in range(0, len(ids), _BATCH):
            for commit in commits.read(place, ids[start : start + _BATCH]):
                draft = self._look(commit, place).draft
                if draft is not None and not self._is_forgotten(place, draft.at_ms):
                    kept.append(commit.id)
        return kept

    def _look(self, commit: Commit, place: Path) -> CommitLooked:
        allowed = [one for one in commit.files if not self._excluded.path(one.path, str(place))]
        hidden = bool(commit.files) and not allowed
        seen = observe_commit(replace(commit, files=tuple(allowed)), self._clock())
        draft = seen.draft
        if draft is not None:
            draft = replace(draft, read_tokens=price_observation(draft))
        first = seen.subject
        return CommitLooked(
            id=commit.id,
            subject=first,
            trace=_trace(commit, first),
            # A commit without a change is told from another by its id alone.
            change_trace=_trace(commit, commit.change or commit.id),
            draft=None if hidden else draft,
            reason="excluded paths" if hidden else seen.reason,
            reverts=seen.reverts,
            reverted_subject=seen.reverted_subject,
        )

    def _checkout(self, directory: str) -> Path:
        found = inspect(directory, commits=False)
        if not found.exists:
            raise InvalidInput(f"{directory} is not there.", "Name the directory of a repository.")
        if not found.git_dir:
            raise InvalidInput(
                f"{directory} is not in a git repository.", "Name the directory of a repository."
            )
        if self._excluded.directory(directory):
            raise InvalidInput(
                f"{directory} is excluded by the setting excluded_projects.",
                "Take it out of that setting to import its history.",
            )
        # The history is the whole checkout's, wherever in it the command was given.
        real = Path(found.directory)
        tops = (one for one in (real, *real.parents) if (one / ".git").exists())
        return next(tops, real)


def _told(project: str, count: int) -> dict[str, Any]:
    """The result of a run that has not begun."""
    sums = dict.fromkeys(("known", "observations", "met_again", "rewritten", "superseded"), 0)
    return {"project": project, "commits": count, **sums, "left_out": {}}


def _trace(commit: Commit, text: str) -> bytes:
    seed = f"{commit.authored_at_ms}\n{' '.join(text.split())}"
    return hashlib.sha256(seed.encode("utf-8", "replace")).digest()[:16]
