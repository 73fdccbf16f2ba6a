"""Filters of a search as conditions on rows of the full-text index."""

from __future__ import annotations

import json

from memfold.records import Kind, SearchFilters
from memfold.store.passages import MOST_PASSAGES
from memfold.store.sqlite.full_text import KINDS, TABLES

_NUMBER = f"(entries_fts.rowid / {MOST_PASSAGES})"  # full_text.row_number without the passage
_PATHS: dict[Kind, str] = {
    "observation": (
        "SELECT json_extract(value, '$[0]') FROM json_each(e.files_changed)"
        " UNION ALL SELECT value FROM json_each(e.files_read)"
    ),
    "summary": "SELECT value FROM json_each(e.files)",
}


Conditions = tuple[str, tuple[str | int, ...]]


def conditions(filters: SearchFilters) -> Conditions:
    """(SQL that begins with AND, its arguments); empty where nothing is asked for.

    Types and concepts are the observations' alone, files theirs and the summaries'.
    """
    if filters == SearchFilters():
        return "", ()
    kinds = [kind for kind in KINDS if _can_pass(kind, filters)]
    any_kind, arguments = [], []
    for kind in kinds:
        where, given = _of_kind(kind, filters)
        any_kind.append(
            f"({_NUMBER} % 4 = {KINDS.index(kind)} AND EXISTS (SELECT 1 FROM"
            f" {TABLES[kind]} e WHERE e.id = {_NUMBER} / 4 AND {where}))"
        )
        arguments += given
    return f" AND ({' OR '.join(any_kind)})", tuple(arguments)


def _can_pass(kind: Kind, filters: SearchFilters) -> bool:
    if filters.types or filters.concepts:
        return kind == "observation"
    return not filters.files or kind in _PATHS


def _of_kind(kind: Kind, filters: SearchFilters) -> tuple[str, list[str | int]]:
    where: list[str] = ["1"]
    arguments: list[str | int] = []
    if filters.since_ms is not None:
        where.append("e.at_ms >= ?")
        arguments.append(filters.since_ms)
    if filters.until_ms is not None:
        where.append("e.at_ms <= ?")
        arguments.append(filters.until_ms)
    if filters.types:
        where.append("e.type IN (SELECT value FROM json_each(?))")
        arguments.append(json.dumps(filters.types))
    if filters.concepts:
        where.append(
            "EXISTS (SELECT 1 FROM json_each(e.concepts) c, json_each(?) w WHERE c.value = w.value)"
        )
        arguments.append(json.dumps(filters.concepts))
    if filters.files:
        where.append(
            f"EXISTS (SELECT 1 FROM (SELECT NULL AS named WHERE 0 UNION ALL {_PATHS[kind]}),"
            " json_each(?) w WHERE instr(named, w.value))"
        )
        arguments.append(json.dumps(filters.files))
    return " AND ".join(where), arguments
