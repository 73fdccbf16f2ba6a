"""Named queries from the ``.sql`` files beside this one.

A file holds queries, each under a line ``-- name: the_name`` and a comment that explains it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "queries"
_MARK = "-- name: "


@cache
def named(file: str) -> dict[str, str]:
    """Every query of ``queries/<file>.sql`` by its name."""
    found: dict[str, str] = {}
    for chunk in (_FOLDER / f"{file}.sql").read_text("utf-8").split(_MARK)[1:]:
        name, _, sql = chunk.partition("\n")
        found[name.strip()] = sql.strip()
    return found
