"""Another database file put in the place of the one in use, which is kept aside."""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path

import apsw

from memfold.store.sqlite.connection import translated
from memfold.store.sqlite.copies import settle

log = logging.getLogger(__name__)
_BESIDE = ("-wal", "-shm", "-journal")


def put_in_place(file: Path, database: Path, kept: Path | None) -> None:
    """``file``, on the same disk, becomes ``database``; what was there becomes ``kept``.

    Nobody may have either open. At every moment one of the two stands in its place, whole.
    Raises StoreFull, StoreError.
    """
    with translated(database):
        connection = apsw.Connection(str(file))
        try:
            connection.execute("PRAGMA journal_mode=DELETE")  # one file, nothing beside it
        finally:
            connection.close()
        file.chmod(0o600)
        settle(file)
        if kept is not None:
            _keep(database, kept)
        for ending in _BESIDE:
            Path(f"{database}{ending}").unlink(missing_ok=True)
        file.replace(database)
        settle(database.parent)


def _keep(database: Path, kept: Path) -> None:
    """The database under a second name, with what its write-ahead log holds."""
    try:
        connection = apsw.Connection(str(database))
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("PRAGMA journal_mode=DELETE")
        finally:
            connection.close()
    except apsw.Error as error:
        # Damaged: it is kept as it is, its log beside it.
        log.warning("the database cannot be closed cleanly: %s", type(error).__name__)
        for ending in _BESIDE:
            if Path(f"{database}{ending}").exists():
                shutil.copyfile(f"{database}{ending}", f"{kept}{ending}")
    try:
        os.link(database, kept)
    except OSError:  # a file system without second names
        shutil.copyfile(database, kept)
    kept.chmod(0o600)
    settle(kept)
    settle(kept.parent)
