"""C and C++ without the macros that a grammar cannot know, every byte in its place."""

from __future__ import annotations

import re

LANGUAGES = frozenset({"c", "cpp"})
_LOOKED_AT = 2_000
_DIRECTIVE = re.compile(rb"^[ \t]*#[^\n]*(?:\\\n[^\n]*)*", re.MULTILINE)
# `UV_REQ_FIELDS` or `Q_OBJECT`, with or without arguments, as the whole of a line.
_ALONE = re.compile(rb"^[ \t]*[A-Z_][A-Z0-9_]{2,}(?:\([^()\n]*\))?[ \t]*$", re.MULTILINE)
# `UV_EXTERN int f(...)`: a word in capitals before a type and a name.
_BEFORE = re.compile(
    rb"^[ \t]*(?:extern[ \t]+|static[ \t]+)?(?P<word>[A-Z_][A-Z0-9_]{2,}(?:\([^()\n]*\))?)"
    rb"(?=[ \t]+[\w:]+[\s*&]+[\w*&])",
    re.MULTILINE,
)
_IN_A_CLASS = re.compile(
    rb"\b(?:class|struct|union|enum)[ \t]+(?P<word>[A-Z_][A-Z0-9_]{2,}(?:\([^()\n]*\))?)"
    rb"(?=[ \t]+\w)"
)


def without(source: bytes) -> bytes:
    """The text with directives and likely macros as blanks; what is no macro may be among them."""
    source = _DIRECTIVE.sub(lambda found: _blank(found[0]), source)
    source = _ALONE.sub(_without_one, source)
    for pattern in (_BEFORE, _IN_A_CLASS):
        source = pattern.sub(
            lambda found: found[0].replace(found["word"], _blank(found["word"]), 1), source
        )
    return source


def _without_one(found: re.Match[bytes]) -> bytes:
    """Blank, but for the last of a list: that is a constant."""
    before = found.string[max(0, found.start() - _LOOKED_AT) : found.start()].rstrip()
    while before.endswith(b"*/"):
        before = before[: max(before.rfind(b"/*"), 0)].rstrip()
    return found[0] if before.endswith(b",") else _blank(found[0])


def _blank(text: bytes) -> bytes:
    return re.sub(rb"[^\n]", b" ", text)
