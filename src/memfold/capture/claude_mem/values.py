"""Values of a row as ours, whatever it holds: texts, lists, moments. Redacted on the way."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memfold.capture.private import strip_ours, strip_private
from memfold.capture.redact import clipped, redact

_SECONDS_BELOW = 100_000_000_000  # a number below that is seconds: as ms it would be March 1973
_DAY_MS = 86_400_000
MOST_CHARS = 64_000  # of one text
MOST_ITEMS = 200  # of one list
_MOST_JSON_CHARS = 4_000_000

Row = Mapping[str, Any]


def text(row: Row, *names: str) -> str:
    """The first of these columns that says something, private parts and secrets taken out."""
    for name in names:
        said = _plain(row.get(name)).strip()
        if said:
            return clean(said)
    return ""


def clean(said: str) -> str:
    kept = strip_private(strip_ours(clipped(said, MOST_CHARS)))[0]
    return redact(kept)[0].strip()


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").replace("\0", "")
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    return ""


def name(row: Row, *names: str) -> str:
    """As ``text``, for names and ids: as it stands, on one line, at most 500 characters."""
    for column in names:
        said = " ".join(_plain(row.get(column)).split())[:500]
        if said:
            return said
    return ""


def texts(row: Row, column: str) -> tuple[str, ...]:
    """A column that holds a JSON list of texts; a text that is no JSON is its one item."""
    given = _plain(row.get(column)).strip()
    if not given:
        return ()
    found = loaded(given)
    if found is None:
        found = [given] if given != "null" else []
    if isinstance(found, Mapping):
        found = [f"{key}: {value}" for key, value in found.items()]
    items = found if isinstance(found, list) else [found]
    said = (_item(one) for one in items[:MOST_ITEMS])
    return tuple(dict.fromkeys(one for one in said if one))


def _item(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, dict | list):
        return clean(json.dumps(value, ensure_ascii=False))
    return clean(_plain(value))


def loaded(given: str) -> Any:
    """The JSON value, or None where it is none."""
    if len(given) > _MOST_JSON_CHARS:
        return None
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        return None


def json_or_text(row: Row, column: str) -> Any:
    """A tool's input or response: the JSON value where it is one, else the text."""
    given = _plain(row.get(column))
    found = loaded(given)
    return given if found is None else found


def whole(row: Row, column: str) -> int:
    """A count, 0 where there is none or it makes no sense."""
    value = row.get(column)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    return int(value) if 0 <= value < 1 << 40 else 0


def moment(row: Row, now_ms: int, *columns: str) -> int:
    """Unix ms of a row: its epoch (ms, or seconds), else its ISO text; 0 where neither is one.

    What lies in the future happened now at the latest.
    """
    for column in columns:
        at_ms = _epoch(row.get(f"{column}_epoch")) or _iso(row.get(column))
        if at_ms:
            return min(at_ms, now_ms)
    return 0


def is_ahead(row: Row, now_ms: int, column: str = "created_at") -> bool:
    """Whether its time lies more than a day in the future."""
    return (_epoch(row.get(f"{column}_epoch")) or _iso(row.get(column))) > now_ms + _DAY_MS


def _epoch(value: Any) -> int:
    if isinstance(value, str) and value.strip().isdigit():
        value = int(value.strip()[:18])
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    if value <= 0:
        return 0
    return int(value * 1000) if value < _SECONDS_BELOW else int(value)


def _iso(value: Any) -> int:
    if not isinstance(value, str):
        return 0
    try:
        at = datetime.fromisoformat(value.strip())
        stamp = (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0
    return max(int(stamp * 1000), 0)
