"""What stands between ``<private>`` and ``</private>`` is removed before anything is stored.

Nested tags count, a tag that is never closed hides the rest. Standard library only: the hook's
slow path uses it.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<\s*(/?)\s*private\s*>", re.IGNORECASE)
_OURS = re.compile(r"<memfold-context>.*?(?:</memfold-context>|\Z)", re.DOTALL)


def strip_private(text: str) -> tuple[str, bool]:
    """(text without its private parts, whether any was there)."""
    if "<" not in text or not _TAG.search(text):
        return text, False
    kept: list[str] = []
    depth, at = 0, 0
    for tag in _TAG.finditer(text):
        if not depth:
            kept.append(text[at : tag.start()])
        depth = max(depth - 1, 0) if tag.group(1) else depth + 1
        at = tag.end()
    if not depth:
        kept.append(text[at:])
    return "".join(kept), True


def strip_ours(text: str) -> str:
    """``text`` without what memfold itself has put in front of the agent."""
    return _OURS.sub("", text) if "<memfold-context>" in text else text
