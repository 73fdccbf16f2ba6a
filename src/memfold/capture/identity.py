"""Which project a directory belongs to. Rules and reasons: docs/decisions/0004-project-identity.md.

Inside git, a project is its common directory, so that worktrees and subdirectories are one. A
checkout that moved is known again by its remote, or by its root commit where the old place is
gone. Outside git it is the directory.
"""

from __future__ import annotations

import ntpath
import posixpath
import re
import subprocess
from collections import OrderedDict
from collections.abc import Iterator
from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from memfold.records import Alias, Project
from memfold.store.ports import ProjectBook

_REMEMBERED = 1_024
_GIT_S = 3.0
_SCP = re.compile(r"^(?:[^@/]+@)?([^:/]+):(?!//)(.+)$")


@dataclass(frozen=True, slots=True)
class Checkout:
    """What a directory says about itself."""

    directory: str
    exists: bool
    git_dir: str = ""  # the common directory, real path
    remote: str = ""  # normalised; empty where there is none
    root_commit: str = ""
    name: str = ""

    def aliases(self) -> tuple[Alias, ...]:
        if not self.git_dir:
            return (Alias("directory", self.directory),)
        found = [Alias("git_dir", self.git_dir)]
        if self.remote:
            found.append(Alias("remote", self.remote))
        if self.root_commit:
            found.append(Alias("root_commit", self.root_commit))
        return tuple(found)


def inspect(directory: str, *, commits: bool = True) -> Checkout:
    """Look at a directory. ``commits``: also ask git for the root commit (a process)."""
    place = Path(directory)
    if not is_absolute(directory) or not place.is_dir():
        clean = plain(directory)
        return Checkout(clean, exists=False, name=basename(clean))
    real = place.resolve()
    common = common_dir(real)
    if common is None:
        return Checkout(str(real), exists=True, name=real.name or str(real))
    home = common.parent if common.name == ".git" else common
    name = home.name.removesuffix(".git") or str(home)
    commit = root_commit(real) if commits else ""
    return Checkout(str(real), True, str(common), remote_of(common), commit, name)


def common_dir(place: Path) -> Path | None:
    """The git common directory of a directory, read from git's own files; None outside git."""
    for folder in (place, *place.parents):
        dot = folder / ".git"
        found = None
        if dot.is_dir():
            found = dot
        elif dot.is_file():
            found = _pointed(dot)
        elif (folder / "HEAD").is_file() and (folder / "objects").is_dir():
            found = folder  # bare
        if found is not None and (found / "HEAD").is_file():
            return _shared(found).resolve()
    return None


def _pointed(file: Path) -> Path | None:
    text = file.read_text("utf-8", "surrogateescape").strip()
    return (
        (file.parent / text.removeprefix("gitdir:").strip()) if text.startswith("gitdir:") else None
    )


def _shared(git_dir: Path) -> Path:
    pointer = git_dir / "commondir"
    if pointer.is_file():
        return git_dir / pointer.read_text("utf-8", "surrogateescape").strip()
    return git_dir


def remote_of(common: Path) -> str:
    """The origin (or only) remote, normalised; '' where there is none."""
    parser = ConfigParser(strict=False, interpolation=None, allow_no_value=True, delimiters=("=",))
    try:
        text = (common / "config").read_text("utf-8", "replace")
        parser.read_string("\n".join(line.strip() for line in text.splitlines()))
    except (OSError, ConfigError):
        return ""
    remotes = [name for name in parser.sections() if name.startswith('remote "')]
    for name in sorted(remotes, key=lambda n: n != 'remote "origin"'):
        url = parser.get(name, "url", fallback="")
        if url:
            return normal_remote(url, common)
    return ""


def normal_remote(url: str, base: Path | None = None) -> str:
    """One form for the ways to write a remote: host/path, no credentials, no ``.git``."""
    text = url.strip().rstrip("/")
    if "://" in text:
        scheme, rest = text.split("://", 1)
        if scheme == "file":
            return "file:" + str(_repository(Path(rest)))
        host, _, path = rest.partition("/")
        host = re.sub(r":\d+$", "", host.rpartition("@")[2])
    elif (scp := _SCP.match(text)) and not Path(text).exists():
        host, path = scp.group(1), scp.group(2)
    else:
        place = Path(text) if Path(text).is_absolute() or base is None else base.parent / text
        return "file:" + str(_repository(place))
    return f"{host.lower()}/{path.strip('/').removesuffix('.git').lower()}"


def _repository(place: Path) -> Path:
    return (common_dir(place.resolve()) or place.resolve()) if place.is_dir() else place


def root_commit(place: Path) -> str:
    """The oldest commit reachable from HEAD; '' where there is none or git does not answer."""
    command = ["git", "-C", str(place), "rev-list", "--max-parents=0", "HEAD"]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_GIT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    commits = done.stdout.split()
    return commits[-1] if done.returncode == 0 and commits else ""


