"""`memfold eval outline` counts what others find, and trusts no line of ours."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from memfold.cli.eval_ import command
from memfold.code.outline import outline
from memfold.evals.outlines.ctags_kinds import Tag, why_not
from memfold.evals.outlines.oracle_acorn import on_this_machine as acorn_here
from memfold.evals.outlines.oracle_ctags import on_this_machine as ctags_here
from memfold.evals.outlines.oracle_python import PythonOracle
from memfold.evals.outlines.oracles import Expected, Told
from memfold.evals.outlines.outline import Place, name_key, rows, stands

POOL = """import os

LIMIT: int = 4


class Pool:
    kept = []

    @property
    def size(self) -> int:
        grow = lambda n: n + 1
        return grow(1)


async def run() -> None:
    def inner() -> None:
        pass
"""


@dataclass(frozen=True)
class Says:
    """An oracle that says what it is told to."""

    expected: tuple[Expected, ...]

    @property
    def title(self) -> str:
        return "a test"

    def told(self, path: Path, _text: str, _language: str) -> Told:
        return Told(list(self.expected), unread=f"{path.name}: no" if "odd" in path.name else "")


def test_python_is_judged_by_its_own_tree(tmp_path: Path) -> None:
    told = PythonOracle().told(tmp_path / "pool.py", POOL, "python")
    assert {(one.name, one.line) for one in told.expected} == {
        ("LIMIT", 3), ("Pool", 6), ("kept", 7), ("size", 10), ("run", 15), ("inner", 16),
    }  # fmt: skip
    assert told.left_out == {"a lambda has no name": 1}
    assert PythonOracle().told(tmp_path / "bad.py", "def (:", "python").unread


def test_what_is_missing_is_counted_and_named(tmp_path: Path) -> None:
    (tmp_path / "pool.py").write_text(POOL)
    (tmp_path / "odd.py").write_text("x = 1\n")
    (tmp_path / "notes.txt").write_text("no language\n")
    (tmp_path / ".gitignore").write_text("made.py\n")
    (tmp_path / "made.py").write_text("y = 1\n")
    judge = Says((Expected("Pool", "class", 6), Expected("size", "def", 9), Expected("no", "f", 1)))
    [row] = rows(tmp_path, {"python": judge})
    assert (row.files, row.expected, row.found) == (2, 3, 1)
    assert row.missing == [Place("pool.py", "size", 9), Place("pool.py", "no", 1)]
    assert row.passed_over == ["odd.py: odd.py: no"]
    assert not row.false


def test_a_name_that_is_not_on_its_line_is_false() -> None:
    [_limit, pool, *_] = outline(POOL.encode(), "python").symbols
    lines = POOL.split("\n")
    assert stands(pool, lines)
    assert not stands(pool, ["", *lines])
    assert not stands(pool, lines[:4])


@pytest.mark.parametrize(
    ("name", "key"),
    [("Pool.run", "run"), ("a::b", "b"), ("M:f", "f"), ("operator ==", "=="), ("..", ".."),
     ("empty?", "empty"), ("$size", "size"), ("operators", "operators"), ("!=", "!=")],
)  # fmt: skip
def test_names_are_compared_without_what_one_side_adds(name: str, key: str) -> None:
    assert name_key(name) == key


def test_a_tag_is_left_out_only_with_a_reason() -> None:
    lines = ["local f = function_arg(1)", "function f() end"]
    assert "function_arg" in why_not(Tag("f", "function", 1, ""), "lua", lines)
    assert why_not(Tag("f", "function", 2, ""), "lua", lines) == ""
    assert why_not(Tag("i", "variable", 1, "function"), "c", lines)
    assert why_not(Tag("i", "variable", 1, ""), "c", lines) == ""
    assert why_not(Tag("__anon1", "struct", 1, ""), "c", lines)
    assert why_not(Tag("main", "package", 1, ""), "go", lines)


@pytest.mark.skipif(ctags_here() is None, reason="Universal Ctags is not installed")
def test_ctags_judges_go(tmp_path: Path) -> None:
    source = "package a\n\ntype Pool struct{ size int }\n\nfunc (p *Pool) Run() {}\n"
    (tmp_path / "a.go").write_text(source)
    ctags = ctags_here()
    assert ctags is not None
    told = ctags.told(tmp_path / "a.go", source, "go")
    assert {(one.name, one.line) for one in told.expected} == {
        ("Pool", 3), ("size", 3), ("Run", 5),
    }  # fmt: skip
    assert told.left_out == {"the package of the whole file": 1}


@pytest.mark.skipif(acorn_here() is None, reason="no node with acorn inside")
def test_acorn_judges_javascript(tmp_path: Path) -> None:
    acorn = acorn_here()
    assert acorn is not None
    source = (
        "class A { #x = 1; run() {} }\nA.prototype.b = () => { const c = 1; };\n[].map(() => 1)"
    )
    told = acorn.told(tmp_path / "a.js", source, "javascript")
    assert {(one.name, one.line) for one in told.expected} == {
        ("A", 1), ("#x", 1), ("run", 1), ("b", 2),
    }  # fmt: skip
    assert sum(told.left_out.values()) == 2
    assert acorn.told(tmp_path / "b.js", "class {", "javascript").unread


def test_the_command_tells_a_folder_in_a_table_and_in_json(tmp_path: Path) -> None:
    (tmp_path / "pool.py").write_text(POOL)
    (tmp_path / "a.zig").write_text("fn f() void {}\n")
    shown = CliRunner().invoke(command, ["outline", str(tmp_path)])
    assert shown.exit_code == 0
    assert "100.0%" in next(line for line in shown.output.splitlines() if "ast of" in line)
    assert "nobody here" in next(line for line in shown.output.splitlines() if "zig" in line)
    assert "left out 1 a lambda has no name" in shown.output
    told = CliRunner().invoke(command, ["outline", str(tmp_path), "--json"])
    python, zig = json.loads(told.output)["languages"]
    assert (python["expected"], python["found"], python["share"], python["false"]) == (6, 6, 1, 0)
    assert (zig["oracle"], zig["share"], zig["symbols"]) == ("", None, 1)


def test_a_folder_without_source_is_said_to_be_one(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "gone"):
        refused = CliRunner().invoke(command, ["outline", str(folder)])
        assert refused.exit_code != 0
