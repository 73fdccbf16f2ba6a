"""What `memfold doctor` looks at: each check is a finding with its remedy."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memfold.display import one_line

LOW_DISK_BYTES = 200_000_000
OLD_SPOOL_S = 3_600
MOST_DIFFERENCES = 50
FUTURE_MS = 3_600_000  # a clock that differs by less is nobody's trouble


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at."""

    name: str
    ok: bool
    says: str
    remedy: str = ""  # what to do; empty where all is well


def of_home(home: Path) -> Iterator[Finding]:
    """The data directory, its permissions, its disk and its spool."""
    if not home.is_dir():
        yield Finding("data directory", False, f"{home} is not there.", "Run `memfold start`.")
        return
    mode = stat.S_IMODE(home.stat().st_mode)
    yield Finding(
        "data directory",
        mode & 0o077 == 0,
        f"{home} has mode {mode:o}.",
        "" if mode & 0o077 == 0 else f"Others can read it: run `chmod 700 {home}`.",
    )
    if not os.access(home, os.W_OK):
        yield Finding("writable", False, f"{home} is read-only.", "Make it writable.")
    free = shutil.disk_usage(home).free
    low = free < LOW_DISK_BYTES
    yield Finding(
        "disk space",
        not low,
        f"{free / 1_000_000:,.0f} MB free.",
        "Free some space: memory cannot be written on a full disk." if low else "",
    )
    yield _spool(home / "spool")


def _spool(spool: Path) -> Finding:
    times = [entry.stat().st_mtime for entry in spool.iterdir()] if spool.is_dir() else []
    age_s = time.time() - min(times) if times else 0
    old = age_s > OLD_SPOOL_S
    return Finding(
        "spool",
        not old,
        f"{len(times):,} events wait." if times else "No event waits.",
        "The daemon does not take them: run `memfold stop`, then `memfold start`." if old else "",
    )


def of_daemon(status: Mapping[str, Any], socket: Path) -> Iterator[Finding]:
    """The running daemon: version, socket, database, clock."""
    mine, its = importlib.metadata.version("memfold"), str(status.get("version"))
    yield Finding(
        "daemon",
        mine == its,
        f"Process {status.get('pid')}, version {its}.",
        "" if mine == its else f"This is {mine}: run `memfold stop`, then `memfold start`.",
    )
    mode = stat.S_IMODE(socket.stat().st_mode) if socket.exists() else 0
    yield Finding(
        "socket",
        mode == 0o600,
        f"{socket.name} has mode {mode:o}.",
        "" if mode == 0o600 else "Run `memfold stop`, then `memfold start`.",
    )
    database = status.get("database", {})
    trouble = database.get("trouble", "")
    yield Finding(
        "database",
        not trouble,
        trouble or f"Sound, schema {database.get('schema')}.",
        "Stop memfold and put the newest file of backups/ in its place." if trouble else "",
    )
    if "mode" in status:
        yield _mode(status["mode"])
    newest = max(status.get("last_event", {}).values(), default=0)
    ahead_ms = newest - time.time() * 1000
    yield Finding(
        "clock",
        ahead_ms < FUTURE_MS,
        "In order." if ahead_ms < FUTURE_MS else f"An event lies {ahead_ms / 3.6e6:.1f} h ahead.",
        "" if ahead_ms < FUTURE_MS else "Set this machine's clock right.",
    )


def _mode(mode: Mapping[str, Any]) -> Finding:
    wrong = str(mode["trouble"])
    return Finding(
        "mode",
        not wrong,
        f"{str(mode['set'])[:40]} cannot be used, {mode['id']} stands in. {wrong}"
        if wrong
        else f"{mode['name']} ({mode['id']}).",
        "`memfold mode list` shows every mode and what is wrong with it." if wrong else "",
    )


def of_work_state(projects: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Work state as it is shown against the log it is made from."""
    rows = sum(project["rows"] for project in projects)
    lists = sum(project["lists"] for project in projects)
    wrong = [(project, one) for project in projects for one in project["differences"]]
    if not wrong:
        many = f"{lists:,} lists are what their" if lists != 1 else "1 list is what its"
        said = f"{many} {rows:,} rows say." if lists else "Nothing was written yet."
        yield Finding("work state", True, said)
        return
    for project, one in wrong[:MOST_DIFFERENCES]:
        what = f"item {one_line(one['task'])!r}" if one["task"] else "its own state"
        where = f"{one_line(project['project'])}, list {one_line(one['list'])!r}"
        said = one_line(f"{where}: {what} {one['says']}.", 480)
        if project["fixed"]:
            yield Finding("work state", True, f"{said} Made again from the log.")
        else:
            yield Finding("work state", False, said, "Run `memfold doctor --fix`.")
    if len(wrong) > MOST_DIFFERENCES:
        more = wrong[MOST_DIFFERENCES:]
        fixed = all(project["fixed"] for project, _ in more)
        yield Finding("work state", fixed, f"{len(more):,} more differ from their log.")
