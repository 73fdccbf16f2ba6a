"""A stranger's machine: memfold comes by pipx, two real hosts use it, and all is given back.

A home directory of its own, a Python, git and the two clients; no checkout on the path, no settings
of whoever runs this. pipx fetches what memfold needs from the package index; everything after that
runs with loopback alone (Linux, root). Prints a line a step with what it took, exits 1 at the first
that does not hold.

    python bench/clean_machine.py
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
HARNESS = ROOT.parent / "shared" / "harness"
CLIENTS = Path("~/.cache/coding-clients").expanduser()
TIMEOUT_S = 300
CODEX_CONFIG = """\
# mine, as I like it
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
"""
PERSONS = ("settings.json", "config.toml", "hooks.json", "AGENTS.md", "CLAUDE.md", ".mcp.json")
CLAUDE_SETTINGS = '{\r\n  "model": "opus",\r\n\t"includeCoAuthoredBy": false }\r\n'


class Machine:
    """One home directory, and what a person types there."""

    def __init__(self, root: Path) -> None:
        self.root, self.home = root, root / "home"
        self.bin = self.home / ".local" / "bin"
        self.project = self.home / "code" / "app"

    @property
    def env(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": f"{self.bin}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "SHELL": "/bin/sh",
            "PIPX_DEFAULT_PYTHON": sys.executable,
        }

    def run(
        self, *words: str, more: Mapping[str, str] | None = None, given: str = ""
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.project,
            env=self.env | dict(more or {}),
            input=given,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    def memfold(self, *words: str) -> str:
        done = self.run(str(self.bin / "memfold"), *words)
        if done.returncode:
            raise SystemExit(
                f"memfold {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
            )
        return done.stdout

    def files(self) -> dict[str, str]:
        """Every file of the hosts that a person may have written, as a hash."""
        folders = (self.home / ".claude", self.home / ".codex", self.home / "code")
        return {
            str(path.relative_to(self.home)): hashlib.sha256(path.read_bytes()).hexdigest()
            for folder in folders
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name in PERSONS
        }


def prepare(machine: Machine) -> None:
    """pipx of its own, memfold by pipx, the clients on the path, a project."""
    machine.bin.mkdir(parents=True)
    machine.project.mkdir(parents=True)
    for client in ("claude", "codex"):
        (machine.bin / client).symlink_to(CLIENTS / client)
    tools = machine.root / "pipx"
    venv.create(tools, with_pip=True)
    asked = {name: os.environ[name] for name in os.environ if name.startswith(("PIP_", "UV_"))}
    for words in (
        [str(tools / "bin" / "pip"), "install", "-q", "pipx"],
        [str(tools / "bin" / "pipx"), "install", str(ROOT)],
        ["git", "init", "-q"],
    ):
        done = machine.run(*words, more=asked)
        if done.returncode:
            raise SystemExit(f"{words}: {done.stdout}{done.stderr}")


def step(said: str, began: float) -> float:
    print(f"  {time.monotonic() - began:6.2f} s  {said}")
    return time.monotonic()


def use(machine: Machine) -> None:
    """Install, a session in each host, doctor, uninstall. Run with loopback alone."""
    sys.path.insert(0, str(HARNESS))
    sys.dont_write_bytecode = True
    claude_stub = importlib.import_module("stub_anthropic")
    codex_stub = importlib.import_module("stub_openai")
    claude, codex = _Served(claude_stub), _Served(codex_stub)
    (machine.home / ".claude").mkdir()
    (machine.home / ".codex").mkdir()
    (machine.home / ".claude" / "settings.json").write_bytes(CLAUDE_SETTINGS.encode())
    config = CODEX_CONFIG.format(url=f"{codex.url}/v1")
    config += f'\n[projects."{machine.project}"]\ntrust_level = "trusted"\n'
    (machine.home / ".codex" / "config.toml").write_text(config)
    before = machine.files()

    began = time.monotonic()
    said = machine.memfold("install", "--yes")
    assert said.count("a probe went through") == 2, said
    began = step("memfold install: both hosts found, a probe of each went through", began)
    _claude_session(machine, claude)
    began = step("a session in Claude Code", began)
    _codex_session(machine, codex)
    began = step("a session in Codex", began)
    status = json.loads(machine.memfold("status", "--json"))
    assert (status["sessions"], status["prompts"], status["tool_uses"]) == (2, 2, 2), status
    assert set(status["last_event"]) == {"claude-code", "codex"}, status
    began = step(f"stored: {status['tool_uses']} tool uses, {status['prompts']} prompts", began)
    told = json.loads(machine.memfold("doctor", "--json"))
    bad = [one for one in told["findings"] if not one["ok"]]
    assert not bad, bad
    began = step(f"memfold doctor: {len(told['findings'])} findings, all good", began)
    for host, at_ms in status["last_event"].items():
        print(f"            the last event of {host}: {time.ctime(at_ms / 1000)}")
    context = machine.memfold("context", "--cwd", str(machine.project))
    assert "pool" in context, context
    began = step("memfold context knows what was done", began)
    machine.memfold("uninstall", "--yes")
    after = machine.files()
    assert after == before, {k: (before.get(k), after.get(k)) for k in before.keys() | after.keys()}
    step(
        f"memfold uninstall: {len(before)} files of the hosts are as before, byte by byte",
        began,
    )
    machine.memfold("stop")


class _Served:
    """A scripted model of the harness, on a port of its own."""

    def __init__(self, module: Any) -> None:
        self.stub = module.Stub.from_script([{"replies": ["ok"]}])
        self.module = module
        self.url = f"http://127.0.0.1:{module.serve(self.stub).server_address[1]}"

    def script(self, *replies: Any, **when: Any) -> None:
        rule = {"when": when, "replies": list(replies)}
        self.stub.rules = self.module.Stub.from_script([rule]).rules


def _claude_session(machine: Machine, model: _Served) -> None:
    model.script(
        [{"tool": "Bash", "input": {"command": "echo the pool is empty"}}],
        "The pool runs empty because a failing query keeps its connection. Fixed.",
        has_tools=True,
    )
    done = machine.run(
        str(machine.bin / "claude"), "-p", "Why is the pool empty?",
        "--dangerously-skip-permissions",
        more={
            "IS_SANDBOX": "1", "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none",
            "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def _codex_session(machine: Machine, model: _Served) -> None:
    model.script(
        [{"tool": "exec_command", "input": {"cmd": "echo pool has a limit of 10"}}],
        "The pool has a limit of ten connections; it is set in app.toml.",
    )
    done = machine.run(
        str(machine.bin / "codex"), "exec", "--skip-git-repo-check", "--json",
        "How large is the pool?",
        more={"STUB_API": "none"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--go", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.go:
        use(Machine(options.go))
        return
    for needed in (HARNESS, CLIENTS / "claude", CLIENTS / "codex"):
        if not needed.exists():
            print(f"left out: {needed} is not there; both clients and their harness are needed")
            return
    with tempfile.TemporaryDirectory(prefix="memfold-clean-") as root:
        machine = Machine(Path(root))
        began = time.monotonic()
        prepare(machine)
        step("pipx install memfold", began)
        words = [sys.executable, str(HARNESS / "loopback_only.py"), sys.executable, __file__]
        done = subprocess.run([*words, "--go", root], check=False)
        shutil.rmtree(root, ignore_errors=True)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
