"""What a grammar's query finds in a file, gathered before it is nested."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memfold.code import labels
from memfold.code.parsing import Match

if TYPE_CHECKING:  # loads a shared library
    from tree_sitter import Node

MAX_SYMBOLS = 20_000
# Captures that are no kind of symbol.
_OTHERS = frozenset(
    {"name", "body", "doc", "scope", "import", "comment", "attr", "wrap", "wrapped", "hide", "all",
     "by"}
)  # fmt: skip
# Where the word before a name says the kind: a pattern a word costs a language of calls too much.
_BY = {
    "defprotocol": "protocol", "defimpl": "implementation", "defmacro": "macro",
    "defmacrop": "macro", "defguard": "macro", "defguardp": "macro", "callback": "callback",
    "macrocallback": "callback",
}  # fmt: skip


@dataclass(slots=True)
class Definition:
    """A definition as the query gave it, with byte offsets."""

    kind: str
    name: str
    name_row: int
    start: int
    end: int
    start_row: int
    end_row: int
    body: int  # where its body starts, or its end
    doc: str
    scope: str


@dataclass(slots=True)
class Gathered:
    found: dict[tuple[int, int], Definition] = field(default_factory=dict)
    imports: dict[int, str] = field(default_factory=dict)
    comments: dict[int, tuple[int, int, int, str]] = field(default_factory=dict)  # by last row
    attrs: dict[int, tuple[int, int]] = field(default_factory=dict)  # by last row: row, start
    wraps: dict[tuple[int, int], tuple[int, int, int, int]] = field(default_factory=dict)
    hides: list[int] = field(default_factory=list)  # where what follows becomes private
    names: frozenset[str] = frozenset()  # what the file says that it exports


def gather(gathered: Gathered, match: Match, source: bytes) -> bool:
    """Files the match. False when there is no room for more."""
    if "import" in match:
        for node in match["import"]:
            gathered.imports[node.start_byte] = labels.line_of(
                labels.text_of_node(source, node, 400), labels.SIGNATURE_CHARS
            )
    for node in match.get("comment", ()):
        row = node.start_point[0]
        gathered.comments[_last_row(node)] = (row, node.start_byte, node.end_byte, "")
    for node in match.get("attr", ()):
        gathered.attrs[_last_row(node)] = (node.start_point[0], node.start_byte)
    if "wrap" in match:
        inner, outer = match["wrapped"][0], match["wrap"][0]
        gathered.wraps[inner.start_byte, inner.end_byte] = (
            outer.start_byte,
            outer.end_byte,
            outer.start_point[0],
            _last_row(outer),
        )
    for node in match.get("hide", ()):
        gathered.hides.append(node.start_byte)
    for node in match.get("all", ()):
        gathered.names |= frozenset(re.findall(r"\w+", labels.text_of_node(source, node, 100_000)))
    for kind, nodes in match.items():
        if kind not in _OTHERS and not kind.startswith("_"):
            _define(gathered, kind, nodes[0], match, source)
    return len(gathered.found) <= 5 * MAX_SYMBOLS


_MADE_FOR = re.compile(r"<[^<>]*>")


def _last_row(node: Node) -> int:
    """The last row that holds some of it: a node that ends with a line feed ends in that line."""
    (row, column), first = node.end_point, node.start_point[0]
    return row - 1 if column == 0 and row > first else row


def _define(gathered: Gathered, kind: str, node: Node, match: Match, source: bytes) -> None:
    names = match.get("name")
    if not names or names[0].start_byte == names[-1].end_byte:
        return  # the grammar put in a name that is missing
    name = labels.line_of(
        source[names[0].start_byte : names[-1].end_byte].decode("utf-8", "replace"),
        labels.NAME_CHARS,
    )
    body = match["body"][0] if "body" in match else node.child_by_field_name("body")
    last = _last_row(node)
    key = (node.start_byte, names[0].start_byte)
    end = node.end_byte
    if body is not None and body.start_byte >= end:  # a body that stands beside its head: Dart
        end, last = body.end_byte, _last_row(body)
    known = gathered.found.get(key)
    doc = labels.text_of_node(source, match["doc"][0], 2_000) if "doc" in match else ""
    if doc.startswith("@") and not doc.startswith("@moduledoc"):
        doc = ""  # what stands first in a module may be another attribute
    if "by" in match:
        kind = _BY.get(labels.text_of_node(source, match["by"][0], 40), kind)
    if known is not None:  # two patterns met it: the first says what it is
        known.doc = known.doc or doc
        if known.kind == "variable" and kind != "variable":  # what it holds says more
            known.kind, known.body = kind, body.start_byte if body is not None else end
        if body is not None and known.body == known.end and kind == known.kind:
            known.body = body.start_byte  # the pattern without one came first
        if end > known.end and kind == known.kind:
            known.end, known.end_row, known.body = end, last, body.start_byte if body else end
        return
    scope = _scope(labels.text_of_node(source, match["scope"][0], 400)) if "scope" in match else ""
    gathered.found[key] = Definition(
        kind,
        _bare(name, kind),
        names[0].start_point[0],
        node.start_byte,
        end,
        node.start_point[0],
        last,
        body.start_byte if body is not None else end,
        doc,
        scope,
    )


def _bare(name: str, kind: str) -> str:
    """Without what the language puts round it: quotes, the `:` of a symbol, the `=` of an alias."""
    bare = name.strip("\"'`")
    if kind == "alias":
        bare = bare.rstrip("=")
    if kind in ("attribute", "method"):
        bare = bare.removeprefix(":")
    return bare or name


def _scope(text: str) -> str:
    """The owner's name, without what it is made for: `Basket<T>` is `Basket`."""
    return labels.line_of(_MADE_FOR.sub("", text), labels.NAME_CHARS)
