"""File names as the session saw them: relative to its directory where they lie below it."""

from __future__ import annotations

from collections.abc import Iterable


def relative(paths: Iterable[str], cwd: str) -> tuple[str, ...]:
    """Each path once, in order, without ``cwd`` in front."""
    base = cwd.rstrip("/") + "/"
    return tuple(dict.fromkeys(p.removeprefix(base) if len(base) > 1 else p for p in paths))
