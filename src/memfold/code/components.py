"""Vue and Svelte files: blocks of other languages between tags.

No grammar for Vue ships in a wheel, and the two forms share the rule that matters: a block at the
left of the page runs from its tag to the matching end tag, and a script or a style is raw text up
to its end tag. So this reads the tags alone and gives each block to its own language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memfold.code.symbols import Symbol

MAX_BLOCKS = 50
_TAG_BYTES = 2_000
_OPENING = re.compile(
    rb"<(script|style|template)((?:\s+[^\s=>\"'/]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?)*)\s*(/?)>",
    re.IGNORECASE,
)
_LANG = re.compile(rb"\s(?:lang|type)\s*=\s*[\"']?([\w/+-]+)", re.IGNORECASE)
_NEXT_BLOCK = re.compile(rb"^<(?:script|style|template)\b", re.MULTILINE | re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_SCRIPTS = {
    "ts": "typescript", "typescript": "typescript", "text/typescript": "typescript",
    "tsx": "tsx", "jsx": "jsx",
}  # fmt: skip
_STYLES = {"scss": "scss", "css": "css", "postcss": "css", "": "css", "text/css": "css"}


@dataclass(frozen=True, slots=True)
class Block:
    """One block: its symbol, and its text where we know its language."""

    symbol: Symbol
    language: str
    text: str
    row: int  # of its text's first line, from 0


def blocks(source: bytes, language: str) -> Iterator[Block]:
    """The blocks in order, at most MAX_BLOCKS."""
    position, given = 0, 0
    while given < MAX_BLOCKS:
        start = source.find(b"<", position)
        if start < 0:
            return
        if source.startswith(b"<!--", start):
            comment = _COMMENT.match(source, start)
            position = comment.end() if comment else start + 4
            continue
        tag = _OPENING.match(source, start, start + _TAG_BYTES)
        if tag is None:
            position = start + 1
            continue
        name = tag[1].decode().lower()
        if name == "template" and language != "vue":
            position = tag.end()
            continue
        end, position = _end(source, tag, name)
        yield _block(source, tag, name, end, position)
        given += 1


def _end(source: bytes, tag: re.Match[bytes], name: str) -> tuple[int, int]:
    """Where the block's text ends, and where the block ends."""
    if tag[3]:
        return tag.end(), tag.end()
    depth = 1
    tags = re.compile(rb"<(/?)" + name.encode() + rb"\b[^>]{0,2000}?(/?)>", re.IGNORECASE)
    for one in tags.finditer(source, tag.end()):
        if one[1]:
            depth -= 1
        elif name != "template" and _NEXT_BLOCK.match(source, one.start()):
            return one.start(), one.start()  # the next of its kind: this one's end tag is missing
        elif name == "template" and not one[2]:
            depth += 1
        if depth == 0:
            return one.start(), one.end()
    after = _NEXT_BLOCK.search(source, tag.end())  # without an end tag it ends before the next
    end = after.start() if after else len(source)
    return end, end


def _block(source: bytes, tag: re.Match[bytes], name: str, end: int, last: int) -> Block:
    said = _LANG.search(tag[2])
    lang = said[1].decode().lower() if said else ""
    known = ""
    if name == "script":
        known = _SCRIPTS.get(lang, "javascript")
    elif name == "style":
        known = _STYLES.get(lang, "")
    first = source.count(b"\n", 0, tag.start())
    row = first + source.count(b"\n", tag.start(), tag.end())
    last_row = first + source.count(b"\n", tag.start(), last - 1)  # one at the end begins no line
    title = re.sub(r"\s+", " ", tag[0].decode("utf-8", "replace"))[:200]
    symbol = Symbol(name, "block", first + 1, first + 1, last_row + 1, None, "", 0, title, True, "")
    return Block(symbol, known, source[tag.end() : end].decode("utf-8", "replace"), row)
