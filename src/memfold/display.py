"""Stored text made safe to show: one line for lists, a block for details.

Stored text is data that others wrote. Control characters, line separators and bidirectional
overrides are removed, so that it can neither break a list's layout nor imitate our own frame.
"""

from __future__ import annotations

import re
import unicodedata

from memfold.measure import cut_utf8

# What is shown at session start stands between these lines, so that capture knows it again.
CONTEXT_OPEN = "<memfold-context>"
CONTEXT_CLOSE = "</memfold-context>"

_BREAKS = {"\n", "\r", "\t", "\v", "\f", "\x85", "\u2028", "\u2029"}
ELLIPSIS = "…"
_FRAME = re.compile(r"<(?=\s*/?\s*memfold-context)", re.IGNORECASE)


def _keeps(char: str) -> bool:
    # Cc control, Cs lone surrogate, Cf format (bidi controls, zero width) except the joiners
    # that emoji and Indic scripts need.
    return unicodedata.category(char) not in {"Cc", "Cs", "Cf"} or char in "\u200c\u200d"


def one_line(text: str, limit_bytes: int = 240) -> str:
    """``text`` on one line, blanks folded, cut to ``limit_bytes`` UTF-8 with an ellipsis."""
    start = text[: limit_bytes * 16]  # a prompt of a megabyte is not walked for its first line
    longer = len(start) < len(text)
    text = start
    if not (text.isascii() and text.isprintable()):
        text = "".join(" " if c in _BREAKS else c for c in text if c in _BREAKS or _keeps(c))
    line = _FRAME.sub("‹", " ".join(text.split()))
    if longer and len(line.encode("utf-8")) <= limit_bytes - len(ELLIPSIS.encode()):
        return line + ELLIPSIS
    if len(line) * 4 <= limit_bytes or len(line.encode("utf-8")) <= limit_bytes:
        return line
    return cut_utf8(line, limit_bytes - len(ELLIPSIS.encode())).rstrip() + ELLIPSIS


def block(text: str) -> str:
    """``text`` with its line breaks kept as ``\\n`` and every other control character removed."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    for separator in ("\u2028", "\u2029", "\x85", "\v", "\f"):
        lines = lines.replace(separator, "\n")
    return _FRAME.sub("‹", "".join(c for c in lines if c in "\n\t" or _keeps(c)))
