"""Times as an agent reads them: local in the index, UTC in search."""

from __future__ import annotations

import time
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_EARLIEST_MS = -62_135_596_800_000  # what datetime can hold, a day inside
_LATEST_MS = 253_402_214_400_000
_DAY_MS = 86_400_000


def zone_of(name: str) -> tzinfo:
    """The zone of that IANA name; this machine's where empty; UTC where it is not known."""
    if not name:
        return _machine_zone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def local(at_ms: int, zone: tzinfo) -> datetime:
    """The moment in that zone; one outside the calendar is moved to its edge."""
    inside = min(max(at_ms, _EARLIEST_MS + _DAY_MS), _LATEST_MS)
    return datetime.fromtimestamp(inside / 1000, UTC).astimezone(zone)


def clock_time(at: datetime) -> str:
    """``9:05am``."""
    return f"{at.hour % 12 or 12}:{at.minute:02}{'am' if at.hour < 12 else 'pm'}"


def day(at: datetime) -> str:
    """``Apr 30, 2026``."""
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return f"{months[at.month - 1]} {at.day}, {at.year}"


def utc_minute(at_ms: int) -> str:
    """``2026-04-30 08:12 UTC``."""
    at = local(at_ms, UTC)
    return f"{at.year:04}-{at.month:02}-{at.day:02} {at.hour:02}:{at.minute:02} UTC"


def _machine_zone() -> tzinfo:
    # A named zone knows its summer time for other dates, datetime's own guess does not.
    try:
        parts = Path("/etc/localtime").resolve().parts
    except OSError:
        parts = ()
    if "zoneinfo" in parts:
        name = "/".join(parts[parts.index("zoneinfo") + 1 :])
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass  # a system zone file outside the zone database: the fixed offset below
    return datetime.fromtimestamp(time.time(), UTC).astimezone().tzinfo or UTC
