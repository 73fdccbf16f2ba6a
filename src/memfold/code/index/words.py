"""Which words stand in a file, as a few hundred bytes that tell no word.

A Bloom filter: it never misses a word, and finds one that is not there in 2 of 100 files. The
words themselves are not kept: a file may hold what must not be stored.
"""

from __future__ import annotations

import re
from zlib import crc32

LEAST_BYTES = 16  # 8 bits a word at least
HASHES = 4
MOST_BYTES = 32 * 1024
_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")


def words_of(text: str) -> set[str]:
    """Identifiers, and what they are made of, in lower case."""
    found: set[str] = set()
    for word in set(_WORD.findall(text)):
        found.add(word.lower())
        found.update(part.lower() for part in _PART.findall(word))
    return found


def packed(words: set[str]) -> bytes:
    """The filter; empty for no words."""
    if not words:
        return b""
    size = LEAST_BYTES
    while size < len(words) and size < MOST_BYTES:
        size *= 2  # few sizes: a word's places are worked out once for each
    bits = bytearray(size)
    for word in words:
        for at in _places(word, size):
            bits[at >> 3] |= 1 << (at & 7)
    return bytes(bits)


class Asked:
    """Words to be looked for in many filters."""

    def __init__(self, words: set[str]) -> None:
        self._words = words
        self._masks: dict[int, list[tuple[int, int]]] = {}  # by size: (byte, bit)

    def may_stand_in(self, bits: bytes) -> bool:
        """Whether all of them may; False is certain."""
        size = len(bits)
        if not size or not self._words:
            return False
        masks = self._masks.get(size)
        if masks is None:
            places = {at for word in self._words for at in _places(word, size)}
            masks = self._masks[size] = [(at >> 3, 1 << (at & 7)) for at in places]
        for byte, bit in masks:  # noqa: SIM110  # 5,000 files: a generator takes twice as long
            if not bits[byte] & bit:
                return False
        return True


def _places(word: str, size: int) -> list[int]:
    raw = word.encode("utf-8", "surrogatepass")
    one, two = crc32(raw), crc32(raw, 0x9E3779B9) | 1
    return [(one + each * two) % (size * 8) for each in range(HASHES)]
