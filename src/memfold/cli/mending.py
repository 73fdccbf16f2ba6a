"""What `memfold doctor --fix` mends without asking: nothing that is lost by it."""

from __future__ import annotations

import stat
import time
from collections.abc import Iterator
from pathlib import Path

from memfold.backing_up import alone
from memfold.cli import ask, out
from memfold.cli.checks import Finding
from memfold.errors import MemfoldError
from memfold.repairing import Repaired, repair

_OWN = ("memfold.db", "token", "secret", "daemon.log")  # files that are nobody else's to read


def of_files(home: Path) -> Iterator[Finding]:
    """The data directory and its files are closed to others."""
    for path in (home, *(home / name for name in _OWN)):
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            path.chmod(0o700 if path.is_dir() else 0o600)
            yield Finding("fixed", True, f"{path} is closed to others.")


def of_database(home: Path) -> Iterator[Finding]:
    """What can be read of a damaged database is in its place."""
    try:
        with alone(home):
            done = repair(home, time.time_ns() // 1_000_000)
    except MemfoldError as error:
        yield Finding("database", False, error.message, error.next_step)
        return
    finally:
        ask.ensure_running()
    yield Finding("fixed", True, _said(done))


def _said(done: Repaired) -> str:
    found = done.recovered
    kept = ", ".join(
        out.count(found.rows.get(table, 0), word)
        for table, word in (
            ("observations", "observation"), ("tool_uses", "tool use"), ("prompts", "prompt"),
        )
    )  # fmt: skip
    said = f"The database was damaged; kept: {kept}."
    if found.unreadable:
        said += f" Some rows of {', '.join(sorted(found.unreadable))} could not be read."
    if found.tables_lost:
        said += f" Nothing of {', '.join(found.tables_lost)} could be found."
    if found.placeholders:
        number = sum(found.placeholders.values())
        said += f" {number:,} that others name were lost and are called `recovered-...`."
    return f"{said} The damaged file is {done.kept}."
