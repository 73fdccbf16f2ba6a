"""The composition: settings, store, rooms and doors joined into one running memfold.

The one place that knows everyone. ``daemon.py`` runs it as a process.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfold import settings as setting_list
from memfold.backlog import Backlog, now_ms
from memfold.capture.checkout import parents
from memfold.capture.identity import ProjectFinder
from memfold.capture.intake import Intake, Taken
from memfold.capture.redact import redact
from memfold.disclose.mode import Mode
from memfold.disclose.mode_shelf import FOLDER, Shelf, Usable
from memfold.errors import InvalidInput, NotFound
from memfold.forgetting import Forgetter, Workshop
from memfold.hosts.limits import session_start_limit
from memfold.records import Caller, Entry, Project
from memfold.retention import EvidenceRetention
from memfold.serve.context import ContextDesk
from memfold.serve.secret_file import older_secret, secret
from memfold.store.cursors.sqlite import SqliteCursors
from memfold.store.embedders.wordllama import installed_embedder
from memfold.store.sqlite.store import SqliteStore
from memfold.store.symbols.sqlite import SqliteSymbols
from memfold.wire import DATABASE
from memfold.workstate.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memfold.code.index.keeper import SymbolKeeper
    from memfold.disclose.claude_md import DirectoryIndex
    from memfold.disclose.places import Directory
    from memfold.gatekeeper import Gatekeeper
    from memfold.observe.model.worker import ModelWorker
    from memfold.serve.tools import Toolbox

log = logging.getLogger(__name__)
SYMBOLS = "symbols.db"  # of workspaces; can be made again
CURSORS = "cursors.db"  # where searches wait between their steps
SECRET = "secret"  # noqa: S105  # a file's name
OLDER_SECRET = "secret.old"  # noqa: S105  # a file's name


class House:
    """A running memfold over one data directory. Close it before the process ends."""

    def __init__(self, home: Path, settings: setting_list.Settings, store: SqliteStore) -> None:
        self.home = home
        self.settings = settings
        self.store = store
        self.finder = ProjectFinder(store)
        self.intake = Intake(self.finder, store, settings)
        self.retention = EvidenceRetention(store, now_ms, settings.number("evidence_days"))
        self._shelf = Shelf(home / FOLDER)
        self._mode_trouble = ""  # as last logged
        self._contexts = ContextDesk(
            store,
            settings,
            now_ms,
            mode=lambda: self.mode().mode,
            limit=session_start_limit,
        )
        self.model_trouble = ""  # why the model that is set cannot be used
        self.model: ModelWorker | None = None
        self.backlog = Backlog(
            home,
            store,
            self.intake,
            now_ms,
            mirror=settings.flag("work_state_mirror"),
            retention=self.retention,
            observed=self._contexts.refresh,
            model=self._model_worker(),
        )
        self._cursors = SqliteCursors(home / CURSORS)
        self._symbols = SqliteSymbols(home / SYMBOLS, _outlines_made_by)
        self.forgetter = Forgetter(
            home,
            store,
            (self._contexts, self._cursors, self._symbols),
            Workshop(
                take_in=self.backlog.take_in,
                paused=self.backlog.paused,
                summarise=self.backlog.summarise_missing,
                project_named=self.project_named,
                traces=self._places,
                forget_places=self.finder.forget_all,
            ),
            now_ms,
        )
        self._tools: tuple[Mode, Toolbox] | None = None

    def mode(self) -> Usable:
        """The mode that the settings name, or ``code`` with the reason; as its file stands now."""
        usable = self._shelf.usable(self.settings.text("mode"))
        if usable.trouble != self._mode_trouble:
            self._mode_trouble = usable.trouble
            log.warning("mode: %s", usable.trouble or "can be used again")
        return usable

    def _model_worker(self) -> ModelWorker | None:
        """The model observer that is set. A wrong setting costs the model, never the memory."""
        if self.settings.text("observer") == "builtin":
            return None
        from memfold.models import model_worker  # late: most never use one

        try:
            self.model = model_worker(
                self.settings,
                self.home,
                self.store,
                mode=lambda: self.mode().mode,
                changed=self._contexts.refresh,
            )
        except InvalidInput as error:
            self.model_trouble = str(error)
            log.warning("observer: %s", error.code)
        return self.model

    def reobserve(
        self, since_ms: int, project: str, *, dry_run: bool, anew: bool
    ) -> Iterator[dict[str, Any]]:
        """The present observer over stored evidence: see observe/again.py. Raises NotFound."""
        from memfold.models import reobserve  # late: for a person's command alone

        project_id = self.project_named(project).id if project else None
        run = reobserve(self.store, self.backlog, self.model)
        return run.run(since_ms, project_id, dry_run=dry_run, anew=anew)

    def observer(self, calls: int = 0) -> dict[str, Any]:
        """Who observes, what waits for a model, and what it cost."""
        from memfold.models import told  # late: as above

        return told(self.settings, self.store, self.model, self.model_trouble, calls)

    @cached_property
    def symbols(self) -> SymbolKeeper:
        """The index of workspaces, made when the first is searched."""
        from memfold.code.index.keeper import SymbolKeeper  # late: the parsers take 25 ms
        from memfold.code.reading import parsers  # late: as above

        return SymbolKeeper(self._symbols, parsers(lambda text: redact(text)[0]))

    @cached_property
    def gatekeeper(self) -> Gatekeeper:
        """The gate before reads, made when the first is asked about."""
        from memfold.code.reading import is_code, outline_text  # late: as above
        from memfold.gatekeeper import Gatekeeper  # late: as above

        return Gatekeeper(
            self.store,
            self.settings,
            now_ms,
            owners=self._owners,
            is_code=is_code,
            outline=outline_text,
        )

    @property
    def toolbox(self) -> Toolbox:
        """Every tool over the store, made when the first is called and when the mode changes."""
        from memfold.serve.tools import toolbox  # late: search and the rest take 20 ms to import

        mode = self.mode().mode
        if self._tools is None or self._tools[0] is not mode:
            key, older = secret(self.home / SECRET), older_secret(self.home / OLDER_SECRET)
            tools = toolbox(
                self.store,
                self._cursors,
                key,
                now_ms,
                mode,
                older_secret=older,
                symbols=lambda: self.symbols,
            )
            self._tools = (mode, tools)
        return self._tools[1]

    @classmethod
    def open(cls, home: Path) -> House:
        """Raises StoreError, StoreTooNew, StoreFull, InvalidInput (settings)."""
        settings = setting_list.load(home)
        store = SqliteStore.open(
            home / DATABASE,
            evidence_max_bytes=settings.number("evidence_max_bytes"),
            embedder=installed_embedder() if settings.flag("semantic") else None,
        )
        return cls(home, settings, store)

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

    def directory_index(self, folder: str) -> DirectoryIndex:
        """The index of one directory: what is remembered of the files below it."""
        from memfold.disclose.claude_md import gather_files, render_files  # late: for few
        from memfold.disclose.times import zone_of

        groups = gather_files(self.store, self.settings, list(self._owners(folder).items()))
        mode, zone = self.mode().mode, zone_of(self.settings.text("timezone"))
        return render_files(groups, mode, zone)

    def _owners(self, folder: str) -> dict[int, Directory]:
        """The projects a folder belongs to, with its place in each."""
        from memfold.disclose.places import Directory  # late: as above

        owners: dict[int, Directory] = {}
        # Outside git a project is known by its own directory alone, which may be one above.
        for home in parents(os.path.realpath(folder)):
            known = self.finder.known(home)
            if known is not None and known.id not in owners:
                roots = [
                    str(Path(alias.value).parent) if alias.kind == "git_dir" else alias.value
                    for alias in self.store.aliases(known.id)
                    if alias.kind in {"git_dir", "directory"}
                ]
                owners[known.id] = Directory(folder, home, roots)
        return owners

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

    def import_source(self, source: str, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Progress, then what was taken: see sources.py. Raises InvalidInput."""
        from memfold.sources import take_source  # late: for a person's command alone

        yield from take_source(self, source, given)
        self.backlog.later(self.backlog.embed)
        self.backlog.later(self._contexts.refresh)

    def import_export(self, path: str) -> Iterator[dict[str, Any]]:
        """Progress, then what an export of memfold brought: see transfer.py."""
        from memfold.transfer import import_from  # late: for a person's command alone

        try:
            yield from import_from(self.store, Path(path), self.backlog.paused)
        finally:
            self.finder.forget_all()
            self.backlog.later(self.backlog.mirror_plans)
            self.backlog.later(self.backlog.summarise_missing)
            self.backlog.later(self.backlog.observe)
            self.backlog.later(self.backlog.embed)
            self.backlog.later(self._contexts.refresh)

    def make_gate_ready(self, taken: Taken) -> None:
        """Where a session starts; returns at once."""
        if taken.wants_context and taken.project and self.settings.text("read_gate") != "off":
            self.backlog.later(lambda: self.gatekeeper.make_ready(taken.cwd))

    def take_new_commits(self, taken: Taken) -> None:
        """Where a session starts in a project whose history was imported; returns at once."""
        if taken.wants_context and taken.project and self.settings.flag("git_history"):
            self.backlog.later(self._catch_up_history, taken.cwd)

    def _catch_up_history(self, directory: str) -> None:
        from memfold.git_history import GitHistory  # late: few sessions begin with new commits

        history = GitHistory(self.store, self.finder, self.settings, now_ms)
        if history.catch_up(directory):
            self.backlog.later(self.backlog.embed)
            self._contexts.refresh()

    def pin(self, given: str, cwd: str, project: str, *, on: bool) -> dict[str, Any]:
        """Keep an observation at the top of the index, or no longer: see serve/pins.py."""
        from memfold.disclose.aliases import own_id  # late: for a person's command alone
        from memfold.serve.pins import set_pin

        own = str(own_id(self.store, given))
        return set_pin(self.store, own, self._reader(cwd, project), on=on, now_ms=now_ms())

    def pins(self, cwd: str, project: str) -> list[Entry]:
        """What is pinned there, newest first."""
        from memfold.serve.pins import listed  # late: as above

        return listed(self.store, self._reader(cwd, project))

    def why(self, given: str, cwd: str, project: str) -> dict[str, Any]:
        """Why an observation is as it is: see serve/why.py."""
        from memfold.disclose.aliases import own_id  # late: as above
        from memfold.serve.why import why

        own = str(own_id(self.store, given))
        return why(self.store, own, self._reader(cwd, project))

    def _reader(self, cwd: str, project: str) -> Caller:
        found = self.project_named(project) if project else self.finder.known(cwd)
        return Caller(project=found, project_ids=self._seen(found, "" if project else cwd), cwd=cwd)

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

    def _places(self, project_id: int) -> tuple[str, ...]:
        """Directories by which a project is known."""
        known = self.store.aliases(project_id)
        return tuple(a.value for a in known if a.kind in {"git_dir", "directory"})

    def close(self) -> None:
        self.backlog.close()
        if "symbols" in self.__dict__:  # it was made
            self.symbols.close()
        self._symbols.close()
        self.store.close()
        self._cursors.close()


def _outlines_made_by() -> int:
    from memfold.code.reading import outlines_made_by  # late: the parsers take 25 ms

    return outlines_made_by()
