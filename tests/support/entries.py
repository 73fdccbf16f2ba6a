"""Entries as a library would give them, for pure functions."""

from __future__ import annotations

from memfold.records import Entry, Kind

NOW = 1_777_500_000_000  # 2026-04-29 22:00 UTC
MINUTE = 60_000


def entry(
    number: int, title: str = "", kind: Kind = "observation", *, age: int = 0, type_: str = "bugfix"
) -> Entry:
    """One of project ``sample``, ``age`` minutes before NOW."""
    return Entry(
        kind=kind,
        id=number,
        project_id=1,
        project="sample",
        session="s",
        host="h",
        title=title or f"Title {number}",
        type=type_ if kind == "observation" else "",
        at_ms=NOW - age * MINUTE,
        read_tokens=100,
        work_tokens=1_000,
    )
