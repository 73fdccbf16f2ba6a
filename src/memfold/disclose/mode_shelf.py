"""All modes that can be had: the shipped ones and a person's own, ``modes/*.json``.

A file is parsed when it is first asked for and when it has changed; otherwise finding a mode costs
two looks at the folder's entry for each of the person's files behind it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from memfold.disclose.mode import (
    DEFAULT,
    MAX_CHAIN,
    OWN_SIGNS,
    Mode,
    joined,
    load_mode,
    shipped_file,
    shipped_ids,
)
from memfold.disclose.mode_file import ID, ModeFile, nearest, read_file
from memfold.errors import InvalidInput

FOLDER = "modes"  # in the data directory
SHIPPED = "shipped with memfold"
# A file written again within one tick of its clock looks the same: until then it is read again.
_TICK_NS = 2_000_000_000  # the coarsest in use


@dataclass(frozen=True, slots=True)
class Usable:
    """The mode to work with, and why it is not the one asked for."""

    mode: Mode
    trouble: str = ""  # one sentence and its next step; empty where the mode is the one asked for


@dataclass(frozen=True, slots=True)
class OnShelf:
    """One mode as it is listed."""

    source: str  # the file, or SHIPPED
    mode: Mode | None  # None: it cannot be used
    trouble: str = ""


class _Known(NamedTuple):
    """One of the person's files as it was read last."""

    stamp: tuple[int, int, int, int]  # inode, size, times of its content and its entry
    settled: bool  # it can no longer change without another stamp
    found: ModeFile | InvalidInput


class Shelf:
    """The modes of one data directory. Safe to use from any thread."""

    def __init__(self, folder: Path, clock_ns: Callable[[], int] = time.time_ns) -> None:
        """``folder``: where the person's own modes lie; it need not be there."""
        self._folder = folder
        self._clock_ns = clock_ns
        # What is kept is replaced as a whole, so threads can at worst read a file twice.
        self._files: dict[str, _Known] = {}
        self._joined: dict[str, tuple[tuple[ModeFile, ...], Mode]] = {}

    def find(self, mode_id: str) -> Mode:
        """The mode of that id; the same object until a file behind it changes.

        Raises InvalidInput that names the file, or the modes there are.
        """
        if mode_id in shipped_ids():
            return load_mode(mode_id)
        file = self._own_file(mode_id)
        if file is None:
            raise InvalidInput(f"There is no mode {mode_id[:40]!r}.", nearest(mode_id, self.ids()))
        return self._with_parents(file)

    def usable(self, mode_id: str) -> Usable:
        """That mode, or ``code`` with the reason: an index is shown whatever a file holds."""
        try:
            return Usable(self.find(mode_id))
        except InvalidInput as error:
            return Usable(load_mode(DEFAULT), str(error))

    def check(self, path: Path) -> Mode:
        """The mode of a file anywhere, as it would be on the shelf. Raises InvalidInput."""
        if path.resolve().parent == self._folder.resolve():
            return self._with_parents(self._read(path))
        file = read_file(path, str(path), OWN_SIGNS)
        _refuse_shipped(file)
        return self._with_parents(file)

    def all(self) -> Iterator[OnShelf]:
        """Every mode, the shipped ones first, those that cannot be used included."""
        for mode_id in shipped_ids():
            yield OnShelf(SHIPPED, load_mode(mode_id))
        for path in sorted(self._folder.glob("*.json")):
            try:
                yield OnShelf(str(path), self._with_parents(self._read(path)))
            except InvalidInput as error:
                yield OnShelf(str(path), None, str(error))

    def ids(self) -> tuple[str, ...]:
        """What can be asked for, whether or not it can be used."""
        own = (path.stem for path in sorted(self._folder.glob("*.json")))
        return (*shipped_ids(), *(name for name in own if name not in shipped_ids()))

    def source(self, mode_id: str) -> str:
        """Where the mode comes from."""
        return SHIPPED if mode_id in shipped_ids() else str(self._folder / f"{mode_id}.json")

    def _with_parents(self, file: ModeFile) -> Mode:
        chain = [file]
        while chain[-1].extends:
            chain.append(self._parent(chain))
        files = tuple(chain)
        known = self._joined.get(file.where)
        if known is not None and _same(known[0], files):
            return known[1]
        mode = joined(files)
        self._joined[file.where] = (files, mode)
        return mode

    def _parent(self, chain: list[ModeFile]) -> ModeFile:
        child, wanted = chain[-1], chain[-1].extends
        named = " -> ".join([*(one.id for one in chain), wanted])
        if wanted in (one.id for one in chain):
            raise InvalidInput(
                f"{child.where}: `extends` closes a circle: {named}.",
                "Let one of them extend none.",
            )
        if len(chain) == MAX_CHAIN:
            raise InvalidInput(
                f"{child.where}: `extends` is too long a chain: {named}.",
                f"It takes up to {MAX_CHAIN} modes.",
            )
        if wanted in shipped_ids():
            return shipped_file(wanted)
        try:
            found = self._own_file(wanted)
        except InvalidInput as error:
            raise InvalidInput(
                f"{chain[0].where}: a mode it extends cannot be used ({named}): {error.message}",
                error.next_step,
            ) from error
        if found is None:
            raise InvalidInput(
                f"{child.where}: `extends` is {wanted!r}, and there is no such mode ({named}).",
                nearest(wanted, [name for name in self.ids() if name != child.id]),
            )
        return found

    def _own_file(self, mode_id: str) -> ModeFile | None:
        """None: there is no such file."""
        if not ID.fullmatch(mode_id):  # and so no path into another folder
            return None
        path = self._folder / f"{mode_id}.json"
        try:
            path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:  # a folder that may not be entered: reading says why
            pass
        return self._read(path)

    def _read(self, path: Path) -> ModeFile:
        """A file of the folder, parsed anew only when it has changed."""
        where = f"{FOLDER}/{path.name}"
        try:
            now = path.stat()
        except OSError as error:
            raise InvalidInput(
                f"{where}: it cannot be read ({error.strerror}).", "Make it readable, or remove it."
            ) from error
        stamp = (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
        known = self._files.get(path.name)
        if known is None or known.stamp != stamp or not known.settled:
            settled = self._clock_ns() - max(now.st_mtime_ns, now.st_ctime_ns) > _TICK_NS
            found = _checked(path, where)
            if known is not None and known.found == found:
                found = known.found  # the same object: nothing built on it is built again
            known = _Known(stamp, settled, found)
            self._files[path.name] = known
        if isinstance(known.found, InvalidInput):
            raise InvalidInput(known.found.message, known.found.next_step)
        return known.found


def _checked(path: Path, where: str) -> ModeFile | InvalidInput:
    try:
        file = read_file(path, where, OWN_SIGNS)
        _refuse_shipped(file)
    except InvalidInput as error:
        return error
    if file.id != path.stem:
        return InvalidInput(
            f"{where}: its `id` is {file.id!r}, which is not the file's name.",
            f"Name the file {file.id}.json, or change the id.",
        )
    return file


def _refuse_shipped(file: ModeFile) -> None:
    if file.id in shipped_ids():
        raise InvalidInput(
            f"{file.where}: `id` is {file.id!r}, which is a mode of memfold's own.",
            f'Choose another id; `"extends": "{file.id}"` inherits from it.',
        )


def _same(some: tuple[ModeFile, ...], others: tuple[ModeFile, ...]) -> bool:
    return len(some) == len(others) and all(a is b for a, b in zip(some, others, strict=True))
