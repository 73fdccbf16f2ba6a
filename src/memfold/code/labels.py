"""What an outline says of a symbol: its signature, its first doc line, cut to length."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # loads a shared library
    from tree_sitter import Node

SIGNATURE_CHARS = 200
DOC_CHARS = 200
NAME_CHARS = 200
_COMMENT_MARKS = re.compile(
    r"^(?:/\*+!?|//+[/!]?|#+!?|--+\s?\|?|\{-\s?\|?|<!--|;+|\*+|\"\"\"|''')\s?"
)


class Spanned(Protocol):
    """A definition, with byte offsets."""

    kind: str
    name: str
    start: int
    end: int
    body: int  # where its body starts, or its end


def signature(source: bytes, one: Spanned, language: str) -> str:
    """What stands before the body, on one line."""
    if language in _NAME_ONLY:
        return cut(one.name, SIGNATURE_CHARS)
    end = one.body if one.body > one.start else one.end
    text = source[one.start : min(end, one.start + 4 * SIGNATURE_CHARS + 400)]
    if language in _FIRST_LINE or (end == one.end and one.kind not in _WHOLE):
        text = text.partition(b"\n")[0]
    return cut(_spaced(text.decode("utf-8", "ignore")).rstrip("{:= "), SIGNATURE_CHARS)


_FIRST_LINE = frozenset({"html", "css", "scss", "sql"})
# The value of a key may be a password, and a heading is its name.
_NAME_ONLY = frozenset({"markdown", "yaml", "toml", "json"})
_WHOLE = frozenset({"function", "method", "constructor", "macro", "private function"})


def doc_line(text: str) -> str:
    """The first line of a comment or a doc string that says something."""
    for raw in text[:2_000].split("\n"):
        line = raw.strip()
        if not line:
            continue
        for _ in range(3):
            line = _COMMENT_MARKS.sub("", line).strip()
        line = re.sub(
            r"^(?:@?(?:module)?doc\s*)?(?:[rRbBfFuU]{0,2}(?:\"\"\"|'''|[\"']))?", "", line
        )
        line = re.sub(r"(?:\*+/|-->|-\}|\"\"\"|'''|[\"'])\s*$", "", line).strip()
        line = re.sub(r"^<summary>|</summary>$", "", line).strip()
        if any(char.isalnum() for char in line):
            return cut(_spaced(line), DOC_CHARS)
    return ""


def text_of_node(source: bytes, node: Node, limit: int) -> str:
    """Its text, at most so many bytes of it."""
    return source[node.start_byte : min(node.end_byte, node.start_byte + limit)].decode(
        "utf-8", "ignore"
    )


def line_of(text: str, limit: int) -> str:
    """The text on one line."""
    return cut(_spaced(text).rstrip(";"), limit)


def _spaced(text: str) -> str:
    """Its words with one space between them."""
    return " ".join(text.split())


def cut(text: str, limit: int) -> str:
    """At most so many characters, the last one a sign where it was longer."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
