"""`memfold outline` and `memfold unfold` at a terminal; no daemon is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import running
from terminal import Terminal

CODE = '''\
import os


class Pool:
    """Keeps connections."""

    @property
    def run(self) -> int:
        return 1


def run() -> int:
    return 2
'''


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Terminal]:
    place = tmp_path / "with blank"
    place.mkdir()
    (place / "pool.py").write_text(CODE)
    with running(tmp_path / "home") as here:
        yield Terminal(here, place)
        assert not (here.home / "daemon.log").exists(), "no daemon is needed"


def test_an_outline_as_text_and_as_data(person: Terminal) -> None:
    text = person.said("outline", "pool.py")
    assert "def run(self) -> int" in text
    told = json.loads(person.said("outline", "pool.py", "--json"))
    assert (told["language"], told["lines"], told["imports"]) == ("python", 13, ["import os"])
    rows = [
        (one["name"], one["kind"], one["line"], one["end_line"], one["parent"])
        for one in told["symbols"]
    ]
    assert rows == [
        ("Pool", "class", 4, 9, ""),
        ("run", "method", 8, 9, "Pool"),
        ("run", "function", 12, 13, ""),
    ]


def test_one_symbol_is_unfolded_and_several_are_listed(person: Terminal) -> None:
    shown = person.said("unfold", "pool.py", "Pool.run")
    assert "7\t    @property" in shown
    assert "return 2" not in shown
    assert "Pool.run@8" in person.said("unfold", "pool.py", "run")
    rest = json.loads(person.said("unfold", "pool.py", "run@8", "--from-line", "9", "--json"))
    assert "return 1" in rest["text"]
    assert "@property" not in rest["text"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("outline", "gone.py"), "gone.py cannot be read"),
        (("outline", "notes.xyz"), "in no language"),
        (("outline", "credentials.json"), "credentials.json"),
        (("unfold", "pool.py", "Pol.run"), "has no symbol 'Pol.run'"),
        (("unfold", "pool.py", "run@8", "--from-line", "99"), "not line 99"),
    ],
    ids=["gone", "no language", "secret", "no symbol", "no such line"],
)
def test_what_cannot_be_had_is_said_in_a_sentence(
    person: Terminal, words: tuple[str, ...], says: str
) -> None:
    (person.cwd / "credentials.json").write_text('{"password": "marmalade"}')
    done = person.run(*words)
    assert done.returncode == 1
    assert done.stderr.startswith("memfold: ")
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert "marmalade" not in done.stdout + done.stderr


def test_the_file_may_lie_anywhere(person: Terminal, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere.go"
    other.write_text("package a\n\nfunc Run() {}\n")
    assert "func Run()" in person.said("outline", str(other))
