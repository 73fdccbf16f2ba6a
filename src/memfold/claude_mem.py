"""A claude-mem database taken over: all that it remembers, with its ids as aliases.

A session a transaction, its entries with their old ids as aliases: killed at any moment, the next
run goes on. Projects are found by the session where it is known, by its directory, then by name.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from memfold.capture.checkout import parents
from memfold.capture.claude_mem.reader import COUNTED, Found, Reader
from memfold.capture.claude_mem.snapshot import Check, snapshot
from memfold.capture.exclusions import Exclusions
from memfold.capture.identity import ProjectFinder
from memfold.disclose.details import price_observation, price_summary
from memfold.records import Alias, Draft, Project, WorkRow
from memfold.settings import Settings
from memfold.store.needs.takeover import OtherKind, OtherSession, TakenOver
from memfold.store.ports import Store

_KINDS: dict[OtherKind, str] = {
    "observation": "observations",
    "summary": "session_summaries",
    "prompt": "user_prompts",
    "tool_use": "tool_uses",
    "work": "work_state_entries",
}
_UNNAMED = "claude-mem"


class ClaudeMemImport:
    """Takes databases into one store."""

    def __init__(
        self, store: Store, finder: ProjectFinder, settings: Settings, clock: Callable[[], int]
    ) -> None:
        """``clock``: Unix ms."""
        self.store = store
        self.finder = finder
        self.excluded = Exclusions(settings)
        self._clock = clock

    def take(self, path: Path) -> Iterator[dict[str, Any]]:
        """Progress lines ``{"done", "total"}``, then ``{"result": ...}``. Raises InvalidInput."""
        with snapshot(path) as (source, check):
            reader = Reader(source, self.excluded, self._clock())
            fingerprint = reader.fingerprint()
            sessions = reader.sessions()
            check()
            memory = self.store.other_memory(fingerprint)
            run = _Run(self, reader, memory, check)
            for done, found in enumerate(sessions, 1):
                run.take(found)
                yield {"done": done, "total": len(sessions)}
            run.take_work()
        yield {"result": run.result(len(sessions))}


class _Run:
    """One database on its way in."""

    def __init__(
        self,
        owner: ClaudeMemImport,
        reader: Reader,
        memory: int,
        check: Check,
    ) -> None:
        self._store = owner.store
        self._finder = owner.finder
        self._excluded = owner.excluded
        self._reader = reader
        self._memory = memory
        self._check = check
        self._now_ms = reader.now_ms
        self._projects: dict[str, Project] = {}  # by the name there
        self._taken: Counter[OtherKind] = Counter()
        self._known: Counter[OtherKind] = Counter()
        self._forgotten: Counter[OtherKind] = Counter()
        self._skipped: Counter[tuple[str, str]] = Counter()

    def take(self, found: Found) -> None:
        known = self._store.session(found.host, found.key)
        cwd = known.cwd if known and known.cwd else _foremost(found.cwds)
        if cwd and self._excluded.directory(cwd):
            for table, ids in found.ids.items():
                self._skipped[table, "excluded project"] += len(ids)
            return
        if self._all_known(found):
            return
        name = _foremost(found.projects)
        session = self._reader.session(found, found.host, cwd)
        if known is None and self._is_forgotten(session):
            # Before a project is made for it, which would bring its name back.
            for table, ids in found.ids.items():
                self._skipped[table, "forgotten"] += len(ids)
            return
        project_id = known.project_id if known else self._project(name, cwd).id
        self._check()
        self._count(
            self._store.take_over(self._memory, project_id, _priced(session), at_ms=self._now_ms)
        )

    def _is_forgotten(self, session: OtherSession) -> bool:
        newest_ms = max(
            session.at_ms,
            *(one.at_ms for _, one in (*session.prompts, *session.tool_uses)),
            *(draft.at_ms for _, draft, _ in session.observations),
            session.summary.at_ms if session.summary else 0,
        )
        places = tuple(parents(session.cwd))
        return self._store.is_forgotten(session.host, session.session, places, newest_ms)

    def _all_known(self, found: Found) -> bool:
        """Counts a session that was taken before, without reading it in full."""
        counts: Counter[OtherKind] = Counter()
        for kind, table in _KINDS.items():
            ids = found.ids.get(table, ())
            if len(self._store.known_there(self._memory, kind, ids)) < len(ids):
                return False
            counts[kind] = len(ids)
        self._known.update(counts)
        return True

    def take_work(self) -> None:
        rows: dict[str, list[tuple[int, WorkRow]]] = {}
        for name, other_id, row in self._reader.work_rows():
            rows.setdefault(name, []).append((other_id, row))
        self._check()
        for name, theirs in rows.items():
            project = self._project(name, "")
            self._count(self._store.take_over_work(self._memory, project.id, theirs))

    def _project(self, name: str, cwd: str) -> Project:
        """The project of a directory that is known or there, else the one of that name."""
        if cwd:
            found = self._finder.known(cwd)
            if found is None and Path(cwd).is_dir():
                found = self._finder.project_for(cwd)
            if found is not None:
                self._projects.setdefault(name, found)
                return found
        if name not in self._projects:
            self._projects[name] = self._by_name(name or _UNNAMED)
        return self._projects[name]

    def _by_name(self, name: str) -> Project:
        alias = Alias("name", name.casefold())  # by which its directory finds it: identity.py
        found = self._store.by_alias(alias) or self._store.by_name(name)
        # A worktree's project is named app/branch there.
        found = found or (self._store.by_name(name.partition("/")[0]) if "/" in name else None)
        return found or self._store.create(name, (alias,))

    def _count(self, taken: TakenOver) -> None:
        self._taken.update(taken.stored)
        self._known.update(taken.known)
        self._forgotten.update(taken.forgotten)

    def result(self, sessions: int) -> dict[str, Any]:
        """What became of every row: a line for each table."""
        skipped = self._skipped + self._reader.skipped
        tables = []
        for kind, table in _KINDS.items():
            reasons = {why: count for (where, why), count in skipped.items() if where == table}
            if self._forgotten[kind]:
                reasons["forgotten"] = reasons.get("forgotten", 0) + self._forgotten[kind]
            tables.append(
                {
                    "table": table,
                    "what": COUNTED[table],
                    "rows": self._reader.rows[table],
                    "new": self._taken[kind],
                    "known": self._known[kind],
                    "skipped": reasons,
                    "trouble": self._reader.bad_tables.get(table, ""),
                }
            )
        prefix = "cm" if self._memory == 1 else f"cm{self._memory}."
        return {"sessions": sessions, "prefix": prefix, "tables": tables}


def _foremost(counts: Counter[str]) -> str:
    return counts.most_common(1)[0][0] if counts else ""


def _priced(session: OtherSession) -> OtherSession:
    def priced(draft: Draft) -> Draft:
        return replace(draft, read_tokens=price_observation(draft))

    summary = session.summary
    return dataclasses.replace(
        session,
        observations=[(i, priced(draft), keys) for i, draft, keys in session.observations],
        summary=None if summary is None else replace(summary, read_tokens=price_summary(summary)),
    )
