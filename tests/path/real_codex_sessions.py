"""Sessions of the real Codex against a scripted model. Run by ``test_real_codex.py``.

What is asserted is what the model server received and what memfold stored: only that proves that
hooks, trust and MCP server fit the host as it is. The harness lies in ../shared, beside a checkout.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from running import PLAIN

HARNESS = Path(__file__).resolve().parents[2].parent / "shared" / "harness"
MEMFOLD = Path(sys.executable).with_name("memfold")
TIMEOUT_S = 120
BASE = """\
# my Codex
model = "gpt-5.5"
model_provider = "stub"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"

[analytics]
enabled = false

[model_providers.stub]
name = "stub"
base_url = "{url}"
env_key = "STUB_API"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[projects."{project}"]
trust_level = "trusted"
"""


class World:
    """A sandbox of the real client; blanks and quotes are in every path of memfold's."""

    def __init__(self, run: Any, root: Path) -> None:
        self.box = run.CodexSandbox(root=root)
        self.memory = root / 'it\'s "memory"'
        self.config = self.box.codex_home / "config.toml"
        self.hooks = self.box.codex_home / "hooks.json"
        self.config.write_text(BASE.format(url=self.box.url, project=self.box.project))
        self.box.write_config = lambda: None  # the files are the person's, and memfold's to edit
        usual = self.box.env()  # without MEMFOLD_HOME: what is written has to be enough
        self.box.env = lambda: usual | PLAIN
        (root / "bin").mkdir()
        (root / "bin" / "codex").symlink_to(run.CODEX)
        self.person = usual | PLAIN
        self.person["MEMFOLD_HOME"] = str(self.memory)
        self.person["PATH"] = f"{root / 'bin'}:{usual['PATH']}"

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

    def session(self, prompt: str, replies: list[Any]) -> list[dict[str, Any]]:
        """What the model server received; hooks run by the trust that is written alone."""
        self.box.set_script([{"replies": replies}])
        result = self.box.run(
            "exec", "--skip-git-repo-check", "--json", prompt, timeout=TIMEOUT_S, trust=False
        )
        assert result.code == 0, result.stderr
        return [seen["body"] for seen in result.requests if seen["path"].endswith("/responses")]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[World]:
    monkeypatch.syspath_prepend(str(HARNESS))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    run = SimpleNamespace(**vars(importlib.import_module("run_codex")))
    world = World(run, tmp_path)
    with world.box:
        yield world
        world.memfold("stop", check=False)


WORK = [
    [{"tool": "exec_command", "input": {"cmd": "echo pool is empty"}}],
    "Found it: the pool leaks a connection whenever a query fails.",
]


@pytest.mark.timeout(240)
@pytest.mark.parametrize("scope", ["--user", "--project"])
def test_a_session_is_remembered_and_everything_is_given_back(world: World, scope: str) -> None:
    before = world.config.read_bytes()
    said = world.memfold("install", "codex", scope)
    assert "trust in 8 hooks" in said
    assert "a probe went through hook, daemon and store and back" in said
    assert "nothing to do" in world.memfold("install", "codex", scope)

    first = world.session("Why is the pool empty?", WORK)
    assert "mcp__memfold" in json.dumps(first[0]), "its tools are there from the first request"
    status = json.loads(world.memfold("status", "--json"))
    assert (status["sessions"], status["prompts"], status["tool_uses"]) == (1, 1, 1)
    assert set(status["last_event"]) == {"codex"}

    second = world.session("Have we seen this?", ["Yes."])
    assert "pool" in shown_at_start(second[0])

    doctor = json.loads(world.memfold("doctor", "--json", check=False))["findings"]
    codex = {one["name"]: one for one in doctor if one["name"].startswith("Codex")}
    ours = [one for one in codex.values() if not one["ok"]]
    assert ours == [], "trusted, there, ringing"

    world.memfold("uninstall", "codex", scope)
    assert world.config.read_bytes() == before
    assert not world.hooks.exists()
    assert not (world.box.project / ".codex").exists()
    world.session("Still there?", ["No."])
    assert json.loads(world.memfold("status", "--json"))["sessions"] == 2


@pytest.mark.timeout(240)
def test_an_interpreter_that_is_gone_does_not_keep_codex_from_starting(world: World) -> None:
    """Source: docs/decisions/0024-install-codex.md: why the server is not `required`."""
    world.memfold("install", "codex")
    for path in (world.config, world.hooks):
        path.write_text(path.read_text().replace(sys.executable, "/gone/python"))
    assert world.session("Hello", ["Hello."])
    world.memfold("install", "codex", "--required")
    assert "mcp__memfold" in json.dumps(world.session("Hello", ["Hello."])[0])


def shown_at_start(request: dict[str, Any]) -> str:
    """The developer's messages of ours: what the SessionStart hook printed."""
    texts = [
        part["text"]
        for item in request["input"]
        if item.get("role") == "developer"
        for part in item["content"]
        if "recent context" in part["text"]
    ]
    assert len(texts) == 1, texts
    return str(texts[0])
