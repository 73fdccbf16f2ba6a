"""A host's JSON file with our entries and without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memfold.hosts import files
from memfold.hosts.edit import Document, Entry, IsOurs, Place, holds, put_in, take_out
from memfold.hosts.files import Change, Record
from memfold.hosts.plan import Plan


@dataclass(frozen=True, slots=True)
class Kind:
    """Entries of one kind: where they may stand, and how ours are told from others."""

    places: tuple[tuple[Place, bool], ...]  # (place, whether it is a list)
    is_ours: IsOurs


def install(
    path: Path, entries: Sequence[Entry], kinds: Sequence[Kind], record: Record, new_mode: int
) -> Plan:
    """The file with exactly these entries of ours. Raises HostFileProblem.

    An entry whose name somebody else has taken is left as it is.
    """
    now = files.read(path)
    is_ours = _any_of(kinds)
    if now is not None:
        document = Document.read(path, now)
        wanted = [entry for entry in entries if not _taken(document, entry, is_ours)]
        if holds(document, wanted, is_ours) or not wanted:
            return Plan(Change(path, now, now))
        entries = wanted
    base = without(path, now, kinds, record)
    document, made = put_in(Document.read(path, base or b""), entries)
    return Plan(Change(path, now, document.body(), new_mode), base, made, _told(entries))


def uninstall(path: Path, kinds: Sequence[Kind], record: Record) -> Plan:
    """The file without anything of ours. Raises HostFileProblem."""
    now = files.read(path)
    return Plan(Change(path, now, without(path, now, kinds, record)))


def without(path: Path, now: bytes | None, kinds: Sequence[Kind], record: Record) -> bytes | None:
    """What the file is without us: its old bytes if only we changed it, else ours cut out."""
    written = record.files.get(str(path))
    if now is None or not now.strip():
        return now
    if written is not None and files.digest(now) == written.after_sha256:
        return record.backup(written)
    document = Document.read(path, now)
    made = written.made if written is not None else ()
    for kind in kinds:
        document = take_out(document, kind.places, kind.is_ours, made)
    we_made_it = written is not None and not written.backup
    return None if we_made_it and not document.root().value else document.body()


def ours(path: Path, kinds: Sequence[Kind]) -> list[Entry]:
    """Our entries in a file. Raises HostFileProblem."""
    body = files.read(path)
    if body is None:
        return []
    document = Document.read(path, body)
    found = []
    for kind in kinds:
        for place, in_list in kind.places:
            room = document.at(place, expect=list if in_list else dict)
            children = room.children if room is not None else []
            entries = [Entry(place, child.node.value, child.key) for child in children]
            found += [entry for entry in entries if kind.is_ours(entry)]
    return found


def _taken(document: Document, entry: Entry, is_ours: IsOurs) -> bool:
    if entry.key is None:
        return False
    room = document.at(entry.place, expect=dict)
    if room is None or entry.key not in room.value:
        return False
    return not is_ours(Entry(entry.place, room.value[entry.key], entry.key))


def _any_of(kinds: Sequence[Kind]) -> IsOurs:
    return lambda entry: any(kind.is_ours(entry) for kind in kinds)


def _told(entries: Sequence[Entry]) -> str:
    hooks = sum(entry.key is None for entry in entries)
    words = [f"{hooks} hooks"] if hooks else []
    words += [f"MCP server `{entry.key}`" for entry in entries if entry.key is not None]
    return " and ".join(words)
