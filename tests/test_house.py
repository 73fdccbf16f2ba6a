"""The house stays in order: imports, file sizes, signs on the doors, nothing of a machine."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memfold import wire
from memfold.settings import SETTINGS

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "memfold"
FILES = sorted(SOURCE.rglob("*.py"))
PLAIN_LISTS = {"rules.py"}  # a list may be as long as it is


def test_imports_point_one_way() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3_000:]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_a_file_has_one_job(file: Path) -> None:
    """No source file over 400 lines that is not a plain list; each says what it is for."""
    text = file.read_text("utf-8")
    assert file.name in PLAIN_LISTS or len(text.splitlines()) <= 400
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "a module says in its docstring what it is for"
    if file.name == "__init__.py":
        assert len(tree.body) == 1, "the sign on the door and nothing else"


def test_the_version_is_the_same_everywhere() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'version = "{wire.VERSION}"' in project


def test_every_setting_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "settings.md").read_text("utf-8")
    assert [s.name for s in SETTINGS if f"`{s.name}`" not in page] == []


def test_nothing_of_the_machine_it_was_written_on_stands_in_the_project() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout, so there is no list of the project's files")
    own = re.compile(r"(?<![\w.~}])/(?:work|root)/|/tmp/" + "pytest-of")
    found = []
    for name in filter(None, listed.stdout.split("\0")):
        file = ROOT / name
        if file.is_file() and own.search(file.read_text("utf-8", "replace")):
            found.append(name)
    assert found == []
