"""Bytes of any encoding to text, with the line numbers that an editor shows."""

from __future__ import annotations

import codecs

from memfold.errors import InvalidInput

_LOOKED_AT = 65_536
# Control characters that do not stand in text, however it is encoded.
_CONTROL = bytes(code for code in range(32) if chr(code) not in "\t\n\r\f\b\x1b")
_SHARE_OF_CONTROL = 0.02
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def text_of(data: bytes) -> str:
    """The text, its lines ended by ``\\n`` only, without a byte order mark.

    UTF-8, UTF-16 and UTF-32 by mark, UTF-16 also without one, anything else as Latin-1, in which
    every byte is a character. A lone carriage return ends a line only in a file that has no line
    feed: elsewhere editors and compilers disagree, and a line feed decides.
    Raises InvalidInput for what is no text.
    """
    text = _decoded(data)
    if "\n" in text:
        return text.replace("\r\n", "\n")
    return text.replace("\r", "\n")


def _decoded(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    head = data[:_LOOKED_AT]
    wide = _unmarked_utf16(head)
    if wide:
        return data.decode(wide, "replace")
    control = len(head) - len(head.translate(None, _CONTROL))
    if control > len(head) * _SHARE_OF_CONTROL:
        raise InvalidInput(
            "This is a binary file: it has no outline.", "Read it with a program for its format."
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _unmarked_utf16(head: bytes) -> str:
    """Source is mostly ASCII: in UTF-16 every other byte of it is zero."""
    pairs = len(head) // 2
    if pairs < 2:
        return ""
    even, odd = head[0 : pairs * 2 : 2].count(0), head[1 : pairs * 2 : 2].count(0)
    if odd > pairs * 0.7 and even < pairs * 0.05:
        return "utf-16-le"
    if even > pairs * 0.7 and odd < pairs * 0.05:
        return "utf-16-be"
    return ""


def encoded(text: str) -> bytes:
    """The text as a grammar reads it: UTF-8, a half of a surrogate pair as a question mark."""
    return text.encode("utf-8", "replace")


def count_lines(text: str) -> int:
    """Lines as an editor counts them: a line feed at the end begins no line."""
    return text.count("\n") + (0 if text.endswith("\n") or not text else 1)
