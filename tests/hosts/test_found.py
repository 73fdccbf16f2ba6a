"""Which hosts and accounts are found, and claude-mem beside them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from memfold.hosts import claude_code, codex, found
from memfold.hosts.claude_mem import traces


def nowhere(_program: str, path: str = "") -> str | None:
    return None


def named(env: dict[str, str], which: Any = nowhere) -> list[tuple[str, str | None]]:
    return [
        (kind.host, folder.name if folder else None)
        for kind, folder in found.on_this_machine(env, which)
    ]


def test_nothing_is_found_on_a_machine_without_hosts(tmp_path: Path) -> None:
    assert named({"HOME": str(tmp_path)}) == []


def test_a_host_is_found_by_its_directory_or_its_program(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    assert named({"HOME": str(tmp_path)}) == [("claude-code", None)]
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "codex").touch(mode=0o755)
    env = {"HOME": str(tmp_path / "new"), "PATH": str(programs)}
    assert named(env, shutil.which) == [("codex", None)]


def test_other_accounts_are_found_beside_the_usual_one(tmp_path: Path) -> None:
    for folder, mark in ((".claude", "projects"), (".claude-work", ".claude.json")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / mark).touch()
    for folder in (".claude-mem", ".claude-backup", ".codex-two"):
        (tmp_path / folder).mkdir()
    (tmp_path / ".codex-two" / "config.toml").touch()
    found_here = named({"HOME": str(tmp_path)})
    assert found_here == [
        ("claude-code", None),
        ("claude-code", ".claude-work"),
        ("codex", ".codex-two"),
    ]


def test_the_directory_that_a_variable_names_comes_first(tmp_path: Path) -> None:
    work = tmp_path / "work account"
    work.mkdir()
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "projects").mkdir()
    env = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(work)}
    assert named(env) == [("claude-code", None), ("claude-code", ".claude")]
    usual = found.place(
        claude_code.HOST,
        "user",
        project=tmp_path,
        env=env,
        python="p",
        folder=tmp_path / ".claude",
    )
    assert usual.servers_file == tmp_path / ".claude.json", "as without the variable"
    other = found.place(claude_code.HOST, "user", project=tmp_path, env=env, python="p")
    assert other.servers_file == work / ".claude.json"


def test_each_host_has_its_own_files(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "PATH": ""}
    place = found.place(codex.HOST, "user", project=tmp_path, env=env, python="p")
    assert (place.hooks_file, place.servers_file) == (
        tmp_path / ".codex" / "hooks.json",
        tmp_path / ".codex" / "config.toml",
    )


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"enabledPlugins": {"claude-mem@thedotmack": True}}, "its plugin in"),
        ({"enabledPlugins": {"claude-mem@thedotmack": False}}, ""),
        (
            {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "claude-mem x"}]}]}},
            "its hooks in",
        ),
        ({"model": "claude-memory"}, ""),
    ],
)  # fmt: skip
def test_claude_mem_is_named_where_it_is_at_work(
    tmp_path: Path, settings: dict[str, Any], says: str
) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(settings))
    before = path.read_bytes()
    beside = traces([path], {"HOME": str(tmp_path)})
    assert says in beside.explained()
    assert bool(beside) == bool(says)
    assert beside.database is None
    assert path.read_bytes() == before


def test_claude_mems_database_is_offered_where_there_is_one(tmp_path: Path) -> None:
    folder = tmp_path / "other data"
    folder.mkdir()
    env = {"HOME": str(tmp_path), "CLAUDE_MEM_DATA_DIR": str(folder)}
    (folder / "claude-mem.db").touch()
    assert not traces([], env), "an empty file holds nothing"
    (folder / "claude-mem.db").write_bytes(b"x" * 3_000_000)
    beside = traces([tmp_path / "not there.json"], env)
    assert beside.database == folder / "claude-mem.db"
    assert "(3.0 MB)" in beside.explained()
    assert "side by side" not in beside.explained(), "it is not at work"


def test_a_file_that_cannot_be_read_hides_nothing_else(tmp_path: Path) -> None:
    broken, whole = tmp_path / "a.json", tmp_path / "b.json"
    broken.write_text("{")
    whole.write_text('{"enabledPlugins": {"claude-mem@x": true}}')
    assert traces([broken, whole], {"HOME": str(tmp_path)}).at_work == (f"its plugin in {whole}",)
