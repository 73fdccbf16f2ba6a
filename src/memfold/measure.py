"""How long a text is in the units that hosts and models count, and cutting on those units.

``tokens`` is the one price estimate used everywhere. For mostly-ASCII text it is
``ceil(characters / 4)``; other scripts cost more tokens a character, by the weights below,
which follow published tokenizer ratios (see docs/decisions/0006-one-token-estimate.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Unit = Literal["utf16", "utf8"]  # what a host counts: UTF-16 code units, or bytes of UTF-8

_ALPHABETS_END = 0x0E00  # accented Latin, Greek, Cyrillic, Hebrew, Arabic, Indic scripts
_ASTRAL = 0x10000  # emoji and rare ideographs


def tokens(text: str) -> int:
    """Estimated model tokens of ``text``: 0 for nothing, otherwise at least 1."""
    if text.isascii():
        return math.ceil(len(text) / 4)
    quarters = 0
    for char in text:
        code = ord(char)
        if code < 0x80:
            quarters += 1
        elif code < _ALPHABETS_END:
            quarters += 2
        elif code < _ASTRAL:
            quarters += 4
        else:
            quarters += 8
    return math.ceil(quarters / 4)


def utf16_units(text: str) -> int:
    """Length as JavaScript hosts count it. A lone surrogate counts as one unit."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf8_bytes(text: str) -> int:
    """Length in UTF-8. A lone surrogate counts as the three bytes of its replacement."""
    return len(text.encode("utf-8", "surrogatepass"))


def cut_utf8(text: str, limit_bytes: int) -> str:
    """The longest start of ``text`` that fits ``limit_bytes`` of UTF-8, whole characters only."""
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= limit_bytes:
        return text
    end = max(limit_bytes, 0)
    while end and raw[end] & 0xC0 == 0x80:  # a continuation byte: the character starts earlier
        end -= 1
    return raw[:end].decode("utf-8", "surrogatepass")


def cut_utf16(text: str, limit_units: int) -> str:
    """The longest start of ``text`` that fits ``limit_units`` UTF-16 units."""
    if utf16_units(text) <= limit_units:
        return text
    used = 0
    for index, char in enumerate(text):
        used += 2 if ord(char) >= _ASTRAL else 1
        if used > limit_units:
            return text[:index]
    return text


@dataclass(frozen=True, slots=True)
class Limit:
    """How long a text may be, in the unit that its reader counts."""

    most: int
    unit: Unit = "utf16"


def length_in(text: str, unit: Unit) -> int:
    """Length in that unit. The sizes of two texts add up to that of both together."""
    return utf8_bytes(text) if unit == "utf8" else utf16_units(text)


def cut_to(text: str, most: int, unit: Unit) -> str:
    """The longest start of ``text`` that fits, whole characters only."""
    return cut_utf8(text, most) if unit == "utf8" else cut_utf16(text, most)
