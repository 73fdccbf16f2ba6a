"""Any encoding and line ending: the lines that an editor shows."""

from __future__ import annotations

import codecs

import pytest

from memfold.code.outline import outline
from memfold.code.text import count_lines, text_of
from memfold.errors import InvalidInput

SOURCE = (
    "# café\nclass Größe:\n    def длина(self):\n        return 1\n\n\ndef 変換(x):\n    return x\n"
)
ENCODINGS = {
    "utf-8": SOURCE.encode(),
    "utf-8 with mark": codecs.BOM_UTF8 + SOURCE.encode(),
    "utf-16-le with mark": codecs.BOM_UTF16_LE + SOURCE.encode("utf-16-le"),
    "utf-16-be with mark": codecs.BOM_UTF16_BE + SOURCE.encode("utf-16-be"),
    "utf-32-le with mark": codecs.BOM_UTF32_LE + SOURCE.encode("utf-32-le"),
    "carriage return and line feed": SOURCE.replace("\n", "\r\n").encode(),
    "carriage return": SOURCE.replace("\n", "\r").encode(),
    "utf-16-le, carriage returns": codecs.BOM_UTF16_LE
    + SOURCE.replace("\n", "\r\n").encode("utf-16-le"),
}


@pytest.mark.parametrize("data", ENCODINGS.values(), ids=ENCODINGS)
def test_outline_is_the_same_in_every_encoding(data: bytes) -> None:
    found = outline(data, "python")
    assert found.lines == 8
    assert [(one.path, one.line, one.end_line) for one in found.symbols] == [
        ("Größe", 2, 4),
        ("Größe.длина", 3, 4),
        ("変換", 7, 8),
    ]


def test_utf16_without_a_mark_is_known_by_its_zeros() -> None:
    source = "def f():\n    return 1\n"
    for encoding in ("utf-16-le", "utf-16-be"):
        assert text_of(source.encode(encoding)) == source


def test_latin_1_is_read_where_utf_8_is_not() -> None:
    found = outline("# café\ndef f():\n    pass\n".encode("latin-1"), "python")
    assert [(one.name, one.line, one.doc) for one in found.symbols] == [("f", 2, "café")]


def test_lone_carriage_return_ends_no_line_where_line_feeds_do() -> None:
    """Compilers and hosts count line feeds."""
    found = outline(b"a = 1\rb = 2\ndef f():\n    pass\n", "python")
    assert [one.line for one in found.symbols if one.name == "f"] == [2]


@pytest.mark.parametrize("separator", ["\x0c", "\x85", "\u2028"])
def test_other_separators_end_no_line(separator: str) -> None:
    """Python's splitlines takes ten characters for line ends; editors do not."""
    found = outline(f"# a{separator}b\ndef f():\n    pass\n".encode(), "python")
    assert [one.line for one in found.symbols] == [2]


@pytest.mark.parametrize(
    ("text", "lines"), [("", 0), ("\n", 1), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\n\n", 2)]
)
def test_lines_are_counted_as_an_editor_does(text: str, lines: int) -> None:
    assert count_lines(text) == lines


@pytest.mark.parametrize("data", [bytes(range(256)) * 512, b"\x7fELF\x02\x01\x01" + b"\0" * 4_000])
def test_binary_file_is_said_to_be_one(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="binary"):
        outline(data, "python")
