"""What the docs claim holds: links, named files, reference pages, make targets."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("examples/**/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_files_exist(page: Path) -> None:
    """A page that names a file of the project names one that is there."""
    named = re.findall(
        r"(?<![\w./])(?:src|docs|tests|bench|examples)/[\w./-]+\.\w+", page.read_text("utf-8")
    )
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_tests_exist(page: Path) -> None:
    named = re.findall(r"(tests/[\w/]+\.py)::(test_\w+)", page.read_text("utf-8"))
    gone = [name for file, name in named if f"def {name}(" not in (ROOT / file).read_text("utf-8")]
    assert gone == []


def test_reference_pages_are_as_the_code_is() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_make_targets_that_pages_name_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for page in PAGES:
        for name in re.findall(r"`?make ([a-z]+)\b(?=`|$|  )", page.read_text("utf-8")):
            assert name in targets, f"{page.name}: make {name}"


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text("utf-8")
    assert [p.name for p in folder.glob("0*.md") if p.name not in index] == []
