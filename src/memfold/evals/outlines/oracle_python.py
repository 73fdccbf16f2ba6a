"""Python judged by Python: its own syntax tree."""

from __future__ import annotations

import ast
import platform
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memfold.evals.outlines.oracles import Expected, Told


@dataclass(frozen=True, slots=True)
class PythonOracle:
    """Reads a file with the ``ast`` of the Python that runs it."""

    @property
    def title(self) -> str:
        return f"ast of Python {platform.python_version()}"

    def told(self, path: Path, text: str, _language: str) -> Told:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a file's own "\d" is not our matter
                tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError) as error:
            return Told(unread=f"{path.name}: {type(error).__name__}")
        told = Told()
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                told.expected.append(Expected(node.name, "function", node.lineno))
            elif isinstance(node, ast.ClassDef):
                told.expected.append(Expected(node.name, "class", node.lineno))
            elif isinstance(node, ast.Lambda):
                told.left_out["a lambda has no name"] += 1
            if isinstance(node, ast.Module | ast.ClassDef):
                told.expected += _assigned(node)
        return told


def _assigned(node: ast.Module | ast.ClassDef) -> Iterator[Expected]:
    """The names that its own lines give a value or a type."""
    for line in node.body:
        if isinstance(line, ast.Assign):
            targets = line.targets
        elif isinstance(line, ast.AnnAssign):
            targets = [line.target]
        else:
            continue
        for target in targets:
            if isinstance(target, ast.Name):
                yield Expected(target.id, "variable", target.lineno)
