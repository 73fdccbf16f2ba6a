"""The index of a directory: recent observations about its files, as Markdown tables by file.

It stands in a file that a host puts before its agent as instructions, so stored text must stay
text there: it can neither end its table cell, nor hide, load or imitate anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from memfold.disclose.details import overtaken
from memfold.disclose.gather import once_each
from memfold.disclose.mode import Mode
from memfold.disclose.places import Directory
from memfold.disclose.times import clock_time, day, local
from memfold.display import one_line
from memfold.measure import utf16_units
from memfold.records import Entry
from memfold.settings import Settings
from memfold.store.ports import Library, Touched

NEWEST = 5_000  # observations of a project that are looked at
MAX_FILES = 20
MAX_ROWS = 5  # of each file
LIMIT_UNITS = 8_000  # UTF-16 units of the text, its markers and line ends included
_MARKERS_UNITS = 60
_LOOKED_AT = 50  # newest of each file, among which titles are shown once
_FILES_EACH = 3  # under how many files one observation stands
_TITLE_BYTES = 240
_PATH_BYTES = 240
_TYPE_BYTES = 40

_HEADING = "## Recent work on these files"
_ABOUT = (
    "What earlier sessions found, decided and changed here. `memfold claude-md` writes this and"
    " replaces it.\nFull text of an ID: `get_observations`. Search: `mem_search`."
    " Read: tokens the full text costs."
)
_NOTHING = "Nothing is remembered of these files yet. `memfold claude-md` writes it here."
_TABLE = ("| ID | Time | Type | Title | Read |", "| --- | --- | --- | --- | --- |")
# Backslashes before all that Markdown could take for more than text: code, a cell's end, HTML,
# links and images, and the `@` with which Claude Code loads a file.
_SPECIAL = re.compile(r"[\\`|<\[]|(?<=<)!|(?<=--)>|(?<!\w)@")


@dataclass(frozen=True, slots=True)
class FileGroup:
    """What is remembered of one file, newest first."""

    path: str  # below the directory
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class DirectoryIndex:
    text: str
    files: int = 0  # shown
    observations: int = 0
    files_left_out: int = 0


def group_by_file(touched: Sequence[tuple[Touched, Directory]]) -> tuple[FileGroup, ...]:
    """Files of the directory, the one worked on last first. Newest observations come first.

    An observation is about the files it changed; about those it read where it changed none.
    """
    found: dict[str, list[Entry]] = {}
    for one, directory in touched:
        changed = [mark.path for mark in one.entry.files]
        places = (directory.inside(path, one.entry.cwd) for path in changed or one.files_read)
        for place in list(dict.fromkeys(filter(None, places)))[:_FILES_EACH]:
            found.setdefault(place, []).append(one.entry)
    return tuple(FileGroup(path, tuple(entries)) for path, entries in found.items())


def gather_files(
    library: Library, settings: Settings, owners: Sequence[tuple[int, Directory]]
) -> tuple[FileGroup, ...]:
    """``owners``: each project the directory belongs to, and the directory as seen from it."""
    types, concepts = settings.names("index_types"), settings.names("index_concepts")
    touched = [
        (one, directory)
        for project_id, directory in owners
        for one in library.touched([project_id], NEWEST, types=types, concepts=concepts)
    ]
    touched.sort(key=lambda pair: (pair[0].entry.at_ms, pair[0].entry.id), reverse=True)
    return group_by_file(touched)


def render_files(
    groups: Sequence[FileGroup], mode: Mode, zone: tzinfo, limit_units: int = LIMIT_UNITS
) -> DirectoryIndex:
    """The text between the markers, in whole rows; within the limit also with CRLF line ends.

    The same groups give the same text: nothing in it depends on now.
    """
    if not groups:
        return DirectoryIndex(_NOTHING)
    lines = [_HEADING, "", _ABOUT]
    left = limit_units - _MARKERS_UNITS - _cost([*lines, *_left_out(len(groups))]) - 2
    files, shown = 0, set[int]()
    for group in groups[:MAX_FILES]:
        head = ["", f"### {_code(one_line(group.path, _PATH_BYTES))}", "", *_TABLE]
        entries = once_each(group.entries[:_LOOKED_AT])[:MAX_ROWS]
        table = [_row(entry, mode, zone) for entry in entries]
        while table and _cost([*head, *table]) > left:
            table.pop()
        if not table:
            break
        left -= _cost([*head, *table])
        lines += [*head, *table]
        files += 1
        shown |= {entry.id for entry in entries[: len(table)]}
    left_out = len(groups) - files
    if left_out:
        lines += _left_out(left_out)
    lines.append("")  # a blank line ends a table in every Markdown
    return DirectoryIndex("\n".join(lines), files, len(shown), left_out)


def _left_out(files: int) -> list[str]:
    some = "1 more file was" if files == 1 else f"{files:,} more files were"
    return ["", f"{some} worked on less recently: ask `mem_search`."]


def _row(entry: Entry, mode: Mode, zone: tzinfo) -> str:
    at = local(entry.at_ms, zone)
    labels = {one.id: one.label for one in mode.types}
    label = labels.get(entry.type) or one_line(entry.type, _TYPE_BYTES)
    again = f" ×{entry.seen_count}" if entry.seen_count > 1 else ""
    cells = (
        entry.ref,
        f"{day(at)} {clock_time(at)}",
        f"{mode.symbol(entry.type)} {_escaped(label)}",
        _escaped(one_line(entry.title, _TITLE_BYTES)) + overtaken(entry) + again,
        f"{entry.read_tokens:,}",
    )
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _code(text: str) -> str:
    """A code span around any one line: its fence is longer than any run of backticks inside."""
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    edge = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def _cost(lines: Sequence[str]) -> int:
    """Units these lines take; a line end may be two."""
    text = "\n".join(lines)
    return utf16_units(text) + 2 + text.count("\n")