def plain(directory: str) -> str:
    """A directory's name without a trailing separator, in its own system's form."""
    windows = bool(re.match(r"^[A-Za-z]:[\\/]|^\\\\", directory))
    return ntpath.normpath(directory) if windows else posixpath.normpath(directory or "/")


def is_absolute(directory: str) -> bool:
    return directory.startswith("/")


def basename(directory: str) -> str:
    return re.split(r"[\\/]", directory.rstrip("\\/"))[-1] or directory


def parents(directory: str) -> Iterator[str]:
    """The directory and those above it, nearest first, without the root."""
    here = directory
    while here and len(here) > 1 and not re.fullmatch(r"[A-Za-z]:\\?", here):
        yield here
        up = re.sub(r"[\\/][^\\/]*$", "", here)
        if up == here:
            return
        here = up


class ProjectFinder:
    """Projects of directories, remembered; safe to use from any thread."""

    def __init__(self, book: ProjectBook) -> None:
        self._book = book
        self._lock = Lock()
        self._found: OrderedDict[str, Project] = OrderedDict()

    def project_for(self, directory: str, *, fresh: bool = False) -> Project:
        """The directory's project, made if it is new. ``fresh``: look at the disk again."""
        with self._lock:
            if not fresh and directory in self._found:
                return self._found[directory]
            project = self._decide(inspect(directory))
            self._remember(directory, project)
            return project

    def known(self, directory: str) -> Project | None:
        """The directory's project, None where nothing was ever captured; makes nothing."""
        with self._lock:
            if directory in self._found:
                return self._found[directory]
            checkout = inspect(directory)
            project = self._recognised(checkout)
            if project is not None:
                self._remember(directory, project)
            return project

    def forget_all(self) -> None:
        """After a merge or a rename."""
        with self._lock:
            self._found.clear()

    def _remember(self, directory: str, project: Project) -> None:
        self._found[directory] = project
        while len(self._found) > _REMEMBERED:
            self._found.popitem(last=False)

    def _decide(self, checkout: Checkout) -> Project:
        project = self._recognised(checkout)
        if project is None:
            place, *others = checkout.aliases()
            if self._book.by_alias(place) is None:
                return self._book.create(checkout.name, checkout.aliases())
            project = self._book.create(checkout.name, ())  # the place held other code before
            self._book.move_alias(place, project.id)
            self._book.add_aliases(project.id, others)
            return project
        if checkout.git_dir or checkout.exists:
            self._take_place(checkout, project)
        return project

    def _take_place(self, checkout: Checkout, project: Project) -> None:
        place = checkout.aliases()[0]
        owner = self._book.by_alias(place)
        if owner is not None and owner.id != project.id:
            self._book.move_alias(place, project.id)
        self._book.add_aliases(project.id, checkout.aliases())

    def _recognised(self, checkout: Checkout) -> Project | None:
        if not checkout.git_dir:
            return self._by_directory(checkout)
        at_place = self._book.by_alias(Alias("git_dir", checkout.git_dir))
        if at_place is not None and not self._other_code(checkout, at_place):
            return at_place
        for alias in self._remotes(checkout):
            project = self._book.by_alias(alias)
            if project is not None:
                return project
        if at_place is None and checkout.root_commit:
            moved = self._book.by_alias(Alias("root_commit", checkout.root_commit))
            if moved is not None and self._is_gone(moved):
                return moved
        return None

    def _remotes(self, checkout: Checkout) -> Iterator[Alias]:
        if checkout.remote:
            yield Alias("remote", checkout.remote)
            if checkout.remote.startswith("file:"):  # a clone of a checkout on this machine
                yield Alias("git_dir", checkout.remote.removeprefix("file:"))
        yield Alias("remote", f"file:{checkout.git_dir}")  # others were cloned from this one

    def _other_code(self, checkout: Checkout, project: Project) -> bool:
        """Whether the place now clearly holds another repository than the one known there."""
        aliases = self._book.aliases(project.id)
        commits = {alias.value for alias in aliases if alias.kind == "root_commit"}
        remotes = {alias.value for alias in aliases if alias.kind == "remote"}
        if not checkout.root_commit or not commits or checkout.root_commit in commits:
            return False
        return not (checkout.remote and checkout.remote in remotes)

    def _is_gone(self, project: Project) -> bool:
        places = [a.value for a in self._book.aliases(project.id) if a.kind == "git_dir"]
        return not any(Path(place).exists() for place in places)

    def _by_directory(self, checkout: Checkout) -> Project | None:
        project = self._book.by_alias(Alias("directory", checkout.directory))
        if project is not None or checkout.exists:
            return project
        for above in parents(checkout.directory):  # a subdirectory of a place that is gone too
            project = self._book.by_alias(Alias("directory", above))
            if project is None:
                project = self._book.by_alias(Alias("git_dir", f"{above}/.git"))
            if project is not None:
                return project
        return None
