"""What a directory says about itself: its git common directory, its remote, its first commit.

Read from git's own files; a process runs only to find or check a first commit.
"""

from __future__ import annotations

import ntpath
import posixpath
import re
from collections.abc import Iterable, Iterator
from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import dataclass
from pathlib import Path

from memfold.capture import git
from memfold.records import Alias

_GIT_S = 3.0  # a history of a million commits takes longer; then the remote must do
_SCP = re.compile(r"^(?:[^@/]+@)?(\[[^\]]+\]|[^:/\\]{2,}):(?!//)(.+)$")
_SAME_HOST = {"ssh.github.com": "github.com", "altssh.bitbucket.org": "bitbucket.org"}
_HOMES = re.compile(
    r"^(?:/|/root|/tmp|/home(?:/[^/]+)?|/Users(?:/[^/]+)?|/private(?:/tmp)?|/var(?:/[^/]+)?"
    r"|[A-Za-z]:\\?|[A-Za-z]:\\Users(?:\\[^\\]+)?|\\\\[^\\]*(?:\\[^\\]*)?)$"
)


@dataclass(frozen=True, slots=True)
class Checkout:
    """What a directory says about itself."""

    directory: str
    exists: bool
    git_dir: str = ""  # the common directory, real path
    remote: str = ""  # normalised; empty where there is none
    root_commit: str = ""
    name: str = ""
    top: str = ""  # the directory that holds the git directory; empty outside git and when bare

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
    """Look at a directory; never fails. ``commits``: also ask git for the root commit."""
    try:
        if is_absolute(directory) and Path(directory).is_dir():
            return _seen(Path(directory).resolve(), commits=commits)
    except (OSError, ValueError, RuntimeError):
        pass  # closed to us, too long, a loop of links: like one that is not there
    clean = plain(storable(directory))
    return Checkout(clean, exists=False, name=basename(clean))


def _seen(real: Path, *, commits: bool) -> Checkout:
    common = common_dir(real)
    if common is None:
        return Checkout(storable(str(real)), exists=True, name=storable(real.name or str(real)))
    home = common.parent if common.name.startswith(".") else common  # .git, or .bare of a layout
    return Checkout(
        directory=storable(str(real)),
        exists=True,
        git_dir=storable(str(common)),
        remote=remote_of(common),
        root_commit=root_commit(real) if commits and not _is_shallow(common) else "",
        name=storable(home.name.removesuffix(".git") or str(home)),
        top=storable(str(home)) if home != common else "",
    )


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


def _is_shallow(common: Path) -> bool:
    # Its oldest commit is where the clone was cut, and moves with every deeper fetch.
    return (common / "shallow").is_file()


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
    text = url.strip().strip('"').rstrip("/")
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
    host = host.lower()
    path = path.strip("/").removesuffix(".git").rstrip("/")
    return f"{_SAME_HOST.get(host, host)}/{path.lower()}"


def _repository(place: Path) -> Path:
    return (common_dir(place.resolve()) or place.resolve()) if place.is_dir() else place


def root_commit(place: Path) -> str:
    """The oldest commit reachable from HEAD; '' where there is none or git does not answer."""
    commits = (_git(place, "rev-list", "--max-parents=0", "HEAD") or "").split()
    return commits[-1] if commits else ""


def holds_commit(place: Path, commits: Iterable[str]) -> bool:
    """Whether the repository has one of these commits, on whatever branch."""
    return any(
        _git(place, "cat-file", "-e", f"{commit}^{{commit}}") is not None for commit in commits
    )


def _git(place: Path, *args: str) -> str | None:
    """What git prints; None where it fails, is missing or takes too long."""
    return git.text(place, *args, timeout_s=_GIT_S)


def storable(path: str) -> str:
    """A path as UTF-8 can carry it: a byte that is none becomes ``\\udcXX``."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def plain(directory: str) -> str:
    """A directory's name without a trailing separator, in its own system's form."""
    if re.match(r"^[A-Za-z]:[\\/]|^\\\\", directory):
        clean = ntpath.normpath(directory)
        return clean[0].upper() + clean[1:]  # hosts write the drive's letter both ways
    return posixpath.normpath(directory or "/")


def is_absolute(directory: str) -> bool:
    return directory.startswith("/")


def basename(directory: str) -> str:
    return re.split(r"[\\/]", directory.rstrip("\\/"))[-1] or directory


def parents(directory: str) -> Iterator[str]:
    """The directory, then those above it, nearest first, up to somebody's home directory.

    What is gone below a home is not a part of what was once done in that home itself.
    """
    here = directory
    while here:
        yield here
        above = re.sub(r"[\\/][^\\/]*$", "", here)
        if above == here or _HOMES.match(above):
            return
        here = above
