"""The composition: settings, store, rooms and doors joined into one running memfold.

The one place that knows everyone. ``daemon.py`` runs it as a process.
"""

from __future__ import annotations

import os
import secrets
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfold import settings as setting_list
from memfold.backlog import Backlog, now_ms
from memfold.capture.identity import ProjectFinder
from memfold.capture.intake import Intake, Taken
from memfold.disclose.mode import load_mode
from memfold.errors import InvalidInput, NotFound
from memfold.records import Caller, Project
from memfold.serve.context import ContextDesk
from memfold.store.cursors.memory import MemoryCursors
from memfold.store.sqlite.store import SqliteStore
from memfold.wire import DATABASE
from memfold.workstate.verify import verify

if TYPE_CHECKING:
    from memfold.serve.tools import Toolbox


class House:
    """A running memfold over one data directory. Close it before the process ends."""

    def __init__(self, home: Path, settings: setting_list.Settings, store: SqliteStore) -> None:
        self.home = home
        self.settings = settings
        self.store = store
        self.finder = ProjectFinder(store)
        self.intake = Intake(self.finder, store, settings)
        self.backlog = Backlog(
            home, store, self.intake, now_ms, mirror=settings.flag("work_state_mirror")
        )
        self._contexts = ContextDesk(store, store, settings, now_ms)

    @cached_property
    def toolbox(self) -> Toolbox:
        """Every tool over the store, made when the first is called."""
        from memfold.serve.tools import toolbox  # late: search and the rest take 20 ms to import

        key, mode = secret(self.home / "secret"), load_mode(self.settings.text("mode"))
        return toolbox(self.store, MemoryCursors(), key, now_ms, mode)

    @classmethod
    def open(cls, home: Path) -> House:
        """Raises StoreError, StoreTooNew, StoreFull, InvalidInput (settings)."""
        settings = setting_list.load(home)
        limit = settings.number("evidence_max_bytes")
        return cls(home, settings, SqliteStore.open(home / DATABASE, evidence_max_bytes=limit))

    def caller(self, *, cwd: str, host: str = "", session: str = "", project: str = "") -> Caller:
        """Who calls, and what they may see. Reading makes no project; the first capture does."""
        found: Project | None = None
        if project:
            found = self.store.by_name(project)
            if found is None:
                raise NotFound(f"There is no project {project!r}.", "Run `memfold project list`.")
        elif cwd:
            found = self.finder.known(cwd) or self.finder.project_for(cwd)
        ids = self._seen(found, "" if project else cwd)
        return Caller(project=found, project_ids=ids, host=host, session=session, cwd=cwd)

    def _seen(self, project: Project | None, cwd: str) -> tuple[int, ...]:
        """What a caller in this directory reads: every project the directory is known by."""
        if project is None:
            return ()
        return self.finder.keys(project, cwd) if cwd else (project.id,)

    def context(self, cwd: str, host: str) -> str:
        """What a session in this directory would be shown now."""
        known = self.finder.known(cwd)
        caller = Caller(project=known, project_ids=self._seen(known, cwd), host=host, cwd=cwd)
        return self._contexts.text(caller, known.name if known else Path(cwd).name or cwd)

    def session_context(self, taken: Taken) -> str:
        """What a session that starts now is shown."""
        project = taken.project
        caller = Caller(
            project=project,
            project_ids=self._seen(project, taken.cwd),
            host=taken.host,
            session=taken.session,
            cwd=taken.cwd,
        )
        name = project.name if project else Path(taken.cwd).name
        return self._contexts.at_session_start(caller, name, resumed=taken.source == "resume")

    def project_named(self, name: str) -> Project:
        """A project by its name or by one of its directories. Raises NotFound."""
        found = self.store.by_name(name) or (self.finder.known(name) if "/" in name else None)
        if found is None:
            raise NotFound(
                f"There is no project {name!r}.", "`memfold project list` shows what there is."
            )
        return found

    def merge(self, names: list[str], into: str) -> Project:
        target = self.project_named(into)
        sources = [self.project_named(name).id for name in names]
        if not [source for source in sources if source != target.id]:
            raise InvalidInput(
                "These are one project already.", "Name at least one other project to merge."
            )
        merged = self.store.merge(sources, target.id)
        self.finder.forget_all()
        return merged

    def rename(self, name: str, to: str) -> Project:
        renamed = self.store.rename(self.project_named(name).id, to)
        self.finder.forget_all()
        return renamed

    def verify(self, *, fix: bool) -> list[dict[str, Any]]:
        """Each project's current work state against a replay of its log.

        ``fix``: what differs is made again from the log. Keys: project, lists, rows, fixed, and
        differences (list, task, says).
        """
        said: list[dict[str, Any]] = []
        for count in self.store.all_projects():
            checked = verify(self.store, count.project.id)
            fixed = False
            if fix and checked.differences:
                self.store.refold(count.project.id)
                fixed = not verify(self.store, count.project.id).differences
            said.append(
                {
                    "project": count.project.name,
                    "lists": checked.lists,
                    "rows": checked.rows,
                    "fixed": fixed,
                    "differences": [
                        {"list": one.list_name, "task": one.task, "says": one.says}
                        for one in checked.differences
                    ],
                }
            )
        return said

    def close(self) -> None:
        self.backlog.close()
        self.store.close()


def secret(path: Path, size_bytes: int = 32) -> bytes:
    """The key in this file, made on first use, readable by its owner only."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes()
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(size_bytes))
    return path.read_bytes()
