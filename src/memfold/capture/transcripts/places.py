"""The directory a session ran in, where its host's file does not simply say so.

In this order: what the host notes beside its files, what its folder's name stands for, what the
paths that its tools were given have in common, and at last the folder that the file lies in.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from memfold.capture.transcripts.lines import Reading, as_dict, as_text

_MOST_PATHS = 500
_MOST_CHARS = 1_000  # of a path
_MOST_BYTES = 1 << 20  # of a host's own small file
_NAMES_A_PATH = re.compile(r"path|file|dir|cwd|folder", re.IGNORECASE)
_SHALLOW = 3  # parts of /home/user: a folder that holds everything says nothing


def paths_in(inputs: Iterable[Any]) -> list[str]:
    """Absolute paths among what tools were given under telling names, in order, once each."""
    found: dict[str, None] = {}
    for given in inputs:
        for name, value in as_dict(given).items():
            says_so = isinstance(value, str) and _NAMES_A_PATH.search(str(name))
            path = plain_path(value) if says_so else ""
            if path.startswith("/") and len(path) < _MOST_CHARS and "\n" not in path:
                found[path] = None
        if len(found) >= _MOST_PATHS:
            break
    return list(found)


def plain_path(value: str) -> str:
    """A path, of a file URL too."""
    if value.startswith("file://"):
        return unquote(value.removeprefix("file://"))
    return value


def common_folder(paths: Sequence[str]) -> str:
    """The deepest folder that holds all the paths; '' where it says too little.

    Hidden folders are the programs' own, and what lies in /tmp belongs to no project.
    """
    plain = [
        PurePosixPath(path)
        for path in paths
        if not path.startswith("/tmp/")  # noqa: S108  # a comparison
        and not any(part.startswith(".") for part in PurePosixPath(path).parts[:-1])
    ]
    folders = [str(path.parent if path.suffix else path) for path in plain]
    if not folders:
        return ""
    folder = os.path.commonpath(folders)
    return folder if len(PurePosixPath(folder).parts) > _SHALLOW else ""


def file_folder(path: Path, reading: Reading) -> str:
    """The folder the file lies in: a session that names no directory is filed under it."""
    reading.placed = True
    return str(path.absolute().parent)


def gemini_folder(path: Path, project_hash: str, paths: Sequence[str]) -> str:
    """Of a Gemini CLI chat in ``tmp/<name or hash>/chats``; '' where nothing tells.

    The name is looked up in Gemini's own notes; the hash is the SHA-256 of the directory, and so
    tells which of the folders above the paths it was.
    """
    chats = next((parent for parent in path.parents if parent.name == "chats"), None)
    if chats is not None:
        root = _small_text(chats.parent / ".project_root").strip()
        if root.startswith("/"):
            return root
        noted = as_dict(_small_json(chats.parent.parent.parent / "projects.json"))
        for directory, name in as_dict(noted.get("projects")).items():
            if name == chats.parent.name:
                return directory
    for place in _folders_above(paths):
        if hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest() == project_hash:
            return place
    return common_folder(paths)


def cursor_folder(path: Path, paths: Sequence[str]) -> str:
    """Of a Cursor transcript in ``projects/<name>/agent-transcripts``; '' where nothing tells.

    The name is the directory with every odd character as a dash, so that several directories
    could be meant: one that a tool was given, else one that is there.
    """
    at = next((parent for parent in path.parents if parent.name == "agent-transcripts"), None)
    name = at.parent.name if at is not None else ""
    if name:
        for place in _folders_above(paths):
            if _dashed(place) == name:
                return place
        there = next(_spelled(Path("/"), name), "")
        if there:
            return there
    return common_folder(paths)


def _folders_above(paths: Sequence[str]) -> Iterator[str]:
    seen: set[str] = set()
    for path in paths:
        for place in (path.rstrip("/"), *map(str, PurePosixPath(path).parents)):
            if place not in seen:
                seen.add(place)
                yield place


def _dashed(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", path).strip("-")


def _spelled(folder: Path, rest: str) -> Iterator[str]:
    """Directories below ``folder`` whose dashed names are ``rest``."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    except OSError:
        return  # not ours to look into
    for name in names:
        dashed = _dashed(name)
        if dashed and dashed == rest:
            yield str(folder / name)
        elif dashed and rest.startswith(f"{dashed}-"):
            yield from _spelled(folder / name, rest.removeprefix(f"{dashed}-"))


def _small_text(path: Path) -> str:
    """A small file's text; '' where there is none."""
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _small_json(path: Path) -> Any:
    try:
        return json.loads(as_text(_small_text(path)) or "null")
    except (ValueError, RecursionError):
        return None
