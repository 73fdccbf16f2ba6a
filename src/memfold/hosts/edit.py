"""Our entries put into a host's JSON file and taken out again, whatever else is in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memfold.errors import HostFileProblem
from memfold.hosts import json_text
from memfold.hosts.files import decoded
from memfold.hosts.json_text import Node, NotJson

Place = tuple[str, ...]  # keys from the file's root down to an object or array


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing of ours in a host's file."""

    place: Place
    value: Any
    key: str | None = None  # member name; None: an item of the array at ``place``


IsOurs = Callable[[Entry], bool]


@dataclass(frozen=True, slots=True)
class Document:
    """A host's file as text, for messages also its path."""

    path: Path
    text: str
    mark: bytes = b""  # byte order mark, kept as it was

    @classmethod
    def read(cls, path: Path, body: bytes) -> Document:
        mark, text = decoded(path, body)
        document = cls(path, text if text.strip() else "{}\n", mark)
        if not isinstance(document.root().value, dict):
            raise HostFileProblem(f"{path} holds something other than a JSON object.")
        return document

    def body(self) -> bytes:
        return self.mark + self.text.encode("utf-8")

    def root(self) -> Node:
        try:
            return json_text.parse(self.text)
        except NotJson as error:
            raise HostFileProblem(f"{self.path} is not valid JSON: {error}.") from error

    def changed(self, text: str) -> Document:
        return Document(self.path, text, self.mark)

    def at(self, place: Place, *, expect: type) -> Node | None:
        """The object or array at ``place``; None where it is not there."""
        node: Node | None = self.root()
        for depth, key in enumerate(place):
            self._must_be(node, dict, place[:depth])
            node = node.child(key) if node is not None else None
            if node is None:
                return None
        self._must_be(node, expect, place)
        return node

    def _must_be(self, node: Node | None, expect: type, place: Place) -> None:
        if node is not None and not isinstance(node.value, expect):
            word = "an object" if expect is dict else "a list"
            raise HostFileProblem(f"In {self.path}, `{'.'.join(place)}` is not {word}.")


def holds(document: Document, entries: Sequence[Entry], is_ours: IsOurs) -> bool:
    """Whether exactly these entries of ours are in the file."""
    places = {(entry.place, entry.key is None) for entry in entries}
    found = [
        entry for place, in_list in places for _, entry in _ours(document, place, in_list, is_ours)
    ]
    return len(found) == len(entries) and all(entry in found for entry in entries)


def put_in(document: Document, entries: Sequence[Entry]) -> tuple[Document, tuple[Place, ...]]:
    """The file with the entries, and the objects and arrays that had to be made for them."""
    made: list[Place] = []
    for entry in entries:
        in_list = entry.key is None
        document = _make_room(document, entry.place, in_list, made)
        room = document.at(entry.place, expect=list if in_list else dict)
        if room is None:
            raise HostFileProblem(f"{document.path} cannot be extended.")
        document = document.changed(json_text.add(document.text, room, entry.value, entry.key))
    return document, tuple(made)


def take_out(
    document: Document,
    places: Sequence[tuple[Place, bool]],
    is_ours: IsOurs,
    made: Sequence[Place] = (),
) -> Document:
    """The file without anything of ours at these places; rooms we made go too where empty.

    ``places``: (place, whether it is a list).
    """
    for place, in_list in places:
        while found := list(_ours(document, place, in_list, is_ours)):
            room = document.at(place, expect=list if in_list else dict)
            if room is None:
                break
            document = document.changed(json_text.remove(document.text, room, found[-1][0]))
    for place in sorted(made, key=len, reverse=True):
        outer = document.at(place[:-1], expect=dict)
        if outer is None:
            continue
        for index, child in enumerate(outer.children):
            if child.key == place[-1] and not child.node.value and not child.node.children:
                document = document.changed(json_text.remove(document.text, outer, index))
                break
    return document


def _make_room(document: Document, place: Place, in_list: bool, made: list[Place]) -> Document:
    for depth in range(1, len(place) + 1):
        part = place[:depth]
        expect: type = list if in_list and depth == len(place) else dict
        if document.at(part, expect=expect) is None:
            outer = document.at(part[:-1], expect=dict)
            if outer is None:
                raise HostFileProblem(f"{document.path} cannot be extended.")
            document = document.changed(json_text.add(document.text, outer, expect(), part[-1]))
            made.append(part)
    return document


def _ours(
    document: Document, place: Place, in_list: bool, is_ours: IsOurs
) -> list[tuple[int, Entry]]:
    room = document.at(place, expect=list if in_list else dict)
    if room is None:
        return []
    entries = [
        (index, Entry(place, child.node.value, child.key))
        for index, child in enumerate(room.children)
    ]
    return [(index, entry) for index, entry in entries if is_ours(entry)]
