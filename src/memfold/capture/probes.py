"""A probe: what install sends the way events go, to see that they arrive. It is no event itself."""

from __future__ import annotations

import json
import re
from typing import Any

EVENT = "MemfoldProbe"
_NONCE = re.compile(r"[0-9a-f]{32}")
_MOST_BYTES = 200


def payload(nonce: str) -> dict[str, Any]:
    """What the hook is given; ``nonce``: 32 hexadecimal digits."""
    return {"hook_event_name": EVENT, "nonce": nonce}


def nonce_in(body: bytes) -> str:
    """The nonce of a probe, '' for any other payload."""
    if len(body) > _MOST_BYTES or EVENT.encode() not in body:
        return ""
    try:
        told = json.loads(body)
    except ValueError:
        return ""
    if not isinstance(told, dict) or told.get("hook_event_name") != EVENT:
        return ""
    nonce = str(told.get("nonce"))
    return nonce if _NONCE.fullmatch(nonce) else ""
