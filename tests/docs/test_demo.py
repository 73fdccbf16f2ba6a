"""`make demo` shows a stranger the whole way, with real processes, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo.py"
pytestmark = pytest.mark.xdist_group("demo")  # it runs once


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the demo prints, run with a temporary directory of its own and an empty home."""
    home = tmp_path_factory.mktemp("home")
    temporary = tmp_path_factory.mktemp("tmp")
    env = {**os.environ, "HOME": str(home), "TMPDIR": str(temporary), "MEMFOLD_INDEX_TYPES": "x"}
    done = subprocess.run(
        [sys.executable, str(DEMO)], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert list(temporary.iterdir()) == [], "the throwaway directory is gone"
    assert not [path for path in home.rglob("*") if "memfold" in path.name]
    return done.stdout


def part(shown: str, number: int) -> str:
    return shown.split(f"\n== {number}  ")[1].split("\n== ", maxsplit=1)[0]


def test_the_session_is_captured_by_the_hook_alone(shown: str) -> None:
    """Its transcript, imported afterwards, brings no tool use that the hook had not brought."""
    said = " ".join(part(shown, 1).split())
    assert "2 older sessions with 5 tool uses are new" in said
    assert "5 tool uses had come by the hook and were not stored twice" in said


def test_the_next_session_is_shown_layers_0_and_1(shown: str) -> None:
    start = part(shown, 3)
    assert "[doing] timeout for acquire()" in start
    assert "# [pool] recent context" in start
    assert "Fixed the connection leak on the error path" in start
    assert "Kept expiry lazy instead of adding a reaper thread" in start
    assert "accepts a connection that was already given back" in start


def test_a_guided_search_leads_to_raw_evidence(shown: str) -> None:
    for number, step in ((4, 1), (5, 2), (6, 3)):
        assert f"mem-search step {step} of 3" in part(shown, number)
    assert "Continue with: ms_" in part(shown, 4)
    assert "Continue with: ms_" in part(shown, 5)
    assert "RuntimeError: pool is empty" in part(shown, 7)


def test_every_step_has_its_price_and_the_text_is_narrow(shown: str) -> None:
    assert part(shown, 8).count(" tokens\n") >= 6
    assert max(map(len, shown.splitlines())) <= 88
