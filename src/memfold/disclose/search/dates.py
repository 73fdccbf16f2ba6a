"""``since`` and ``until``: ISO 8601 or an age such as ``7d``."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from memfold.errors import InvalidInput

_AGE = re.compile(r"(\d{1,5})\s*([hdw])", re.IGNORECASE)
_UNIT_MS = {"h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_DATE_CHARS = len("2026-04-30")


def moment_ms(text: str, name: str, now_ms: int, *, end: bool = False) -> int:
    """Unix ms. Without a zone UTC is meant; with ``end`` a bare date means its last moment."""
    given = text.strip()
    age = _AGE.fullmatch(given)
    if age:
        return now_ms - int(age.group(1)) * _UNIT_MS[age.group(2).lower()]
    try:
        at = datetime.fromisoformat(given)
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        at_ms = int(at.timestamp() * 1000)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"`{name}` is {given[:40]!r}.", "Give an ISO 8601 date such as 2026-04-30, or 7d."
        ) from error
    whole_day = end and len(given) == _DATE_CHARS and given[4] == "-"
    return at_ms + _UNIT_MS["d"] - 1 if whole_day else at_ms
