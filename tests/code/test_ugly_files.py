"""Files that hang, blow up or mislead parsers: each gets an answer, in time and in bounds."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.code import limits
from memfold.code.gathered import MAX_SYMBOLS
from memfold.code.languages import language_of
from memfold.code.outline import outline
from memfold.code.parsing import MAX_BYTES
from memfold.code.render import OUTLINE_BYTES, render
from memfold.code.symbols import Outline

CODE = (
    "import os\n\n\nclass Basket:\n    def add(self, item):\n        return item\n\n"
    + "".join(f"    def part_{n}(self):\n        return {n}\n\n" for n in range(300))
    + "def last():\n    return os\n"
)
HALF = len(CODE) // 2
UGLY = {
    "utf16le_bom.py": b"\xff\xfe" + CODE.encode("utf-16-le"),
    "utf8_bom.py": b"\xef\xbb\xbf" + CODE.encode(),
    "crlf.py": CODE.replace("\n", "\r\n").encode(),
    "latin1.py": b"# caf\xe9 d\xe9j\xe0\n" + CODE.encode(),
    "truncated.py": CODE[:HALF].encode(),
    "nul_bytes.py": CODE[:HALF].encode() + b"\0" + CODE[HALF:].encode(),
    "conflict.py": (
        CODE[:HALF]
        + "\n<<<<<<< ours\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n"
        + CODE[HALF:]
    ).encode(),
    "mixed_indent.py": CODE.replace("\n        ", "\n\t").encode(),
    "empty.py": b"",
    "newline_only.py": b"\n",
    "deep.js": b"(" * 2_000 + b"1" + b")" * 2_000 + b";",
    "nested_functions.py": (
        "\n".join("    " * n + f"def f{n}():" for n in range(90)) + "\n" + "    " * 90 + "pass\n"
    ).encode(),
    "unicode_names.py": "class Größe:\n    def длина(self):\n        return 1\n".encode(),
    "one_line.js": ";".join(f"function f{n}(){{return {n}}}" for n in range(1_500)).encode(),
    "one_line_5mb.js": b";".join(b"function f%d(){return %d}" % (n, n) for n in range(180_000)),
    "many_symbols.py": "".join(f"def f{n}():\n    return {n}\n" for n in range(100_000)).encode(),
    "deep.json": b"[" * 300_000 + b"]" * 300_000,
    "deep_keys.json": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "deep.html": b"<div>" * 60_000,
    "deep.md": b"".join(b"#" * (1 + n % 6) + b" h\n" for n in range(20_000)) + b"> " * 20_000,
    "deep.c": b"int f(){" + b"{" * 100_000,
    "deep.scss": b".a{" * 20_000,
    "deep.yaml": b"".join(b" " * n + b"k:\n" for n in range(1_500)),
    "keys.yaml": "".join(" " * n + "k:\n" for n in range(300)).encode(),
    "items.yaml": b"- " * 400 + b"a\n",
    "documents.yaml": b"...\n" * 40_000,
    "unread.scala": b"{-" * 40_000,
    "open.rs": b"%w(" * 3_000,
    "unread.swift": b"{%" * 40_000,
    "quotes.py": b'"""' * 50_001,
    "tags.vue": b"<script>" * 50_000,
    "templates.vue": b"<template>" * 20_000 + b"</template>" * 20_000,
    "comments.c": b"/*" * 200_000,
}  # fmt: skip


def in_bounds(found: Outline, name: str) -> None:
    """What holds for every outline."""
    assert len(render(found, name).encode()) <= OUTLINE_BYTES
    assert len(found.symbols) <= MAX_SYMBOLS + 1_000
    for place, one in enumerate(found.symbols):
        assert 1 <= one.first_line <= one.line <= one.end_line <= max(found.lines, 1), one
        assert one.name
        assert len(one.signature) <= 200
        if one.parent is None:
            assert one.depth == 0
            continue
        assert one.parent < place
        around = found.symbols[one.parent]
        assert one.depth == around.depth + 1
        assert around.first_line <= one.first_line <= one.end_line <= around.end_line, one


@pytest.mark.parametrize("name", UGLY)
def test_ugly_file_gets_an_outline_in_bounds(name: str) -> None:
    in_bounds(outline(UGLY[name], language_of(name)), name)


@pytest.mark.parametrize("name", ["utf16le_bom.py", "utf8_bom.py", "crlf.py", "mixed_indent.py"])
def test_form_of_the_file_costs_no_symbol(name: str) -> None:
    plain, ugly = outline(CODE.encode(), "python"), outline(UGLY[name], "python")
    assert [(one.path, one.line) for one in ugly.symbols] == [
        (one.path, one.line) for one in plain.symbols
    ]


@pytest.mark.parametrize("name", ["conflict.py", "nul_bytes.py", "truncated.py"])
def test_break_in_the_middle_costs_little(name: str) -> None:
    found = outline(UGLY[name], "python")
    names = {one.name for one in found.symbols}
    assert {"Basket", "add", "part_0", "part_100"} <= names
    if name != "truncated.py":
        assert len(names) >= 300


def test_file_beyond_the_limit_says_so() -> None:
    found = outline(UGLY["one_line_5mb.js"], "javascript")
    assert found.cut_short == (
        f"It has {len(UGLY['one_line_5mb.js']):,} bytes; files of up to {MAX_BYTES:,} are parsed."
    )
    assert found.symbols == ()


def test_of_very_many_symbols_the_first_are_listed() -> None:
    found = outline(UGLY["many_symbols.py"], "python")
    # How many depends on the machine: a parse and a query have their time.
    assert [one.line for one in found.symbols] == list(range(1, 2 * len(found.symbols), 2))
    assert len(found.symbols) <= MAX_SYMBOLS
    assert found.cut_short or found.left_out, "what is not whole says so"


@pytest.mark.parametrize(("nests", "what"), [(90, "listed"), (120, "refused")])
def test_yaml_nests_as_deep_as_its_grammar_s_package_survives(nests: int, what: str) -> None:
    """254 levels end the process: the stack of columns is written past its buffer."""
    found = outline("".join(" " * n + f"k{n}:\n" for n in range(nests)).encode(), "yaml")
    assert bool(found.cut_short) is (what == "refused")
    if what == "listed":
        assert [one.name for one in found.symbols[:3]] == ["k0", "k1", "k2"]
        assert found.symbols[0].end_line == nests


@given(st.text("()[]{}a", max_size=60))
def test_open_brackets_are_counted_as_a_person_would(text: str) -> None:
    deepest = depth = 0
    for one in text:
        depth = max(0, depth + ((one in "([{") - (one in ")]}")))
        deepest = max(deepest, depth)
    with mock.patch.object(limits, "MOST_OPEN", 3):
        if deepest > 3:
            with pytest.raises(limits.TooDeep):
                limits.check_brackets(text.encode())
        else:
            limits.check_brackets(text.encode())
