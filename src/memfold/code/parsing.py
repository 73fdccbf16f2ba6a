"""A parse and a query that end in time, whatever they are given."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memfold.code.languages import grammar

if TYPE_CHECKING:  # loads a shared library
    from tree_sitter import Node

MAX_BYTES = 4 * 1024 * 1024  # of UTF-8: 0.7 s of parsing at the pace measured
PARSE_S = 1.0
QUERY_S = 0.6
_CHUNK = 32_768
# A query's matches come all at once, so it is asked for a piece of the file at a time. Its own
# callback for progress ends the process with a segmentation fault (tree-sitter 0.26.1).
_PIECE = 128 * 1024

Match = dict[str, list["Node"]]


class TooSlow(Exception):
    """The time limit ended a parse."""


def matches(source: bytes, language: str) -> tuple[bool, Iterator[Match]]:
    """Whether the grammar met errors, and what its query found, in the order of the file.

    A parse ends after PARSE_S with TooSlow. The query ends after QUERY_S likewise: what it found
    before that has been given by then.
    """
    import tree_sitter  # a shared library, loaded with the first file that is read

    grammar_, query = grammar(language)
    until = time.monotonic() + PARSE_S
    try:
        tree = tree_sitter.Parser(grammar_).parse(
            lambda offset, _point: source[offset : offset + _CHUNK],
            # Only a parse that reads by pieces can be stopped; True stops it.
            progress_callback=lambda _offset, _error: time.monotonic() > until,
        )
    except ValueError as error:
        raise TooSlow from error
    root = tree.root_node

    def found() -> Iterator[Match]:
        end = time.monotonic() + QUERY_S
        for start in range(0, len(source) or 1, _PIECE):
            if time.monotonic() > end:
                raise TooSlow
            cursor = tree_sitter.QueryCursor(query, match_limit=65_536)
            cursor.set_byte_range(start, start + _PIECE)
            for _number, match in cursor.matches(root):
                yield match

    return root.has_error, found()
