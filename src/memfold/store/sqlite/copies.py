"""Copies of a database as one checked file, and what a file that is said to be one holds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import apsw

from memfold.errors import StoreDamaged, StoreError, StoreTooNew
from memfold.store.needs.keeping import CopyMade
from memfold.store.sqlite.base import Base
from memfold.store.sqlite.connection import translated
from memfold.store.sqlite.schema import newest_schema, schema_version


@dataclass(frozen=True, slots=True)
class Held:
    """What a database file holds."""

    schema: int
    observations: int
    tool_uses: int


class CopyingPart(Base):
    """Implements ports.Copying."""

    def copy_to(self, target: Path) -> CopyMade:
        with self._readers.connection() as connection:
            schema = copy(connection, target)
        return CopyMade(schema=schema, bytes=target.stat().st_size)


def copy(source: apsw.Connection, target: Path, *, only_schema: int = 0) -> int:
    """Write all of ``source`` to ``target``, whole and checked or not at all; its schema.

    Writers go on meanwhile. With ``only_schema``, what has another by now is not kept.
    Raises StoreDamaged when the copy is not sound, StoreFull.
    """
    beside = target.with_name(f"{target.name}.{os.getpid()}.part")
    with translated(target):
        try:
            beside.unlink(missing_ok=True)
            beside.touch(0o600)
            made = apsw.Connection(str(beside))
            try:
                with made.backup("main", source, "main") as backup:
                    backup.step(-1)
                made.execute("PRAGMA journal_mode=DELETE")  # one file, nothing beside it
                schema = schema_version(made)
                trouble = _trouble(made)
            finally:
                made.close()
            if trouble:
                raise StoreDamaged(f"The database {source.filename} is damaged: {trouble}.")
            if only_schema and schema != only_schema:
                return schema
            settle(beside)
            beside.replace(target)
            settle(target.parent)
        finally:
            beside.unlink(missing_ok=True)
    return schema


def look_at(path: Path) -> Held:
    """What is in a database file, read whole. Raises StoreError, StoreTooNew.

    The file is not changed; nothing is left beside it.
    """
    if not path.is_file():
        raise StoreError(f"{path} is not there.", "Name a file that `memfold backup` wrote.")
    with path.open("rb") as file:
        if file.read(16) != b"SQLite format 3\0":
            raise StoreError(
                f"{path} is no copy of a memfold database.",
                "Name a file that `memfold backup` wrote.",
            )
    with translated(path):
        uri = f"file:{quoted(path)}?immutable=1"
        connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            schema = schema_version(connection)
            if not schema:
                raise StoreError(
                    f"{path} is no copy of a memfold database.",
                    "Name a file that `memfold backup` wrote.",
                )
            if schema > newest_schema():
                raise StoreTooNew(
                    f"{path} has schema {schema}; this memfold knows up to {newest_schema()}.",
                    "Upgrade memfold, then restore it.",
                )
            trouble = _trouble(connection)
            if trouble:
                raise StoreDamaged(f"{path} is damaged: {trouble}.", "Choose another file.")
            return Held(
                schema,
                _number(connection, "SELECT count(*) FROM observations"),
                _number(connection, "SELECT count(*) FROM tool_uses"),
            )
        finally:
            connection.close()


def quoted(path: Path) -> str:
    """A path as SQLite's URIs want it."""
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def settle(path: Path) -> None:
    """What was written to this file or folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _trouble(connection: apsw.Connection) -> str:
    ((verdict,),) = connection.execute("PRAGMA integrity_check(1)")
    return "" if verdict == "ok" else first_line(verdict)


def first_line(verdict: object) -> str:
    """What a check of SQLite's says first, without its heading."""
    lines = [line for line in str(verdict).splitlines() if not line.startswith("***")]
    return lines[0][:200] if lines else "it cannot be checked"


def _number(connection: apsw.Connection, sql: str) -> int:
    return int(next(connection.execute(sql))[0])
