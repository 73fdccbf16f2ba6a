"""What `memfold doctor --fix` does with a damaged database: keeps what can be read."""

from __future__ import annotations

import logging
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from memfold import wire
from memfold.backing_up import aside
from memfold.store.sqlite import swap
from memfold.store.sqlite.recovery import Recovered, recover
from memfold.store.sqlite.store import SqliteStore

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Repaired:
    """What became of a damaged database."""

    recovered: Recovered
    kept: Path  # the damaged file


def repair(home: Path, now_ms: int) -> Repaired:
    """Put what can be read of the database in its place; the damaged file is kept aside.

    No daemon may run. Raises StoreDamaged where nothing can be read, StoreFull.
    """
    database = home / wire.DATABASE
    for left in home.glob("restoring-*"):  # of a run that was killed
        shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix="restoring-", dir=home) as folder:
        made = Path(folder) / wire.DATABASE
        found = recover(database, made)
        store = SqliteStore.open(made)  # indexes and folds anew, and migrates
        try:
            store.count_again()
        finally:
            store.close()
        kept = aside(home, "damaged", now_ms)
        swap.put_in_place(made, database, kept)
    log.info("a damaged database was replaced by what could be read of it")
    return Repaired(found, kept)
