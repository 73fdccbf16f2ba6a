"""Which words stand in a file, as a few hundred bytes that tell no word.

A Bloom filter: it never misses a word, and finds one that is not there in 2 of 100 files. The
words themselves are not kept: a file may hold what must not be stored.
"""

from __future__ import annotations

import re
from zlib import crc32

BITS_A_WORD = 8
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
    size = min(max(len(words) * BITS_A_WORD // 8, 8), MOST_BYTES)
    bits = bytearray(size)
    for word in words:
        for at in _places(word, size):
            bits[at >> 3] |= 1 << (at & 7)
    return bytes(bits)


def holds_all(bits: bytes, words: set[str]) -> bool:
    """Whether all of them may stand there; False is certain."""
    size = len(bits)
    return size > 0 and all(
        bits[at >> 3] >> (at & 7) & 1 for word in words for at in _places(word, size)
    )


def _places(word: str, size: int) -> list[int]:
    raw = word.encode("utf-8", "surrogatepass")
    one, two = crc32(raw), crc32(raw, 0x9E3779B9) | 1
    return [(one + each * two) % (size * 8) for each in range(HASHES)]
