"""The plugin in the real Claude Code, against a scripted model. Run by ``test_real_claude.py``."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import PLAIN

HARNESS = Path(__file__).resolve().parents[2].parent / "shared" / "harness"
MEMFOLD = Path(sys.executable).with_name("memfold")
TIMEOUT_S = 120
SETTINGS = b'{\n    "model": "opus"\n}'


class World:
    """A sandbox of the real client, with blanks and quotes in its paths."""

    def __init__(self, run: Any, root: Path) -> None:
        self.box = run.Sandbox(root=root / 'it\'s "here"')
        self.box.write_settings = lambda: None  # the settings are the person's
        self.memory = root / "my mem'ory"
        self.settings = self.box.config / "settings.json"
        self.settings.write_bytes(SETTINGS)
        (root / "bin").mkdir()
        (root / "bin" / "claude").symlink_to(run.CLAUDE)
        self.box.extra_env.update(PLAIN)
        self.person = {**self.box.env(), **PLAIN, "MEMFOLD_HOME": str(self.memory)}
        self.person["PATH"] = f"{root / 'bin'}:{self.person['PATH']}"

    def memfold(self, *args: str, check: bool = True) -> str:
        done = subprocess.run(
            [str(MEMFOLD), *args],
            cwd=self.box.project,
            env=self.person,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert done.returncode == 0 or not check, done.stdout + done.stderr
        return done.stdout

    def session(self, prompt: str) -> str:
        """Everything the model server received in one session."""
        result = self.box.run(prompt, "--dangerously-skip-permissions", timeout=TIMEOUT_S)
        assert result.code == 0, result.stderr
        return json.dumps(result.messages_requests)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[World]:
    monkeypatch.syspath_prepend(str(HARNESS))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    world = World(importlib.import_module("run_claude"), tmp_path)
    with world.box:
        yield world
        world.memfold("stop", check=False)


@pytest.mark.timeout(240)
def test_the_plugin_takes_over_and_everything_is_given_back(world: World) -> None:
    """Source: docs/decisions/0025-claude-code-plugin.md."""
    world.memfold("install", "claude-code")
    said = world.memfold("install", "claude-code", "--plugin")
    assert "installed the plugin memfold@memfold" in said
    assert "a probe went through hook, daemon and store and back" in said
    assert b"hook.py" not in world.settings.read_bytes(), "not rung twice"
    enabled = json.loads(world.settings.read_bytes())["enabledPlugins"]
    assert enabled == {"memfold@memfold": True}
    assert "nothing to do" in world.memfold("install", "claude-code")

    received = world.session("hello")
    for words in (
        "mcp__plugin_memfold_memfold__mem_search",
        "memfold remembers earlier sessions",
        "memfold:memory: When and how to look",
        "memfold:recall",
    ):
        assert words in received, words
    status = json.loads(world.memfold("status", "--json"))
    assert (status["sessions"], status["prompts"]) == (1, 1), "once, not twice"

    found = json.loads(world.memfold("doctor", "--json", check=False))["findings"]
    claude = [one for one in found if one["name"].startswith("Claude Code")]
    assert all(one["ok"] for one in claude), claude
    assert any("plugins" in one["says"] for one in claude)

    world.memfold("uninstall", "claude-code")
    assert world.settings.read_bytes() == SETTINGS
    assert "memfold" not in world.session("hello again")
    assert json.loads(world.memfold("status", "--json"))["sessions"] == 1


@pytest.mark.timeout(240)
def test_the_folder_and_the_marketplace_are_valid_to_the_host(world: World) -> None:
    world.memfold("install", "claude-code", "--plugin")
    for folder in ("claude-plugin", "claude-marketplace"):
        done = subprocess.run(
            [
                str(world.person["PATH"].split(":")[0] + "/claude"),
                "plugin",
                "validate",
                str(world.memory / folder),
            ],
            env=world.person,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Validation passed" in done.stdout
