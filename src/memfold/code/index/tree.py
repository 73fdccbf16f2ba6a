"""What has changed in a tree since it was last looked at. Respects .gitignore files.

A folder's own time tells whether a name came or went in it, a file's time and size whether its
bytes may have changed: an unchanged tree costs one `stat` for each of its files and folders.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from pathspec import GitIgnoreSpec

from memfold.store.needs.symbols import FileStamp

MOST_FILES = 50_000
IGNORE = ".gitignore"
_NEVER = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__"})
_MOST_IGNORE_BYTES = 256 * 1024


@dataclass(slots=True)
class Look:
    """A tree as it is now, against what was known of it."""

    changed: dict[str, os.stat_result] = field(default_factory=dict)  # new ones too
    gone: set[str] = field(default_factory=set)
    folders: dict[str, int] = field(default_factory=dict)
    files: int = 0
    left_out: int = 0  # files beyond MOST_FILES

    @property
    def is_same(self) -> bool:
        return not self.changed and not self.gone


def look(
    root: str,
    files: Mapping[str, FileStamp],
    folders: Mapping[str, int],
    wanted: Callable[[str], bool],
) -> Look:
    """Compare the tree below ``root`` with what is known. ``wanted``: whether a path is kept."""
    if not folders:
        return _whole(root, files, wanted)
    found = Look(folders=dict(folders))
    fresh: list[str] = []
    for folder, mtime_ns in folders.items():
        try:
            now = os.stat(f"{root}/{folder}")
        except OSError:
            return _whole(root, files, wanted)  # a folder went, and all below it
        if now.st_mtime_ns != mtime_ns:
            fresh.append(folder)
    if any(_has_new_folder(root, folder, folders) for folder in fresh):
        return _whole(root, files, wanted)
    names = set(files)
    for folder in fresh:
        found.folders[folder] = os.stat(f"{root}/{folder}").st_mtime_ns
        here = {path for path in names if os.path.dirname(path) == folder}
        there = {path for path, is_dir in _listed(root, folder, wanted) if not is_dir}
        found.gone |= here - there
        names = (names - here) | there
    _stat(root, names, files, found)
    if any(_is_rules(path) for path in (*found.changed, *found.gone)):
        return _whole(root, files, wanted)
    return found


def _is_rules(path: str) -> bool:
    return path == IGNORE or path.endswith(f"/{IGNORE}")


def _whole(root: str, files: Mapping[str, FileStamp], wanted: Callable[[str], bool]) -> Look:
    found = Look()
    names: list[str] = []
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            found.folders[folder] = os.stat(f"{root}/{folder}").st_mtime_ns
        except OSError:
            continue  # gone meanwhile, or not ours to read
        for path, is_dir in _listed(root, folder, wanted):
            if is_dir:
                waiting.append(path)
            elif len(names) < MOST_FILES:
                names.append(path)
            else:
                found.left_out += 1
    _stat(root, set(names), files, found)
    found.gone |= set(files) - set(names)
    return found


def _stat(root: str, names: set[str], files: Mapping[str, FileStamp], found: Look) -> None:
    lstat, known_of = os.lstat, files.get
    for path in names:
        try:
            now = lstat(f"{root}/{path}")
        except OSError:
            found.gone.add(path)
            continue
        known = known_of(path)
        if known is not None and now.st_mtime_ns == known[1] and now.st_size == known[0]:
            continue  # as it is for all but a few
        if stat.S_ISREG(now.st_mode):
            found.changed[path] = now
        else:
            found.gone.add(path)
    found.files = len(names - found.gone)
    found.gone &= set(files)


def _listed(root: str, folder: str, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bool]]:
    """(path, whether it is a folder) of what counts in one folder; links do not."""
    try:
        with os.scandir(f"{root}/{folder}") as entries:
            here = list(entries)
    except OSError:
        return
    rules = _rules_above(root, folder)
    for entry in here:
        path = f"{folder}/{entry.name}" if folder else entry.name
        try:
            is_dir = entry.is_dir(follow_symlinks=False)
            is_file = entry.is_file(follow_symlinks=False)
        except OSError:
            continue
        if is_dir and entry.name not in _NEVER and not _is_ignored(rules, path, is_dir=True):
            yield path, True
        counts = is_file and (entry.name == IGNORE or wanted(path))
        if counts and not _is_ignored(rules, path, is_dir=False):
            yield path, False


def _has_new_folder(root: str, folder: str, folders: Mapping[str, int]) -> bool:
    listed = _listed(root, folder, lambda _path: False)
    return any(is_dir and path not in folders for path, is_dir in listed)


def _rules_above(root: str, folder: str) -> list[tuple[str, GitIgnoreSpec]]:
    """(folder, rules) from the folder itself up to the root; the nearest decide first."""
    found = []
    here = folder
    while True:
        spec = _rules_of(os.path.join(root, here, IGNORE))
        if spec is not None:
            found.append((here, spec))
        if not here:
            break
        here = os.path.dirname(here)
    own = _rules_of(os.path.join(root, ".git", "info", "exclude"))
    return [*found, ("", own)] if own is not None else found


def _rules_of(path: str) -> GitIgnoreSpec | None:
    try:
        now = os.stat(path)
    except OSError:
        return None
    return _read(path, now.st_mtime_ns, now.st_size)


@lru_cache(1_024)
def _read(path: str, _mtime_ns: int, size: int) -> GitIgnoreSpec | None:
    if size > _MOST_IGNORE_BYTES:
        return None
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return GitIgnoreSpec.from_lines(file.read().splitlines())
    except (OSError, ValueError):
        return None


def _is_ignored(rules: list[tuple[str, GitIgnoreSpec]], path: str, *, is_dir: bool) -> bool:
    for folder, spec in rules:
        below = path[len(folder) + 1 :] if folder else path
        include = spec.check_file(f"{below}/" if is_dir else below).include
        if include is not None:
            return include
    return False
