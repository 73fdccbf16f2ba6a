"""Which project a directory belongs to. Rules and reasons: docs/decisions/0004-project-identity.md.

Inside git, a project is its common directory, so that worktrees and subdirectories are one. A
checkout that moved is known again by its remote, or by its root commit where the old place is
gone. Outside git it is the directory. ``checkout.py`` looks at the disk; here it is decided.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

from memfold.capture.checkout import Checkout, holds_commit, inspect, parents, root_commit
from memfold.records import Alias, Project
from memfold.store.ports import ProjectBook

_REMEMBERED = 1_024


class ProjectFinder:
    """Projects of directories, remembered; safe to use from any thread."""

    def __init__(self, book: ProjectBook) -> None:
        self._book = book
        self._lock = Lock()  # of what is remembered; never held while the disk is looked at
        self._deciding = Lock()
        self._found: OrderedDict[str, Project] = OrderedDict()

    def project_for(self, directory: str, *, fresh: bool = False) -> Project:
        """The directory's project, made if it is new. ``fresh``: look at the disk again."""
        known = None if fresh else self._remembered(directory)
        if known is not None:
            return known
        checkout = inspect(directory, commits=False)
        with self._deciding:
            project = self._decide(checkout)
        self._remember(directory, project)
        return project

    def known(self, directory: str) -> Project | None:
        """The directory's project, None where nothing was ever captured; makes nothing."""
        project = self._remembered(directory)
        if project is None:
            project = self._recognised(inspect(directory, commits=False))[0]
            # One that is known by name alone is not given this place before something is captured.
            if project is not None and self._has_a_place(project):
                self._remember(directory, project)
        return project

    def keys(self, project: Project, directory: str) -> tuple[int, ...]:
        """Ids of every project that this directory has been known by, ``project`` first.

        More than one where it was known before it became what it is: as a plain directory, as a
        worktree that was gone when its sessions were imported, under a remote it got later.
        """
        checkout = inspect(directory, commits=False)
        found = {project.id: project}
        for alias in _traces(checkout):
            other = self._book.by_alias(alias)
            if other is None or other.id in found:
                continue
            if not checkout.git_dir or not _holds_other_code(
                checkout, self._book.aliases(other.id)
            ):
                found[other.id] = other
        return tuple(found)

    def forget_all(self) -> None:
        """After a merge or a rename."""
        with self._lock:
            self._found.clear()

    def _remembered(self, directory: str) -> Project | None:
        with self._lock:
            found = self._found.get(directory)
            if found is not None:
                self._found.move_to_end(directory)
            return found

    def _remember(self, directory: str, project: Project) -> None:
        with self._lock:
            self._found[directory] = project
            while len(self._found) > _REMEMBERED:
                self._found.popitem(last=False)

    def _decide(self, checkout: Checkout) -> Project:
        project, checkout = self._recognised(checkout)
        aliases = checkout.aliases()
        owner = self._book.by_alias(aliases[0])
        if project is None:
            project = self._book.create(checkout.name, () if owner else aliases)
        elif not checkout.exists:
            return project
        if owner is not None and owner.id != project.id:  # the place held other code before
            self._book.move_alias(aliases[0], project.id)
        self._book.add_aliases(project.id, aliases)
        return project

    def _recognised(self, checkout: Checkout) -> tuple[Project | None, Checkout]:
        """(project, the checkout with its root commit where that had to be asked for)."""
        if not checkout.git_dir:
            return self._by_directory(checkout), checkout
        at_place = self._book.by_alias(Alias("git_dir", checkout.git_dir))
        if at_place is not None:
            aliases = self._book.aliases(at_place.id)
            if not _holds_other_code(checkout, aliases):
                late = not checkout.remote and not _commits(aliases)  # had none at first sight
                return at_place, _with_root_commit(checkout) if late else checkout
        checkout = _with_root_commit(checkout)
        for alias in _remotes(checkout):
            project = self._book.by_alias(alias)
            if project is not None and project != at_place:
                return project, checkout
        if at_place is not None:
            return None, checkout
        found = self._moved(checkout) or self._before_git(checkout) or self._named(checkout)
        return found, checkout

    def _moved(self, checkout: Checkout) -> Project | None:
        if not checkout.root_commit:
            return None
        project = self._book.by_alias(Alias("root_commit", checkout.root_commit))
        if project is None:
            return None
        places = [a.value for a in self._book.aliases(project.id) if a.kind == "git_dir"]
        return None if any(Path(place).exists() for place in places) else project

    def _before_git(self, checkout: Checkout) -> Project | None:
        """The project that was here before `git init`, or before the clone came back."""
        if not checkout.top:
            return None
        project = self._book.by_alias(Alias("directory", checkout.top))
        if project is None or any(a.kind == "git_dir" for a in self._book.aliases(project.id)):
            return None
        return project

    def _named(self, checkout: Checkout) -> Project | None:
        """A project taken over from another memory, which knew its name and no place."""
        project = self._book.by_alias(Alias("name", checkout.name.casefold()))
        return None if project is None or self._has_a_place(project) else project

    def _has_a_place(self, project: Project) -> bool:
        return any(alias.kind != "name" for alias in self._book.aliases(project.id))

    def _by_directory(self, checkout: Checkout) -> Project | None:
        project = self._book.by_alias(Alias("directory", checkout.directory))
        if project is None and checkout.exists:
            project = self._named(checkout)
        if project is not None or checkout.exists:
            return project
        for above in parents(checkout.directory):  # a subdirectory of a place we know
            for alias in (Alias("directory", above), Alias("git_dir", f"{above}/.git")):
                project = self._book.by_alias(alias)
                if project is not None:
                    return project
        return None


def _with_root_commit(checkout: Checkout) -> Checkout:
    full = inspect(checkout.directory)
    return full if full.git_dir == checkout.git_dir else checkout


def _remotes(checkout: Checkout) -> Iterator[Alias]:
    if checkout.remote:
        yield Alias("remote", checkout.remote)
        if checkout.remote.startswith("file:"):  # a clone of a checkout on this machine
            yield Alias("git_dir", checkout.remote.removeprefix("file:"))
    yield Alias("remote", f"file:{checkout.git_dir}")  # others were cloned from this one


def _traces(checkout: Checkout) -> Iterator[Alias]:
    """All by which a place may have been known; a first commit tells a copy, not a place."""
    yield Alias("directory", checkout.directory)
    if not checkout.git_dir:
        yield Alias("git_dir", f"{checkout.directory}/.git")
        return
    if checkout.top:
        yield Alias("directory", checkout.top)
    yield Alias("git_dir", checkout.git_dir)
    yield from _remotes(checkout)


def _commits(aliases: tuple[Alias, ...]) -> list[str]:
    return [alias.value for alias in aliases if alias.kind == "root_commit"]


def _holds_other_code(checkout: Checkout, aliases: tuple[Alias, ...]) -> bool:
    """Whether the place now clearly holds another repository than the one known there."""
    commits = _commits(aliases)
    remotes = [alias.value for alias in aliases if alias.kind == "remote"]
    if not commits or (checkout.remote and checkout.remote in remotes):
        return False
    place = Path(checkout.directory)
    # One known commit settles it: an orphan branch has another root and is the same code.
    return bool(root_commit(place)) and not holds_commit(place, commits)
