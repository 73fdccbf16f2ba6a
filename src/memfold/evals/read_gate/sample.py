"""Files to ask about: real Python code of a wanted size, with one answer in one function."""

from __future__ import annotations

import ast
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# Of the standard library, which every Python has: large, and written by many hands.
MODULES = ("tarfile", "inspect", "argparse", "pickle", "optparse", "configparser", "smtplib")
_LEAST_LINES, _MOST_LINES = 25, 60  # of the function that holds the answer
_NEAR = 0.01  # of its size that may be missing
_WHERE = 0.6  # of the way through the file


@dataclass(frozen=True, slots=True)
class Sample:
    """One file and one question."""

    text: str
    symbol: str  # the function with the answer; ``Class.method`` where it is one
    first: int  # its lines
    last: int
    before: str  # the function's lines above the answer
    answer_line: str
    question: str  # with {file}
    answer: str  # a regular expression

    @property
    def size(self) -> int:
        return len(self.text.encode())

    @property
    def lines(self) -> int:
        return self.text.count("\n")


def sample_of(size: int) -> Sample:
    """A file of ``size`` bytes, give or take a few in a hundred; the same for the same Python."""
    taken: list[str] = []
    room = size
    for piece in _pieces():
        long = len(piece.encode()) + 3
        if long <= room:
            taken.append(piece)
            room -= long
        if room < size * _NEAR:
            break
    return _asked("\n\n\n".join(taken) + "\n")


@cache
def _source() -> tuple[str, ...]:
    folder = Path(sysconfig.get_path("stdlib"))
    return tuple((folder / f"{name}.py").read_text("utf-8") for name in MODULES)


def _pieces() -> Iterator[str]:
    """The top definitions of the modules, one after the other, with their decorators."""
    for text in _source():
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.end_lineno:
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                yield "\n".join(lines[first - 1 : node.end_lineno])


def _asked(text: str) -> Sample:
    """With the answer put into a function of middling length some way down."""
    wanted = text.count("\n") * _WHERE
    name, node = min(_functions(text), key=lambda one: abs(one[1].lineno - wanted))
    number = next(n for n in range(47, 1_000) if not re.search(rf"\b{n}\b", text))
    body = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
    lines = text.splitlines()
    at = body.lineno - 1
    line = f"{' ' * body.col_offset}patience = {number}  # hours until a lock left behind is broken"
    text = "\n".join([*lines[:at], line, *lines[at:]]) + "\n"
    return Sample(
        text=text,
        symbol=name,
        first=node.lineno,
        last=(node.end_lineno or node.lineno) + 1,
        before="\n".join(lines[node.lineno - 1 : at]),
        answer_line=line,
        question=(
            f"In {{file}}, after how many hours does {name} break a lock that was left behind? "
            "Answer with the number."
        ),
        answer=rf"\b{number}\b",
    )


def _functions(text: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions and methods whose name is there once, neither short nor long."""
    tree = ast.parse(text)
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    parents: list[ast.Module | ast.ClassDef] = [tree]
    parents += [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for parent in parents:
        for node in parent.body:
            if not isinstance(node, ast.FunctionDef) or names.count(node.name) > 1:
                continue
            long = (node.end_lineno or 0) - node.lineno + 1
            is_plain = node.body[0].lineno > node.lineno and not node.decorator_list
            if is_plain and _LEAST_LINES <= long <= _MOST_LINES:
                prefix = f"{parent.name}." if isinstance(parent, ast.ClassDef) else ""
                yield prefix + node.name, node
