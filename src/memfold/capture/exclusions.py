"""What the user never wants captured: directories, tools and files, by globs of the settings."""

from __future__ import annotations

import fnmatch
import posixpath
from collections.abc import Sequence
from pathlib import Path

from memfold.capture.tools import runs_ours, words_of
from memfold.records import ToolUsed
from memfold.settings import Settings


class Exclusions:
    """The three lists, as they stood when the daemon read its settings."""

    def __init__(self, settings: Settings) -> None:
        self._projects = [_home(glob) for glob in settings.names("excluded_projects")]
        self._tools = settings.names("excluded_tools")
        self._paths = [_home(glob) for glob in settings.names("excluded_paths")]

    def directory(self, *directories: str) -> bool:
        """Whether one of them is excluded, or lies in a directory that is."""
        return bool(self._projects) and any(
            _matches(part, self._projects) for given in directories for part in _upwards(given)
        )

    def reason(self, event: ToolUsed) -> str:
        """Why a tool use is left out; '' where it is not."""
        if _matches(event.tool, self._tools):
            return "excluded tool"
        if runs_ours(event.tool, event.input):
            return "memfold's own"
        if not self._paths:
            return ""
        files = (*event.files_read, *event.files_changed, *words_of(event.tool, event.input))
        return "excluded path" if any(self.path(file, event.cwd) for file in files) else ""

    def path(self, file: str, cwd: str) -> bool:
        """Whether a file is excluded; ``file`` may be relative to ``cwd``."""
        if not self._paths:
            return False
        whole = posixpath.normpath(posixpath.join(cwd, file))
        names = (file, posixpath.basename(whole), *_upwards(whole))
        return any(_matches(name, self._paths) for name in names)


def _home(glob: str) -> str:
    return str(Path(glob).expanduser()) if glob.startswith("~") else glob.rstrip("/") or "/"


def _matches(text: str, globs: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(text, glob) for glob in globs)


def _upwards(path: str) -> list[str]:
    """A path and those above it: `~/secret` covers what lies in it."""
    found = []
    while path and path not in found:
        found.append(path)
        path = posixpath.dirname(path)
    return found
