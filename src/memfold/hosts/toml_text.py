"""TOML edited as text: whole tables of ours in or out, every other byte as the person left it.

Tables are added behind everything else, which TOML allows wherever their parents are tables. What
comes out is read again and compared with what was meant; a file that cannot be changed so is
refused, never guessed at (docs/decisions/0024-install-codex.md).
"""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memfold.errors import HostFileProblem
from memfold.hosts.edit import Place
from memfold.hosts.files import decoded

_HEADER = re.compile(r"^[ \t]*\[.*\][ \t]*(?:#.*)?$")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
Table = Mapping[str, Any]  # strings, numbers, true, lists of strings, tables of strings


@dataclass(frozen=True, slots=True)
class Document:
    """A host's TOML file as text, for messages also its path."""

    path: Path
    text: str
    mark: bytes = b""  # byte order mark, kept as it was

    @classmethod
    def read(cls, path: Path, body: bytes) -> Document:
        mark, text = decoded(path, body)
        document = cls(path, text, mark)
        document.value()
        return document

    def body(self) -> bytes:
        return self.mark + self.text.encode("utf-8")

    def value(self) -> dict[str, Any]:
        """What the file says. Raises HostFileProblem with the line where it is not TOML."""
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise HostFileProblem(f"{self.path} is not valid TOML: {error}.") from error

    def at(self, place: Place) -> Any:
        """The value there; None where there is none."""
        value: Any = self.value()
        for key in place:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def with_tables(self, tables: Mapping[Place, Table]) -> Document:
        """The file with these tables at its end. Raises HostFileProblem where it has no room."""
        newline = "\r\n" if "\r\n" in self.text else "\n"
        blocks = [_render(place, table) for place, table in tables.items()]
        added = "\n\n".join(blocks).replace("\n", newline)
        # A file whose last line is open keeps it that way, which tells `without` what was there.
        if not self.text:
            text = added + newline
        elif self.text.endswith("\n"):
            text = f"{self.text}{newline}{added}{newline}"
        else:
            text = f"{self.text}{newline}{newline}{added}"
        wanted = copy.deepcopy(self.value())
        for place, table in tables.items():
            room = wanted
            for key in place[:-1]:
                room = room.setdefault(key, {}) if isinstance(room, dict) else {}
            if isinstance(room, dict):
                room[place[-1]] = dict(table)
        return self._checked(text, wanted, next(iter(tables), ()))

    def without(self, is_ours: Callable[[Place], bool]) -> Document:
        """The file without the tables at these places and below. Raises HostFileProblem."""
        wanted = copy.deepcopy(self.value())
        named = _pruned(wanted, is_ours)
        if not named:
            return self
        return self._checked(self._cut(is_ours), wanted, named[0])

    def _cut(self, is_ours: Callable[[Place], bool]) -> str:
        lines = _LINES.findall(self.text)
        headers = [
            (number, place)
            for number, line in enumerate(lines)
            if (place := _place(line)) and self._is_statement(lines[:number])
        ]
        is_open = False  # the last line, which was ours, had no line end
        kept, ends = lines[:], [number for number, _ in headers[1:]] + [len(lines)]
        for (start, place), end in reversed(list(zip(headers, ends, strict=True))):
            if not any(is_ours(place[:depth]) for depth in range(1, len(place) + 1)):
                continue
            last = end
            while last > start + 1 and _is_remark(lines[last - 1]):
                last -= 1  # blank lines and comments belong to what follows
            first = start
            if first and not lines[first - 1].strip():
                first -= 1  # the blank line we put before it
            kept[first:last] = []
            is_open |= last == len(lines) and not lines[-1].endswith("\n")
        text = "".join(kept)
        return text.removesuffix("\n").removesuffix("\r") if is_open else text

    def _is_statement(self, before: Sequence[str]) -> bool:
        """Whether a line starts a statement: false within a long string or list."""
        try:
            tomllib.loads("".join(before))
        except tomllib.TOMLDecodeError:
            return False
        return True

    def _checked(self, text: str, wanted: Mapping[str, Any], place: Place) -> Document:
        try:
            as_wanted = _solid(tomllib.loads(text)) == _solid(wanted)
        except tomllib.TOMLDecodeError:
            as_wanted = False
        if not as_wanted:
            raise HostFileProblem(
                f"{self.path} holds `{'.'.join(place[:-1])}` in a form that memfold does not edit.",
                f"Nothing was changed. Write it there as [{'.'.join(place[:-1])}.NAME] tables, "
                "then run it again.",
            )
        return Document(self.path, text, self.mark)


def _solid(value: Any) -> Any:
    """The value without empty tables: whether `[mcp_servers]` stands alone makes no difference."""
    if not isinstance(value, dict):
        return value
    return {key: solid for key, one in value.items() if (solid := _solid(one)) != {}}


def _pruned(value: dict[str, Any], is_ours: Callable[[Place], bool]) -> list[Place]:
    """Takes our tables out of ``value``; their places."""
    found: list[Place] = []

    def prune(table: dict[str, Any], at: Place) -> None:
        for key, inner in list(table.items()):
            place = (*at, key)
            if is_ours(place):
                found.append(place)
                del table[key]
            elif isinstance(inner, dict):
                prune(inner, place)

    prune(value, ())
    return found


def _place(line: str) -> Place:
    """The place a header line names; () for any other line."""
    if not _HEADER.match(line.rstrip("\r\n")):
        return ()
    try:
        value: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    place: list[str] = []
    while isinstance(value, dict) and value:
        (key,) = value
        place.append(key)
        value = value[key]
        if isinstance(value, list):
            value = value[0]
    return tuple(place)


def _is_remark(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _render(place: Place, table: Table) -> str:
    head = ".".join(key if _BARE.fullmatch(key) else _string(key) for key in place)
    return "\n".join([f"[{head}]", *(f"{key} = {_literal(one)}" for key, one in table.items())])


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_literal(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_literal(one) for one in value) + "]"
    return str(value)


def _string(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
