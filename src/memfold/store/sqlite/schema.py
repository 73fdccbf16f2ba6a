"""Which migrations there are, and which of them a database has been through."""

from __future__ import annotations

import hashlib
from pathlib import Path

import apsw

FOLDER = Path(__file__).parent / "migrations"


def migrations(folder: Path = FOLDER) -> dict[int, Path]:
    """Version -> file, in order."""
    return {int(file.name.split("_", 1)[0]): file for file in sorted(folder.glob("*.sql"))}


def newest_schema() -> int:
    """The schema that this memfold writes."""
    return max(migrations())


def schema_version(connection: apsw.Connection) -> int:
    """The newest migration that ran; 0 for an empty file."""
    return max(ran(connection), default=0)


def ran(connection: apsw.Connection) -> dict[int, str]:
    """Version -> checksum of the file as it was then."""
    there = "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'"
    if not list(connection.execute(there)):
        return {}
    return dict(connection.execute("SELECT version, checksum FROM schema_migrations"))


def checksum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
