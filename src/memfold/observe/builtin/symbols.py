"""Functions and classes that an edit added, changed or removed, read off the edit itself.

No parser: the lines that define something, by one small expression for each family of languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memfold.observe.builtin.calls import Change, changes_of
from memfold.records import ToolUse

MOST = 6  # names of each kind
_MAX_LINE = 300
_MAX_TEXT = 100_000
_C_LIKE = r"(?:class|interface|enum|record|struct|trait|object)\s+(\w+)"
_FAMILIES: Mapping[str, str] = {
    "py pyi": r"(?:async\s+)?def\s+(\w+)|class\s+(\w+)",
    "go": r"func\s+(?:\([^)]*\)\s*)?(\w+)|type\s+(\w+)\s",
    "rs": r"(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|const|unsafe)\s+)*(?:fn|struct|enum|trait|mod|type)\s+(\w+)",
    "js jsx ts tsx mjs cjs vue svelte": r"(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\*?|class|interface|type|enum)\s+(\w+)"
    r"|(?:export\s+)?(?:const|let)\s+(\w+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*(?::[^=]+)?=>",
    "rb ex exs": r"(?:defp?|defmodule|defmacro|class|module)\s+([\w.?!]+)",
    "php": rf"(?:(?:public|private|protected|static|abstract|final)\s+)*function\s+(\w+)|(?:abstract\s+|final\s+)?{_C_LIKE}",
    "java kt kts cs scala swift dart": rf"(?:(?:public|private|protected|internal|static|final|open|override|abstract|sealed|data|suspend)\s+)*(?:{_C_LIKE}|(?:fun|func|def)\s+(\w+))",
    "c h cc cpp hpp cxx": r"(?:class|struct|enum|namespace)\s+(\w+)\s*[:{]|(?:[\w:*&<>]+\s+)+\*?(\w+)\s*\([^;]*$",
    "sh bash zsh": r"(?:function\s+)?([\w-]+)\s*\(\)",
    "sql": r"create\s+(?:or\s+replace\s+)?(?:unique\s+)?(?:table|view|index|function|procedure)\s+(?:if\s+not\s+exists\s+)?([\w.]+)",
}
_DEFINES = {
    ending: re.compile(rf"^\s*(?:{pattern})", re.IGNORECASE if ending == "sql" else 0)
    for endings, pattern in _FAMILIES.items()
    for ending in endings.split()
}


@dataclass(frozen=True, slots=True)
class Symbols:
    """Names in the order met; a name stands in one of the three."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


def symbols_of(uses: Iterable[ToolUse]) -> dict[str, Symbols]:
    """Path -> what the edits did to it; paths of languages that are not known are left out."""
    by_path: dict[str, list[Change]] = {}
    for use in uses:
        for change in changes_of(use):
            by_path.setdefault(change.path, []).append(change)
    found = {path: _of_file(path, changes) for path, changes in by_path.items()}
    return {path: symbols for path, symbols in found.items() if symbols}


def _of_file(path: str, changes: Iterable[Change]) -> Symbols:
    defines = _DEFINES.get(path.rsplit(".", 1)[-1].casefold())
    if defines is None:
        return Symbols()
    before: dict[str, None] = {}
    after: dict[str, None] = {}
    for change in changes:
        old, new = _names(defines, change.old), _names(defines, change.new)
        within = _names(defines, change.within)
        before |= dict.fromkeys([*old, *within])
        # A later edit has the last word on a name that an earlier one brought or took.
        after = {name: None for name in after if name not in old} | dict.fromkeys([*within, *new])
    return Symbols(
        added=tuple(name for name in after if name not in before)[:MOST],
        changed=tuple(name for name in after if name in before)[:MOST],
        removed=tuple(name for name in before if name not in after)[:MOST],
    )


def _names(defines: re.Pattern[str], text: str) -> list[str]:
    lines = text[:_MAX_TEXT].splitlines()
    found = (defines.match(line) for line in lines if len(line) <= _MAX_LINE)
    return [next(name for name in match.groups() if name) for match in found if match]


def in_words(path: str, symbols: Symbols) -> str:
    """``pool.py: added `drain`, changed `run` ``."""
    parts = [
        f"{what} {', '.join(f'`{name}`' for name in names)}"
        for what, names in (
            ("added", symbols.added),
            ("changed", symbols.changed),
            ("removed", symbols.removed),
        )
        if names
    ]
    return f"{path}: {', '.join(parts)}"
