"""One list of settings; environment over file over default."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfold import settings
from memfold.errors import InvalidInput


def test_a_default_holds_where_nothing_is_set(tmp_path: Path) -> None:
    assert settings.load(tmp_path, {}).number("index_observations") == 50


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('index_observations = 7\ntimezone = "Asia/Tokyo"\n')
    loaded = settings.load(tmp_path, {"MEMFOLD_INDEX_OBSERVATIONS": "9"})
    assert loaded.number("index_observations") == 9
    assert loaded.text("timezone") == "Asia/Tokyo"


def test_lists_and_flags_are_read_from_text(tmp_path: Path) -> None:
    env = {"MEMFOLD_EXCLUDED_TOOLS": "Bash, mcp__*", "MEMFOLD_INDEX_LAST_SUMMARY": "off"}
    loaded = settings.load(tmp_path, env)
    assert loaded.names("excluded_tools") == ("Bash", "mcp__*")
    assert loaded.flag("index_last_summary") is False


@pytest.mark.parametrize(
    ("file", "named"),
    [
        ("index_observations = -1\n", "index_observations"),
        ("no_such_setting = 1\n", "no_such_setting"),
        ("index_observations = \n", "settings.toml"),
        ('index_last_summary = "perhaps"\n', "index_last_summary"),
    ],
)
def test_a_bad_file_is_named_with_the_setting(tmp_path: Path, file: str, named: str) -> None:
    (tmp_path / "settings.toml").write_text(file)
    with pytest.raises(InvalidInput, match=named):
        settings.load(tmp_path, {})


def test_every_setting_explains_itself() -> None:
    for setting in settings.SETTINGS:
        assert setting.help.endswith(".")
        assert setting.unit
