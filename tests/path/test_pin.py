"""`memfold pin` and `memfold unpin` as a person types them, over a real daemon."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from aged_memory import grow_old
from running import Running, running
from terminal import Terminal

DAY_MS = 86_400_000
NOW = 1_777_500_000_000


class Person(Terminal):
    """Somebody with some weeks of work in two projects, at a terminal."""

    def __init__(self, here: Running, cwd: Path, other: Path) -> None:
        super().__init__(here, cwd)
        grow_old(here.home, cwd, [NOW - ago * DAY_MS for ago in range(9, 0, -1)], 3)
        grow_old(here.home, other, [NOW], 1, project="other")


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    for name in ("app", "other", "nowhere"):
        (tmp_path / name).mkdir()
    with running(tmp_path / "home") as here:
        yield Person(here, tmp_path / "app", tmp_path / "other")


def test_a_pin_stands_at_the_top_of_the_index_until_it_is_unpinned(person: Person) -> None:
    before = person.said("context")
    assert "### Pinned" not in before
    assert person.said("pin", "2").startswith("2 pinned: Learned toolu-")
    assert person.said("pin", "[2]").startswith("2 was pinned already: ")
    text = person.said("context")
    assert "### Pinned\n2 Apr 20, 2026 " in text
    assert text.count("Learned toolu-1776722400000-1") == 1
    assert person.said("pin", "--list").startswith("2 Learned toolu-")
    assert [pin["id"] for pin in json.loads(person.said("pin", "--list", "--json"))["pins"]] == [
        "2"
    ]
    assert person.said("unpin", "2").startswith("2 is no longer pinned: ")
    assert person.said("unpin", "2").startswith("2 was not pinned: ")
    assert (
        person.said("pin", "--list") == "Nothing is pinned. `memfold pin 41` pins observation 41.\n"
    )
    after = person.said("context")
    assert after.split("\n")[-20:] == before.split("\n")[-20:]


def test_a_pin_is_for_one_project_and_known_by_its_number(person: Person) -> None:
    done = person.run("pin", "28")
    assert done.returncode == 1
    assert done.stderr == (
        "memfold: Observation 28 belongs to the project 'other'. Run the command in a directory of "
        "that project, or name it with --project.\n"
    )
    assert "28 pinned" in person.said("pin", "28", "--project", "other")
    assert "28" not in person.said("pin", "--list")
    for given, says in (
        ("999", "There is no observation 999."),
        ("S1", "S1 is a summary; only observations can be pinned."),
        ("first", "`id` holds 'first'. Ids look like 41"),
    ):
        done = person.run("pin", given)
        assert done.returncode == 1
        assert done.stderr.startswith(f"memfold: {says}")
    done = person.run("pin", "1", "--json", cwd=person.cwd.parent / "nowhere")
    assert json.loads(done.stdout)["error"] == "not_found"
    assert "Nothing is remembered of this directory." in done.stderr


def test_the_twenty_first_pin_is_refused(person: Person) -> None:
    person.said("start")
    for number in range(1, 21):
        person.here.ask(
            "POST", "/pin", json.dumps({"id": str(number), "cwd": str(person.cwd)}).encode()
        )
    done = person.run("pin", "21")
    assert done.returncode == 1
    assert done.stderr == (
        "memfold: 20 observations of this project are pinned, and no more can be. "
        "Unpin one first; `memfold pin --list` shows them.\n"
    )
    assert len(person.said("pin", "--list").splitlines()) == 20


@pytest.mark.parametrize("words", [["pin"], ["pin", "1", "--list"], ["unpin"]])
def test_wrong_usage_says_how(person: Person, words: list[str]) -> None:
    done = person.run(*words)
    assert done.returncode == 2
    assert "Usage:" in done.stderr
