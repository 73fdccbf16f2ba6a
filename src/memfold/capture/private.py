"""What stands between ``<private>`` and ``</private>`` is removed before anything is stored.

Nested tags count, a tag may be split over lines, and one that is never closed hides the rest.
Standard library only: the hook's slow path uses it.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<\s*+(/?)\s*+private\s*+>", re.IGNORECASE)
_OURS = re.compile(r"<memfold-context>.*?(?:</memfold-context>|\Z)", re.DOTALL)


def strip_private(text: str) -> tuple[str, bool]:
    """(text without its private parts, whether any was there)."""
    kept, private, _ = strip_private_from(text, 0)
    return kept, private


def strip_private_from(text: str, depth: int) -> tuple[str, bool, int]:
    """As ``strip_private``, going on inside ``depth`` open tags: (text, any, tags left open).

    For a text that comes in pieces, such as the blocks of one message.
    """
    if not depth and ("<" not in text or not _TAG.search(text)):
        return text, False, 0
    kept: list[str] = []
    at = 0
    for tag in _TAG.finditer(text):
        if not depth:
            kept.append(text[at : tag.start()])
        depth = max(depth - 1, 0) if tag.group(1) else depth + 1
        at = tag.end()
    if not depth:
        kept.append(text[at:])
    return "".join(kept), True, depth


def strip_ours(text: str) -> str:
    """``text`` without what memfold itself has put in front of the agent."""
    return _OURS.sub("", text) if "<memfold-context>" in text else text
