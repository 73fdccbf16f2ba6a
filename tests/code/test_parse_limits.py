"""Depth and runs of tokens, judged by a plain walk over every node."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.code import parsing
from memfold.code.limits import TooDeep

if TYPE_CHECKING:
    from tree_sitter import Node

TEXTS = st.lists(
    st.sampled_from(["f(", "[", "{", "}", "]", ")", "-", "x", ";", "=", " ", "\n", "int a;"]),
    max_size=80,
).map(lambda words: "".join(words).encode())


def depth(node: Node) -> int:
    return max((1 + depth(child) for child in node.children), default=0)


def runs_in(node: Node) -> Iterator[tuple[int, int]]:
    """Children without a name and without children of their own, more than three in a row."""
    after = node.end_byte
    groups = groupby(reversed(node.children), lambda one: not one.is_named and not one.child_count)
    for tokens, group in groups:
        ones = list(group)
        if tokens and len(ones) > 3:
            yield ones[-1].start_byte, after
        after = ones[-1].start_byte
    for child in node.children:
        if child.has_error:
            yield from runs_in(child)


@given(TEXTS, st.integers(1, 12))
def test_a_text_is_refused_when_its_deepest_node_is_below_the_limit(text: bytes, most: int) -> None:
    deepest = depth(parsing.read(text, "c").tree.root_node)
    with mock.patch.object(parsing, "MAX_LEVELS", most), mock.patch.object(parsing, "_SMALL", -1):
        if deepest > most:
            with pytest.raises(TooDeep):
                parsing.read(text, "c")
        else:
            parsing.read(text, "c")


@given(TEXTS)
def test_runs_of_tokens_are_found_wherever_the_grammar_met_an_error(text: bytes) -> None:
    root = parsing.read(text, "c").tree.root_node
    with mock.patch.object(parsing, "_RUN", 3):
        found = parsing._runs(root)
    assert found == (sorted(runs_in(root)) if root.has_error else [])
