"""Text that a grammar cannot read, and that holds no symbol, is blank before the parse."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.code.outline import outline_of_text
from memfold.code.plain import plain_text
from memfold.code.symbols import Outline

PIECES = {
    "bash": [
        "[[ $a =~ ", "^(b|c)$", " ]]", "${a", "${", "}", "@(", "!(", "|", ")", "((", "))", "*(2",
        "for i do", "; done", "f() {", "\\", "'", '"', "`", "#", "<<X", "\n", " ", "é",
    ],
    "sql": [
        "CREATE OPERATOR", "create rule r as", "ALTER FUNCTION f()", "COPY t FROM stdin;", "\\.",
        "\\echo x", "/*!40101 SET a=b */;", "GRANT ALL", "AS 'a', 'b'", "LANGUAGE 'c'", "$$", "--",
        "CREATE TABLE t (", "a int", ");", "IMMUTABLE", ";", "'", "\n", " ", "é",
    ],
    "scss": [
        "$a: ", "$map: (", "'x': (", ")", "1,", ";", "{", "}", "#{", "!default", "/*", "*/", "//",
        '"', "'", "\\", "@include m($a: 1)", ".a", "@mixin m", "url(", "\n", " ", "é",
    ],
}  # fmt: skip


def names(outline: Outline) -> list[tuple[str, str, int, int]]:
    return [(one.path, one.kind, one.line, one.end_line) for one in outline.symbols]


@pytest.mark.parametrize("language", PIECES)
@given(data=st.data())
def test_every_byte_stays_in_its_place(language: str, data: st.DataObject) -> None:
    piece = st.sampled_from(PIECES[language]) | st.text(string.printable, max_size=3)
    source = "".join(data.draw(st.lists(piece, max_size=40))).encode()
    plain = plain_text(source, language)
    assert len(plain) == len(source)
    assert [at.start() for at in re.finditer(b"\n", plain)] == [
        at.start() for at in re.finditer(b"\n", source)
    ]
    changed = {new for new, old in zip(plain, source, strict=True) if new != old}
    assert changed <= set(b" 1;_=")


@pytest.mark.parametrize("language", ["python", "css", "javascript", "c"])
def test_other_languages_are_parsed_as_they_are(language: str) -> None:
    source = b"$a: (b: c);\n\\echo x\nCREATE OPERATOR = (a);\n"
    assert plain_text(source, language) is source


UNREADABLE_SQL = {
    "commands of psql": r"\set ON_ERROR_STOP on",
    "rows of a dump": (
        "COPY public.items (id, name) FROM stdin;\n1\tCREATE TABLE no (a int);\n2\tit's\n\\."
    ),
    "an operator": "CREATE OPERATOR < (\n\tPROCEDURE = lt(a, a),\n\tNEGATOR = >=\n);",
    "an operator class": (
        "CREATE OPERATOR CLASS c DEFAULT\n\tFOR TYPE t USING btree AS\n"
        "\tOPERATOR 1 <,\n\tFUNCTION 1 cmp(t, t);"
    ),
    "a cast": "CREATE CAST (a AS b) WITH FUNCTION f(a) AS ASSIGNMENT;",
    "a semicolon in a string": "CREATE AGGREGATE sum2(int) (sfunc = 'a;b', stype = int);",
    "an apostrophe in a comment": "CREATE OPERATOR = ( -- isn't\n\tLEFTARG = a\n);",
    "rights": "GRANT USAGE ON SCHEMA public TO PUBLIC;\nREVOKE ALL ON SCHEMA public FROM x;",
    "owners": "ALTER FUNCTION public.f(a integer) OWNER TO me;",
    "what is dropped": "DROP FUNCTION IF EXISTS f(int);\nDROP TRIGGER t ON x;\nDROP DOMAIN d;",
    "MySQL's settings": "/*!40101 SET NAMES utf8 */;\nLOCK TABLES `t` WRITE;\nUNLOCK TABLES;",
    "SQLite's settings": "PRAGMA foreign_keys = ON;",
}


@pytest.mark.parametrize("statement", UNREADABLE_SQL.values(), ids=UNREADABLE_SQL)
def test_an_sql_statement_that_the_grammar_does_not_know_costs_nothing(statement: str) -> None:
    head = "CREATE TABLE before_it (id int);\n"
    after = "\nCREATE FUNCTION after_it(a int) RETURNS int AS 'm', 's' LANGUAGE 'c' IMMUTABLE;\n"
    outline = outline_of_text(head + statement + after, "sql")
    row = 3 + statement.count("\n")
    assert names(outline) == [
        ("before_it", "table", 1, 1),
        ("before_it.id", "column", 1, 1),
        ("after_it", "function", row, row),
    ]
    assert not outline.broken
    assert "AS 'm', 's'" not in plain_text((head + statement + after).encode(), "sql").decode()


def test_a_statement_without_its_end_takes_nothing_of_the_next() -> None:
    text = "CREATE OPERATOR = (\n  LEFTARG = a\nCREATE TABLE t (id int);\nDROP RULE r ON t\n"
    assert ("t", "table", 3, 3) in names(outline_of_text(text, "sql"))


def test_a_word_of_a_column_is_no_statement() -> None:
    text = "CREATE TABLE t (\nlanguage text,\ngrant text,\npragma int,\nrule int\n);\n"
    assert plain_text(text.encode(), "sql") == text.encode()


SCSS_VALUES = {
    "a map": "(\n  'a': 1px,\n  'b': (c: d, e: f),\n)",
    "a flag": "1px !default",
    "an empty map": "()",
    "a semicolon in a string": '"a;b"',
    "a brace in a string": "'}{'",
    "an address": "url(data:image/svg+xml;charset=utf8,%3Csvg)",
    "an interpolation": "#{$x + 1}px solid",
    "a comment": "1px /* a; b */ 2px // c; d\n  3px",
    "a call over lines": "map-merge(\n  $a,\n  (\n    b: c\n  )\n)",
}


@pytest.mark.parametrize("value", SCSS_VALUES.values(), ids=SCSS_VALUES)
def test_the_value_of_an_scss_variable_holds_no_symbol_and_no_error(value: str) -> None:
    text = f"$before: {value};\n.after {{\n  $inner: {value};\n  color: red;\n}}\n$last: 1;\n"
    outline = outline_of_text(text, "scss")
    lines = value.count("\n")
    got = [(one.name, one.line, one.end_line) for one in outline.symbols]
    assert ("$before", 1, 1 + lines) in got
    assert (".after", 2 + lines, 5 + 2 * lines) in got
    assert ("$last", 6 + 2 * lines, 6 + 2 * lines) in got
    assert {one[0] for one in got} <= {"$before", ".after", "$inner", "$last"}
    assert not outline.broken
    assert outline.symbols[0].signature.startswith("$before: " + value.partition("\n")[0].strip())


def test_what_a_mixin_is_given_is_no_variable() -> None:
    text = (
        "@mixin box(\n  $a: 1px,\n  $b: 2px\n) {\n  width: $a;\n}\n.a { @include box($a: 3px); }\n"
    )
    assert plain_text(text.encode(), "scss") == text.encode()


def test_the_last_value_of_a_block_needs_no_semicolon() -> None:
    text = ".a { $b: (c: d) }\n.e { color: red; }\n"
    outline = outline_of_text(text, "scss")
    assert (".e", 2) in [(one.name, one.line) for one in outline.symbols]
    assert not outline.broken


@pytest.mark.parametrize("text", ["$a: (1, 2;\n.b { c: d; }\n", "$a: 1);\n.b { c: d; }\n"])
def test_brackets_that_do_not_fit_leave_the_text_as_it_is(text: str) -> None:
    assert plain_text(text.encode(), "scss") == text.encode()


UNREADABLE_BASH = {
    "an expression": r"[[ $a =~ ^(\$(\{[!#]?)?)([^]]*)$ ]] && b",
    "an expression with spaces": "[[ $a =~ ^a(b |c)d && -n $e ]]",
    "an expression on its own line": "[[ $a =~ \\\n    (b|c)\\[? ]]",
    "what is not a pattern of names": "for i in $d/!(*.@(a|b)|$c); do :; done",
    "names that the shell matches": "[[ $a == *@(b|c)* ]] || case $a in --+(x)dir*) ;; esac",
    "a piece of a value": 'b=${a:$c:1}; d=${a/[<{().[]*}; e="${a%]?(:+([0-9]))}"',
    "a loop over what is given": "for i do :; done",
    "arithmetic": "b=$((2*(3+4*(5)))); if ((a?(b):(c))); then :; fi",
    "a program in quotes": "perl -ne 'print if $a =~ /b c/' d | cut -c1",
}


@pytest.mark.parametrize("line", UNREADABLE_BASH.values(), ids=UNREADABLE_BASH)
def test_a_pattern_of_bash_is_a_word_to_the_grammar(line: str) -> None:
    text = f"one() {{\n  {line}\n}}\ntwo() {{ :; }}\n"
    outline = outline_of_text(text, "bash")
    end = 3 + line.count("\n")
    assert names(outline) == [
        ("one", "function", 1, end),
        ("two", "function", end + 1, end + 1),
    ]
    assert not outline.broken
    assert outline.symbols[0].signature == "one()"


def test_a_signature_shows_what_the_source_says() -> None:
    text = 'glob="@(a|b)"\nrest=${1##*/}\n'
    outline = outline_of_text(text, "bash")
    assert [one.signature for one in outline.symbols] == text.splitlines()


ENDLESS = [
    ("bash", "(("), ("bash", "((a"), ("bash", "((a)b"), ("bash", "(( ((a))"), ("bash", "=~ "),
    ("bash", "=~ a\\ "), ("bash", "=~"), ("bash", "!("), ("bash", "@(a"), ("bash", "@(a(b)"),
    ("bash", "${"), ("bash", "${a$"), ("bash", "\n"), ("bash", "\nfor i"), ("bash", "for "),
    ("sql", "CREATE OPERATOR '"), ("sql", "create rule "), ("sql", "\nCREATE OPERATOR -"),
    ("sql", "COPY t from stdin "), ("sql", "\nCOPY t FROM stdin;\n"), ("sql", "copy from "),
    ("sql", "\n/*!1"), ("sql", "as 'a' "), ("sql", "as 'a',\n"), ("sql", "language '"),
    ("sql", "\ntrusted procedural "), ("sql", "\ncreate procedural "), ("sql", "\ngrant "),
    ("scss", '"'), ("scss", "\\"), ("scss", "/*"), ("scss", "/**"), ("scss", "url("),
    ("scss", "$a"), ("scss", "$a: "), ("scss", "$a: #{"), ("scss", "'\\"), ("scss", "("),
]  # fmt: skip


@pytest.mark.parametrize(("language", "piece"), ENDLESS)
def test_four_megabytes_of_a_piece_take_no_time_worth_the_name(language: str, piece: str) -> None:
    """One of these that looked again at what it had seen would run for hours."""
    source = (piece * (4_000_000 // len(piece))).encode()
    assert len(plain_text(source, language)) == len(source)
