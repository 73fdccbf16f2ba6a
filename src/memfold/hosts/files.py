"""Host files changed safely: read, compared, written beside and renamed; a record to undo it.

The record (``backups/<host>.json`` in the data directory) says for each file what it was before
us, so that uninstall gives back the very bytes when nobody else changed the file in between.
"""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import json
import os
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

from memfold.errors import HostFileProblem


@dataclass(frozen=True, slots=True)
class Change:
    """What one file becomes. None stands for no file."""

    path: Path  # as named by the host; a link is followed when writing
    before: bytes | None
    after: bytes | None
    mode: int = 0o600  # of a new file

    @property
    def changes(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Written:
    """What the record keeps of one file we changed."""

    after_sha256: str  # of what we wrote
    backup: str  # file name in backups/ holding what was there; empty: there was no file
    made: tuple[tuple[str, ...], ...] = ()  # objects and arrays made for our entries
    folders: tuple[str, ...] = ()  # folders made for the file, innermost first


@dataclass(slots=True)
class Record:
    """All files changed for one host."""

    path: Path
    files: dict[str, Written] = field(default_factory=dict)

    @classmethod
    def load(cls, home: Path, host: str) -> Record:
        record = cls(home / "backups" / f"{host}.json")
        body = read(record.path)
        if body is None:
            return record
        try:
            for name, entry in json.loads(body)["files"].items():
                made = tuple(tuple(place) for place in entry["made"])
                record.files[name] = Written(
                    entry["after_sha256"], entry["backup"], made, tuple(entry["folders"])
                )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise HostFileProblem(
                f"{record.path} cannot be read.",
                "Remove it, then run the command again; our entries are recognised without it.",
            ) from error
        return record

    def save(self) -> None:
        self._make_room()
        files = {name: asdict(written) for name, written in self.files.items()}
        write(self.path, json.dumps({"files": files}, indent=1).encode() + b"\n")

    def keep(self, path: Path, body: bytes | None) -> str:
        """Store what was in a file before us; the backup's name."""
        if body is None:
            return ""
        name = f"{path.name}.{digest(str(path).encode())[:12]}.{digest(body)[:12]}"
        self._make_room()
        write(self.path.parent / name, body)
        return name

    def _make_room(self) -> None:
        home = self.path.parent.parent
        home.mkdir(mode=0o700, parents=True, exist_ok=True)  # `parents` get no mode of ours
        self.path.parent.mkdir(mode=0o700, exist_ok=True)

    def backup(self, written: Written) -> bytes | None:
        return read(self.path.parent / written.backup) if written.backup else None


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def read(path: Path) -> bytes | None:
    """The file's bytes, None where there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise HostFileProblem(f"{path} cannot be read ({error.strerror}).") from error


def decoded(path: Path, body: bytes) -> tuple[bytes, str]:
    """Its byte order mark, or none, and its text. Raises HostFileProblem."""
    mark = codecs.BOM_UTF8 if body.startswith(codecs.BOM_UTF8) else b""
    try:
        return mark, body[len(mark) :].decode("utf-8")
    except UnicodeDecodeError as error:
        raise HostFileProblem(f"{path} is not UTF-8 text.") from error


def apply(change: Change) -> tuple[str, ...]:
    """Make the file what the change says; the folders that had to be made for it.

    Refuses when the file is no longer what was read: the host may be writing it.
    """
    if read(change.path) != change.before:
        raise HostFileProblem(f"{change.path} was changed by another program just now.")
    folders: list[str] = []
    try:
        if change.after is None:
            change.path.unlink(missing_ok=True)
            return ()
        folder = change.path.parent
        while not folder.exists():
            folders.append(str(folder))
            folder = folder.parent
        change.path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HostFileProblem(f"{change.path} cannot be changed ({error.strerror}).") from error
    write(change.path, change.after, new_mode=change.mode)
    return tuple(folders)


def refuse_read_only(change: Change) -> None:
    """Raises HostFileProblem where nobody is meant to write; renaming would get round that."""
    if change.changes and change.path.exists() and not change.path.stat().st_mode & 0o222:
        raise HostFileProblem(
            f"{change.path} is read-only.",
            "Nothing was changed. Make it writable, or change what makes it, then run it again.",
        )


def remove_folders(folders: tuple[str, ...]) -> None:
    """Folders we made, where nothing is in them now."""
    for folder in folders:
        with contextlib.suppress(OSError):  # not empty, or gone: not ours to remove
            Path(folder).rmdir()


def write(path: Path, body: bytes, *, new_mode: int = 0o600) -> None:
    """Replace the file in one step; a link's target is replaced, its permissions stay."""
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode & 0o7777 if target.exists() else new_mode
        handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            Path(beside).chmod(mode)
            Path(beside).replace(target)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise HostFileProblem(f"{path} cannot be written ({error.strerror}).") from error
