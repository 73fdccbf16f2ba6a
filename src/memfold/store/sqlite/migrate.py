"""Bringing a database up to the schema of this version: numbered files, forward only.

All that is missing runs in one transaction with the record that it ran, so that a failure leaves
the database as the older memfold knows it. An existing database is copied to ``backups/`` first.
Files that already ran must not change (checksums).
"""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

import apsw

from memfold.errors import MigrationFailed, StoreError, StoreTooNew
from memfold.store.sqlite.copies import copy
from memfold.store.sqlite.schema import FOLDER, checksum, migrations, ran

log = logging.getLogger(__name__)
_KEPT = 3  # copies of older schemas, the newest
_RECORD = """CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL
) STRICT"""


def migrate(connection: apsw.Connection, path: Path, folder: Path = FOLDER) -> list[int]:
    """Run what is missing; the versions that ran. Raises StoreError and its kin."""
    known = migrations(folder)
    before = ran(connection)
    newest = max(known)
    if before and max(before) > newest:
        raise StoreTooNew(
            f"The database {path} has schema {max(before)}; this memfold knows up to {newest}."
        )
    for version, was in before.items():
        if version in known and was != checksum(known[version]):
            raise StoreError(f"Migration {known[version].name} was changed after it ran on {path}.")
    missing = {version: known[version] for version in known if version not in before}
    if missing and before:
        _back_up(connection, path, max(before))
    if missing:
        _run(connection, path, missing)
    if missing and before:
        log.info("the database went from schema %d to %d", max(before), newest)
    return list(missing)


def run_up_to(connection: apsw.Connection, path: Path, schema: int) -> None:
    """Give an empty file the tables of that schema."""
    _run(connection, path, {one: file for one, file in migrations().items() if one <= schema})


def _run(connection: apsw.Connection, path: Path, missing: dict[int, Path]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_RECORD)
        there = ran(connection)  # another process may have been quicker
        for version, file in missing.items():
            if version not in there:
                _one(connection, path, file, max(there, default=0))
                record = (version, file.stem, checksum(file))
                connection.execute("INSERT INTO schema_migrations VALUES (?, ?, ?)", record)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(apsw.SQLError):  # a full disk has rolled back already
            connection.execute("ROLLBACK")
        raise


def _one(connection: apsw.Connection, path: Path, file: Path, schema: int) -> None:
    try:
        connection.execute(file.read_text("utf-8"))
    except (apsw.SQLError, apsw.ConstraintError, apsw.MismatchError) as error:
        raise MigrationFailed(
            f"The database {path} could not be upgraded ({file.stem}: {error}); "
            f"it stays as it was, at schema {schema}."
        ) from error


def _back_up(connection: apsw.Connection, path: Path, version: int) -> None:
    folder = path.parent / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    # Another process may have migrated meanwhile: its copy is the good one then.
    copy(connection, folder / f"{path.stem}-schema{version}.db", only_schema=version)
    copies = sorted(folder.glob(f"{path.stem}-schema*.db"), key=lambda one: one.stat().st_mtime)
    for old in copies[:-_KEPT]:
        old.unlink(missing_ok=True)
