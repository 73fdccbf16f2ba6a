"""Outline and unfold: right lines in every encoding, limits on any input, one symbol's source."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.code.gathered import MAX_SYMBOLS
from memfold.code.labels import SIGNATURE_CHARS
from memfold.code.languages import LANGUAGES, is_code, language_of
from memfold.code.outline import outline
from memfold.code.parsing import MAX_BYTES
from memfold.code.render import OUTLINE_BYTES, render
from memfold.code.symbols import Outline
from memfold.code.unfold import UNFOLD_BYTES, unfold
from memfold.errors import InvalidInput, NotFound

SAMPLES = sorted((Path(__file__).parent / "samples").iterdir())
TEXT = '''"""Überschrift: 例."""

import os


class Pool:
    """Keeps connections."""

    # Waits for one.
    @property
    def größe(self) -> int:
        return 1

    def run(self):
        return 2


def run():
    return 3
'''
EXPECTED = [("Pool", 6, 15), ("größe", 11, 12), ("run", 14, 15), ("run", 18, 19)]


def places(found: Outline) -> list[tuple[str, int, int]]:
    return [(one.name, one.line, one.end_line) for one in found.symbols]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_an_editors_in_every_encoding(encoding: str, end: str) -> None:
    text = TEXT.replace("例", "e") if encoding == "latin-1" else TEXT
    data = text.replace("\n", end).encode(encoding)
    found = outline(data, "python")
    assert places(found) == EXPECTED
    assert found.lines == TEXT.count("\n")
    assert not found.broken
    assert "12 |" not in unfold(data, "python", "a.py", "größe").splitlines()[0]


def test_an_error_costs_only_what_it_stands_in() -> None:
    broken = TEXT.replace("        return 2\n", "        return (((\n")
    names = [one.name for one in outline(broken.encode(), "python").symbols]
    assert {"Pool", "größe"} <= set(names)
    cut = TEXT.encode()[: len(TEXT.encode()) * 61 // 100]
    assert "Pool" in [one.name for one in outline(cut, "python").symbols]
    marks = TEXT.replace("import os", "<<<<<<< ours\nimport os\n=======\n>>>>>>> theirs")
    assert "Pool" in [one.name for one in outline(marks.encode(), "python").symbols]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_symbols_nest_and_stand_where_they_say(sample: Path) -> None:
    data = sample.read_bytes()
    found = outline(data, language_of(sample.name))
    assert found.symbols
    lines = data.decode().splitlines()
    for place, one in enumerate(found.symbols):
        assert 1 <= one.first_line <= one.line <= one.end_line <= found.lines, one
        assert len(one.signature) <= SIGNATURE_CHARS
        if one.parent is not None:
            parent = found.symbols[one.parent]
            assert one.parent < place
            assert parent.first_line <= one.first_line
            assert one.end_line <= parent.end_line
        near = " ".join(lines[one.line - 1 : one.line + 1])
        word = re.search(r"\w+|[^\w\s()\"']+", one.name.rpartition(".")[2])
        assert word is not None, one
        assert word[0] in near, one


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_one_definition_is_one_symbol(sample: Path) -> None:
    """A type that is returned, or a guard, is no second function."""
    found = outline(sample.read_bytes(), language_of(sample.name))
    shown = [
        (one.first_line, one.end_line, one.signature)
        for one in found.symbols
        if one.kind in {"function", "method", "macro", "trigger"}
    ]
    assert len(shown) == len(set(shown))


@given(data=st.binary(max_size=4_000), language=st.sampled_from(sorted(LANGUAGES)))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_answered_within_the_limits(data: bytes, language: str) -> None:
    refused = ""
    try:
        found = outline(data, language)
    except InvalidInput as error:
        refused = error.message
    if refused:
        assert "\n" not in refused
        return
    assert len(render(found, "a").encode()) <= OUTLINE_BYTES
    for one in found.symbols:
        assert 1 <= one.line <= max(found.lines, 1)


def test_a_string_that_does_not_end_ends_with_the_file() -> None:
    found = outline(b'local n="\n', "lua")
    assert [(one.name, one.end_line) for one in found.symbols] == [("n", 1)]


@given(st.sampled_from(SAMPLES), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_a_damaged_sample_has_no_false_line(sample: Path, chance: object) -> None:
    data = bytearray(sample.read_bytes())
    for _ in range(chance.randrange(1, 30)):  # type: ignore[attr-defined]  # hypothesis's Random
        at = chance.randrange(len(data))  # type: ignore[attr-defined]
        data[at : at + chance.randrange(4)] = chance.randbytes(chance.randrange(4))  # type: ignore[attr-defined]
    try:
        found = outline(bytes(data), language_of(sample.name))
    except InvalidInput:
        return  # a NUL made it binary
    for one in found.symbols:
        assert 1 <= one.first_line <= one.line <= one.end_line <= max(found.lines, 1)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("data", "language"),
    [
        (b"x = '" + b"a" * 5_000_000 + b"'", "python"),
        (b"(" * 200_000, "python"),
        (b"{" * 500_000, "javascript"),
        (b"[" * 300_000 + b"]" * 300_000, "json"),
        (b"".join(b"def f%d(): pass\n" % n for n in range(100_000)), "python"),
        (b"".join(b"%sclass A%d:\n" % (b" " * n, n) for n in range(3_000)), "python"),
        (b"{a:" * 130_000, "javascript"),
        (b"@a " * 130_000, "ruby"),
        (b"(" * 4_000_000, "python"),
        (b"# " * 400_000, "markdown"),
        (b"<div>" * 150_000, "html"),
    ],
)
def test_no_input_hangs_or_overflows(data: bytes, language: str) -> None:
    found = outline(data, language)
    assert len(found.symbols) <= MAX_SYMBOLS
    assert len(render(found, "ugly").encode()) <= OUTLINE_BYTES
    assert found.cut_short or found.left_out or len(data) <= MAX_BYTES


@pytest.mark.parametrize(
    "data", [b"\x7fELF\0\0\0\1", b"def f(): pass\n\0\0\0", b"\x89PNG\r\n\x1a\n\0"]
)
def test_a_binary_file_gets_a_clear_answer(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="binary"):
        outline(data, "python")


def test_deeper_levels_are_folded_first_with_a_count() -> None:
    text = "".join(
        f"class C{n}:\n" + "".join(f"    def method_{m}(self): pass\n" for m in range(30))
        for n in range(60)
    )
    shown = render(outline(text.encode(), "python"), "a.py")
    assert len(shown.encode()) <= OUTLINE_BYTES
    assert "class C59 (+30 inside)" in shown
    assert "method_3" not in shown


def test_one_symbol_with_its_decorators_and_line_numbers() -> None:
    shown = unfold(TEXT.encode(), "python", "pool.py", "Pool.größe")
    assert "# Waits for one." in shown
    assert "@property" in shown
    assert "return 1" in shown
    assert "return 2" not in shown
    assert any(line.split()[0].rstrip("|:") == "11" for line in shown.splitlines() if line.split())


def test_an_ambiguous_name_lists_the_candidates() -> None:
    shown = unfold(TEXT.encode(), "python", "pool.py", "run")
    assert "Pool.run" in shown
    assert "14" in shown
    assert "18" in shown
    assert "return" not in shown
    assert "return 2" in unfold(TEXT.encode(), "python", "pool.py", "Pool.run")


def test_a_long_symbol_is_cut_with_the_way_to_the_rest() -> None:
    text = "def long():\n" + "".join(f"    value = {n}\n" for n in range(6_000))
    seen: list[str] = []
    start = 0
    for _ in range(10):
        shown = unfold(text.encode(), "python", "a.py", "long", start)
        assert len(shown.encode()) <= UNFOLD_BYTES
        seen += [line for line in shown.splitlines() if "value = " in line]
        if "from_line" not in shown:
            break
        start = int(shown.rpartition("from_line")[2].strip(" =:").split()[0].rstrip(".,)"))
    assert len(seen) == 6_000


def test_a_name_that_is_not_there_is_told_with_what_is_near() -> None:
    with pytest.raises(NotFound, match="no symbol 'Pol'") as refused:
        unfold(TEXT.encode(), "python", "pool.py", "Pol")
    assert "Pool" in str(refused.value)


def test_data_is_no_code() -> None:
    assert [is_code(one) for one in ("python", "vue", "markdown", "yaml", "toml", "json", "")] == [
        True, True, False, False, False, False, False,
    ]  # fmt: skip
