"""`memfold backup` and `memfold restore`: a checked copy of the database, and back in its place."""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memfold import wire
from memfold.errors import DaemonUnavailable, InvalidInput, MemfoldError, StoreError
from memfold.store.needs.keeping import Copying, CopyMade
from memfold.store.sqlite import copies, swap
from memfold.store.sqlite.connection import translated
from memfold.store.sqlite.copies import Held
from memfold.store.sqlite.forget_again import Traces, traces_in
from memfold.store.sqlite.store import SqliteStore

log = logging.getLogger(__name__)
FOLDER = "backups"
_WAIT_S = 20.0  # for a daemon that ends


@dataclass(frozen=True, slots=True)
class Restored:
    """What `restore` did."""

    held: Held
    kept: Path | None  # where the database is that was in use before; None: there was none
    forgotten_again: int  # rows of the copy that had been forgotten since
    unknown: bool  # what was forgotten since could not be read


def back_up(home: Path, store: Copying, given: str, now_ms: int) -> tuple[Path, CopyMade]:
    """A checked copy in ``given`` (a new file, or a folder), else in the backups folder.

    Raises InvalidInput, StoreError, StoreFull.
    """
    name = f"memfold-{_stamp(now_ms)}.db"
    if given:
        target = Path(given)
        target = target / name if target.is_dir() else target
    else:
        (home / FOLDER).mkdir(mode=0o700, exist_ok=True)
        target = _free(home / FOLDER / name)
    if target.exists():
        raise InvalidInput(f"{target} is there already.", "Name another file, or remove it first.")
    if not target.parent.is_dir():
        raise InvalidInput(f"{target.parent} is not a directory.", "Make it, or name another.")
    made = store.copy_to(target)
    log.info("backed up %d bytes, schema %d", made.bytes, made.schema)
    return target, made


def restore(home: Path, file: Path, now_ms: int) -> Restored:
    """Put a checked copy of ``file`` in the database's place; the present one is kept aside.

    What was forgotten since the copy was made is taken out of it again. No daemon may run (see
    `alone`). Killed at any moment, one of the two databases is in place, whole. Raises StoreError,
    StoreTooNew, StoreFull.
    """
    held = copies.look_at(file)
    database = home / wire.DATABASE
    kept, traces, unknown = None, Traces(), False
    if database.exists():
        kept = aside(home, "before-restore", now_ms)
        try:
            traces = traces_in(database)
        except StoreError as error:
            log.warning("what was forgotten cannot be read: %s", error.code)
            unknown = True
    for left in home.glob("restoring-*"):  # of a run that was killed
        shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix="restoring-", dir=home) as folder:
        made = Path(folder) / wire.DATABASE
        with translated(made):
            shutil.copyfile(file, made)
        store = SqliteStore.open(made)
        try:
            forgotten_again = store.forget_again(traces) if traces else 0
            if forgotten_again or store.is_unswept():
                store.sweep()
        finally:
            store.close()
        swap.put_in_place(made, database, kept)
    return Restored(held, kept, forgotten_again, unknown)


@contextmanager
def alone(home: Path) -> Iterator[None]:
    """No daemon serves ``home`` meanwhile; hooks keep their events in the spool.

    Ends the one that runs. Raises DaemonUnavailable.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    _stop(home)
    lock = os.open(home / wire.LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        until = time.monotonic() + _WAIT_S
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise _stays(home) from None
                time.sleep(0.01)  # nothing tells when a lock is let go of
                _stop(home)  # a hook may have started another meanwhile
        yield
    finally:
        os.close(lock)


def _stop(home: Path) -> None:
    try:
        wire.request("POST", "/stop", folder=str(home), timeout_s=_WAIT_S)
    except wire.NoDaemon:
        return
    except OSError as error:
        raise _stays(home) from error


def _stays(home: Path) -> MemfoldError:
    return DaemonUnavailable("The daemon does not end.", f"Read {home / 'daemon.log'}.")


def aside(home: Path, why: str, now_ms: int) -> Path:
    """A free name in the backups folder, which is made."""
    (home / FOLDER).mkdir(mode=0o700, exist_ok=True)
    return _free(home / FOLDER / f"memfold-{why}-{_stamp(now_ms)}.db")


def _free(path: Path) -> Path:
    number, free = 2, path
    while free.exists():
        free, number = path.with_stem(f"{path.stem}-{number}"), number + 1
    return free


def _stamp(now_ms: int) -> str:
    return time.strftime("%Y%m%d-%H%M%S", time.gmtime(now_ms / 1000))
