"""Bringing a database up to the schema of this version: numbered files, forward only.

Each migration and the record that it ran share one transaction. An existing database is
copied to ``backups/`` first. Files that already ran must not change (checksums).
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import apsw

from memfold.errors import StoreError, StoreTooNew

FOLDER = Path(__file__).parent / "migrations"
_RECORD = """CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL
) STRICT"""


def migrate(connection: apsw.Connection, path: Path, folder: Path = FOLDER) -> list[int]:
    """Run what is missing; the versions that ran. Raises StoreTooNew, StoreError."""
    known = {_version(file): file for file in sorted(folder.glob("*.sql"))}
    ran = _ran(connection)
    newest = max(known)
    if ran and max(ran) > newest:
        raise StoreTooNew(
            f"The database {path} has schema {max(ran)}; this memfold knows up to {newest}."
        )
    for version, checksum in ran.items():
        if version in known and checksum != _checksum(known[version]):
            raise StoreError(f"Migration {known[version].name} was changed after it ran on {path}.")
    missing = [version for version in sorted(known) if version not in ran]
    if missing and ran:
        _back_up(connection, path, max(ran))
    for version in missing:
        _run(connection, version, known[version])
    return missing


def schema_version(connection: apsw.Connection) -> int:
    """The newest migration that ran; 0 for an empty file."""
    return max(_ran(connection), default=0)


def _ran(connection: apsw.Connection) -> dict[int, str]:
    there = "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'"
    if not list(connection.execute(there)):
        return {}
    return dict(connection.execute("SELECT version, checksum FROM schema_migrations"))


def _run(connection: apsw.Connection, version: int, file: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_RECORD)
        if version in _ran(connection):  # another process was quicker
            connection.execute("ROLLBACK")
            return
        connection.execute(file.read_text("utf-8"))
        connection.execute(
            "INSERT INTO schema_migrations VALUES (?, ?, ?)",
            (version, file.stem, _checksum(file)),
        )
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _back_up(connection: apsw.Connection, path: Path, version: int) -> None:
    folder = path.parent / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    target = folder / f"{path.stem}-schema{version}.db"
    beside = target.with_suffix(f".{os.getpid()}")
    beside.unlink(missing_ok=True)
    beside.touch(0o600)
    copy = apsw.Connection(str(beside))
    try:
        with copy.backup("main", connection, "main") as backup:
            backup.step(-1)
        # Another process may have migrated meanwhile: its copy is the good one then.
        good = schema_version(copy) == version
    finally:
        copy.close()
    if good:
        beside.replace(target)
    else:
        beside.unlink()


def _version(file: Path) -> int:
    return int(file.name.split("_", 1)[0])


def _checksum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
