"""Where a path that an observation names lies in a directory of today.

Sessions of one project run in several checkouts: worktrees, clones, places that are gone by now.
A file of any of them is the file at the same place in the checkout that is asked about. Only
files that are there count, so that a wrong guess about a place that is gone shows nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cache

# Where agents put throwaway worktrees inside a checkout: `.claude/worktrees/<name>`, `worktrees/…`.
_WORKTREE = re.compile(r"^(.*/\.?worktrees/[^/]+)(?:/|$)")


class Directory:
    """A directory, the checkout it is in, and the files below it; looks at the disk."""

    def __init__(self, folder: str, home: str = "", roots: Sequence[str] = ()) -> None:
        """``home``: the directory its project was known by, at or above ``folder``.

        ``roots``: where checkouts of the project are or were.
        """
        self._folder = os.path.realpath(folder)
        home = os.path.realpath(home) if home else self._folder
        self._root = checkout_of(home) or home
        self._roots = sorted({self._root, *roots}, key=len, reverse=True)
        self._root_of = cache(self._find_root)
        self._is_file = cache(os.path.isfile)
        self._real = cache(os.path.realpath)

    def inside(self, path: str, cwd: str) -> str:
        """The file's path below the directory; empty when it is elsewhere or not there.

        ``path`` is absolute or relative to ``cwd``, the directory of the session that named it.
        """
        if not path or "\0" in path or "\0" in cwd:
            return ""
        try:
            place = self._place(path, cwd)
            found = _below(place, self._folder) and self._is_file(place)
        except ValueError:  # a lone surrogate: no file of this system is named so
            return ""
        return os.path.relpath(place, self._folder) if found else ""

    def _place(self, path: str, cwd: str) -> str:
        """The file in the checkout that is asked about; empty where nothing can be said."""
        base = self._real(cwd) if cwd else ""
        within = path.removeprefix(cwd.rstrip("/") + "/") if cwd else path
        named = os.path.join(base, within)  # noqa: PTH118  # thousands of them, and they stay text
        if not named.startswith("/"):
            return ""
        folder, name = os.path.split(os.path.normpath(named))
        place = f"{self._real(folder).rstrip('/')}/{name}"
        root = self._root_of(cwd) if cwd.startswith("/") else ""
        # A worktree may lie inside the checkout: then the file is in whichever is nearer to it.
        already_here = _below(place, self._root) and _below(self._root, root)
        if root and _below(place, root) and not already_here:
            return self._root + place[len(root) :]
        return place

    def _find_root(self, cwd: str) -> str:
        """The top of the checkout the session ran in; empty for a directory outside git."""
        real = self._real(cwd)
        if os.path.isdir(real):  # noqa: PTH112  # as above
            return checkout_of(real)
        worktree = _WORKTREE.match(real)
        if worktree:
            return worktree[1]
        return next((root for root in self._roots if _below(real, root)), real)


def checkout_of(place: str) -> str:
    """The nearest directory at or above it that holds `.git`; empty where there is none."""
    here = place
    while True:
        if os.path.exists(f"{here.rstrip('/')}/.git"):  # noqa: PTH110  # as above
            return here
        above = os.path.dirname(here)  # noqa: PTH120  # as above
        if above == here:
            return ""
        here = above


def _below(place: str, folder: str) -> bool:
    return place == folder or place.startswith(folder.rstrip("/") + "/")
