"""A text cut before each line that may begin a definition at one level of its layout.

Source is written so that what stands at the top begins at the left of the page, and what stands in
a class or a namespace one step to the right. That holds where a grammar no longer knows its way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memfold.code import macros

# What a line begins with that may begin a definition.
_BEGINS = {
    "css": r"[\w.#*:@$%&\[>-]", "scss": r"[\w.#*:@$%&\[>-]", "toml": r"\[",
    "rust": r"[^\W\d]|#!?\[", "php": r"[^\W\d]|#\[", "csharp": r"[^\W\d]|\[",
    "haskell": r"[^\W\d]|\(", "yaml": r"[^\W\d]|[\"']",
    "sql": r"(?i:create|alter|drop|comment|grant|insert|update|delete|select|with|set)\b",
}  # fmt: skip
_USUALLY = r"[^\W\d]|[@$]"
# Words and labels that go on with what stands above them.
_GOES_ON = (
    r"(?:(?:end|else|elif|elsif|elseif|except|finally|catch|rescue|ensure|when|then|do|done|fi|esac"
    r"|in|and|or|where|deriving)\b|(?:public|private|protected|default|signals|slots)\s*:)"
)
# A line that the next one belongs to: an attribute above its item, a list that goes on.
_UNFINISHED = re.compile(
    rb"(?:@[^\n]*|#!?\[[^\n]*\]|\[[^\n=]*\]|template\s*<[^\n]*>|[^\n]*[,\\(=|])\s*$"
)
_OPEN_LINE = re.compile(rb"[^\n]*[^\s;}>:/{]\s*$")  # of C: a type may stand above its name
_INDENT = re.compile(rb"^[ \t]+(?=\S)", re.MULTILINE)
_INDENTED = re.compile(rb"^[ \t][^\n]*", re.MULTILINE)
_MOST_CLOSED = 4
_LINE_CHARS = 400  # of a line above that decide
WITHOUT = frozenset({"json", "html", "markdown"})  # layout says nothing in these


@dataclass(frozen=True, slots=True)
class Stretch:
    """Offsets of its first byte and of the first byte after it, and its first row."""

    start: int
    end: int
    row: int


def stretches(text: bytes, language: str, whole: Stretch, indent: bytes = b"") -> Iterator[Stretch]:
    """Those of ``whole`` whose first lines stand ``indent`` to the right."""
    line = re.compile(rf"(?!{_GOES_ON})(?:{_BEGINS.get(language, _USUALLY)})".encode())
    offset, above, row = whole.start, b"", whole.row
    last: tuple[int, int] | None = None
    for row, piece in enumerate(text[whole.start : whole.end].split(b"\n"), whole.row):
        begins = piece.startswith(indent) and line.match(piece, len(indent))
        if begins and not _goes_on(above.strip(), language):
            if last is not None:
                yield Stretch(last[0], offset, last[1])
            last = offset, row
        offset, above = offset + len(piece) + 1, piece
    if last is not None:
        yield Stretch(last[0], whole.end, last[1])


def step(text: bytes) -> bytes:
    """How far to the right the next level begins; b"" where there is none."""
    return min(_INDENT.findall(text), key=len, default=b"")


def frame(text: bytes) -> bytes:
    """The text with its indented lines blank: what is left is what holds them.

    Braces that are not closed in it are closed where there is room, or it would be no definition.
    """
    blank = _INDENTED.sub(lambda line: b" " * len(line[0]), text)
    missing = min(blank.count(b"{") - blank.count(b"}"), _MOST_CLOSED)
    end = len(blank.rstrip(b"\n"))
    if missing > 0 and blank[:end].endswith(b" " * missing):
        return blank[: end - missing] + b"}" * missing + blank[end:]
    return blank


def _goes_on(above: bytes, language: str) -> bool:
    """Whether the line is not yet the end of what it is in."""
    if language in macros.LANGUAGES and above and not above.startswith((b"#", b"//")):
        return _OPEN_LINE.match(above[-_LINE_CHARS:]) is not None
    return _UNFINISHED.match(above[-_LINE_CHARS:]) is not None
