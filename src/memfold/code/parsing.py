"""A parse and a query that end in time, whatever they are given."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memfold.code import yaml_limits
from memfold.code.languages import LANGUAGES, grammar
from memfold.code.limits import TooDeep, TooSlow, check_brackets

if TYPE_CHECKING:  # loads a shared library
    from tree_sitter import Node, Parser, Query, Tree

MAX_BYTES = 4 * 1024 * 1024  # of UTF-8: 0.7 s of parsing at the pace measured
PARSE_S = 1.0
PART_S = 0.2
QUERY_S = 0.6
_CHUNK = 32_768
# The tree keeps the reader and asks it for the text of every node that a query compares.
_WORD = 128
# A query's matches come all at once, so it is asked for a piece of the file at a time. Its own
# callback for progress ends the process with a segmentation fault (tree-sitter 0.26.1).
_PIECE = 128 * 1024

# Each node costs the query a look at the nodes after it, up to the next one with a name. In what
# the grammar could not read, tokens stand by the hundred thousand: 500,000 `{` took minutes.
_RUN = 200
_RUNS_S = 0.3
# The parser calls itself for each level of what it cannot decide: 390 KB of `{a:` overflowed the
# usual 8 MB. A stack takes memory only as far as it is used.
_SMALL = 32 * 1024
_STACK = 512 * 1024 * 1024
_starting = threading.Lock()
# What a query costs grows with the square of the depth: 260,000 levels of `@a @a` took 9 s.
MAX_LEVELS = 5_000
_PROSE = frozenset({"markdown", "html"})  # brackets there need not be closed

Match = dict[str, list["Node"]]


@dataclass(frozen=True, slots=True)
class Reading:
    """A parse: its tree, and what the language's query finds in it."""

    tree: Tree
    query: Query
    start: int
    end: int

    @property
    def broken(self) -> bool:
        """Whether the grammar met errors."""
        return self.tree.root_node.has_error

    def matches(self) -> Iterator[Match]:
        """In the order of the file. Ends after QUERY_S with TooSlow; the matches before that have
        been given by then."""
        import tree_sitter  # a shared library, loaded with the first file that is read

        root = self.tree.root_node
        until = time.monotonic() + QUERY_S
        for start, stop in _spans(_runs(root), self.start, self.end):
            if time.monotonic() > until:
                raise TooSlow
            cursor = tree_sitter.QueryCursor(self.query, match_limit=65_536)
            cursor.set_byte_range(start, stop)
            for _number, match in cursor.matches(root):
                yield match


def read(source: bytes, language: str) -> Reading:
    """The whole text parsed. Ends after PARSE_S with TooSlow, or with TooDeep."""
    import tree_sitter  # as above

    if language == "yaml":
        yaml_limits.check(source)
    if language not in _PROSE:
        check_brackets(source)
    grammar_, query = grammar(language)
    parser = tree_sitter.Parser(grammar_)
    tree = _parsed(parser, source) if len(source) <= _SMALL else _on_a_large_stack(parser, source)
    if len(source) > _SMALL and _deeper_than(MAX_LEVELS, tree):
        raise TooDeep(MAX_LEVELS)
    return Reading(tree, query, 0, len(source))


class Parts:
    """Parses parts of a text by themselves; rows and offsets stay those of the whole."""

    def __init__(self, language: str) -> None:
        import tree_sitter  # as above

        self._grammar, self._query = grammar(language, part=bool(LANGUAGES[language].part))
        self._range = tree_sitter.Range
        self._parser = tree_sitter.Parser(self._grammar)

    def read(self, text: bytes, start: int, row: int) -> Reading | None:
        """The part's text, which begins at ``start`` in ``row``; None for too much of it."""
        if len(text) > _SMALL:
            return None
        end = start + len(text)
        last = (row + text.count(b"\n"), len(text) - text.rfind(b"\n") - 1)
        self._parser.included_ranges = [self._range((row, 0), last, start, end)]
        return Reading(_parsed(self._parser, text, PART_S, start), self._query, start, end)


def _parsed(parser: Parser, source: bytes, seconds: float = PARSE_S, first: int = 0) -> Tree:
    """``first``: the offset of the source's first byte."""
    until = time.monotonic() + seconds
    piece = _CHUNK

    def some(offset: int, _point: object) -> bytes:
        if offset < first:
            return b" "  # before its part there is nothing to read
        return source[offset - first : offset - first + piece]

    try:
        # Only a parse that reads by pieces can be stopped; True stops it.
        tree = parser.parse(some, progress_callback=lambda _at, _error: time.monotonic() > until)
    except ValueError as error:
        parser.reset()  # here: it frees what is half parsed as deep in calls as it nests
        raise TooSlow from error
    piece = _WORD
    return tree


def _on_a_large_stack(parser: Parser, source: bytes) -> Tree:
    """The parse in a thread of its own, whose stack holds the deepest file of the size limit."""
    done: list[Tree | BaseException] = []

    def parse() -> None:
        try:
            done.append(_parsed(parser, source))
        except BaseException as error:  # raised again in the thread that asked
            done.append(error)

    with _starting:
        usual = threading.stack_size(_STACK)
        try:
            thread = threading.Thread(target=parse, name="parse")
            thread.start()
        finally:
            threading.stack_size(usual)
    thread.join()
    if isinstance(done[0], BaseException):
        raise done[0]
    return done[0]


def _deeper_than(levels: int, tree: Tree) -> bool:
    cursor = tree.walk()
    depth = 0
    while True:
        node = cursor.node
        assert node is not None  # noqa: S101  # a walk is always at one
        # What holds few nodes is not deep, and not looked into.
        if depth + node.descendant_count > levels and cursor.goto_first_child():
            depth += 1
            if depth > levels:
                return True
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return False
            depth -= 1


_MOST_RUN = 15_000  # the time is as the square of it: 0.2 s


def _runs(root: Node) -> list[tuple[int, int]]:
    """Where unread text holds more than _RUN tokens without a name between them.

    There is no symbol in those. Raises TooSlow.
    """
    runs: list[tuple[int, int]] = []
    until = time.monotonic() + _RUNS_S
    look = [root] if root.has_error and root.descendant_count > _RUN else []
    while look:
        node = look.pop()
        cursor = node.walk()
        if not cursor.goto_first_child():
            continue
        length = start = 0
        for place in range(node.child_count):
            child = cursor.node
            if child is None:
                break
            if child.is_named or child.child_count:
                if length > _RUN:
                    runs.append((start, child.start_byte))
                length = 0
                if child.has_error and child.descendant_count > _RUN:
                    look.append(child)
            else:
                start = start if length else child.start_byte
                length += 1
                if length > _MOST_RUN:
                    raise TooSlow  # whatever range is asked for, the query walks over all of them
            if place % 1_000 == 0 and time.monotonic() > until:
                raise TooSlow
            if not cursor.goto_next_sibling():
                break
        if length > _RUN:
            runs.append((start, node.end_byte))
    return sorted(runs)


def _spans(runs: list[tuple[int, int]], start: int, end: int) -> Iterator[tuple[int, int]]:
    """The text without the runs, in pieces of at most _PIECE; an empty text is one piece."""
    end = max(end, start + 1)
    for run, after in [*runs, (end, end)]:
        for piece in range(start, run, _PIECE):
            yield piece, min(piece + _PIECE, run)
        start = max(start, after)
