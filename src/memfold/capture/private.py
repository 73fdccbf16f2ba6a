"""What stands between ``<private>`` and ``</private>`` is removed before anything is stored.

Nested tags count, a tag may be split over lines and carry attributes, and one that is never closed
hides the rest; so does ``<private/>``, which says that something is private and not what.
Standard library only: the hook's slow path uses it.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<\s*+(/?)\s*+private(?:\s[^<>]{0,500}+)?+/?>", re.IGNORECASE)
_OURS = re.compile(r"<(/?)memfold-context>")


def strip_private(text: str) -> tuple[str, bool]:
    """(text without its private parts, whether any was there)."""
    kept, private, _ = strip_private_from(text, 0)
    return kept, private


def strip_private_from(text: str, depth: int) -> tuple[str, bool, int]:
    """As ``strip_private``, going on inside ``depth`` open tags: (text, any, tags left open).

    For a text that comes in pieces, such as the blocks of one message.
    """
    return _without(_TAG, text, depth)


def _without(mark: re.Pattern[str], text: str, depth: int) -> tuple[str, bool, int]:
    if not depth and ("<" not in text or not mark.search(text)):
        return text, False, 0
    kept: list[str] = []
    at = 0
    for tag in mark.finditer(text):
        if not depth:
            kept.append(text[at : tag.start()])
        depth = max(depth - 1, 0) if tag.group(1) else depth + 1
        at = tag.end()
    if not depth:
        kept.append(text[at:])
    return "".join(kept), True, depth


def strip_private_over(texts: list[str]) -> list[str]:
    """The texts of one value in their order, without what is private in any or over several.

    A tag that one text leaves open hides what follows, up to the last tag that closes one; where
    none does, it hides the rest of its own text alone. Linear in the texts.
    """
    if not any("<" in text and _TAG.search(text) for text in texts):
        return texts
    last = max((at for at, text in enumerate(texts) if _closes(text)), default=-1)
    kept: list[str] = []
    depth = 0
    for at, text in enumerate(texts):
        plain, _, depth = strip_private_from(text, depth)
        kept.append(plain)
        if at >= last:
            depth = 0
    return kept


def _closes(text: str) -> bool:
    return "<" in text and any(tag.group(1) for tag in _TAG.finditer(text))


def strip_ours(text: str) -> str:
    """``text`` without what memfold itself has put in front of the agent."""
    return _without(_OURS, text, 0)[0] if "<memfold-context>" in text else text
