"""When a session starts, the parsers that its reads will need are loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memfold.gatekeeper import Gatekeeper
from memfold.house import House


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    home = tmp_path / "memory"
    home.mkdir()
    opened = House.open(home)
    yield opened
    opened.close()


def remember(house: House, cwd: Path, *names: str) -> None:
    for number, name in enumerate(names):
        args = {"title": f"Note {number} about {name}", "files": [str(cwd / name)]}
        house.toolbox.call("memory_note", args, house.caller(cwd=str(cwd)))


def asked(house: House, monkeypatch: pytest.MonkeyPatch, cwd: Path) -> list[str]:
    """The names of the files whose parsers were loaded."""
    keeper: Gatekeeper = house.gatekeeper
    outline, names = keeper.outline, []

    def noted(path: str, data: bytes) -> str:
        names.append(Path(path).name)
        return outline(path, data)

    monkeypatch.setattr(keeper, "outline", noted)
    keeper.make_ready(str(cwd))
    return names


def test_once_for_each_language_the_most_frequent_first(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("a.go", "b.py", "c.py", "d.rs", "e.rs", "f.rs", "notes.md", "g.ts", "h.ts")
    remember(house, tmp_path, *names)
    endings = [Path(name).suffix for name in asked(house, monkeypatch, tmp_path)]
    assert endings[0] == ".rs"
    assert sorted(endings[1:]) == [".py", ".ts"]


def test_nothing_is_loaded_where_nothing_is_known(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked(house, monkeypatch, tmp_path) == []
    remember(house, tmp_path, "notes.md")
    assert asked(house, monkeypatch, tmp_path) == []
