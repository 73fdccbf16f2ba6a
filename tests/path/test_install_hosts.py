"""`memfold install` and `uninstall` as a person types them: several hosts, a plan, broken files."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import BOUND_S, PLAIN

from memfold.hosts import quick

MEMFOLD = Path(sys.executable).with_name("memfold")
RINGS = ("--transport", "command")  # whoever else has an account on this machine
SETTINGS = '{\n    "model": "opus"  // mine\n}'
CONFIG = '# mine\nmodel = "x"'


class Desk:
    """A person with two accounts of Claude Code and one of Codex, and blanks in every path."""

    def __init__(self, root: Path) -> None:
        self.home, self.cwd = root / "it's home", root / "my project"
        self.memory = root / 'the "memory"'
        for folder in (".claude", ".claude-work", ".codex"):
            (self.home / folder).mkdir(parents=True)
        self.cwd.mkdir()
        (self.home / ".claude-work" / "projects").mkdir()
        self.settings = self.home / ".claude" / "settings.json"
        self.config = self.home / ".codex" / "config.toml"
        self.settings.write_text(SETTINGS)
        self.config.write_text(CONFIG)
        (root / "bin").mkdir()  # no host's program is on this PATH
        self.env = {
            "PATH": f"{root / 'bin'}:/usr/bin:/bin",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "MEMFOLD_HOME": str(self.memory),
            **PLAIN,
        }

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(MEMFOLD), *args],
            cwd=self.cwd,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def said(self, *args: str) -> str:
        done = self.run(*args)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def at_a_terminal(self, answer: str, *args: str) -> tuple[int, str]:
        """(exit code, what was on the screen) of a command that asks once."""
        pid, screen = pty.fork()
        if pid == 0:
            os.chdir(self.cwd)
            os.execve(MEMFOLD, [str(MEMFOLD), *args], self.env)  # noqa: S606
        seen, until = b"", time.monotonic() + BOUND_S
        os.write(screen, answer.encode())
        while time.monotonic() < until:
            try:
                part = os.read(screen, 65_536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen += part
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.decode()

    def files(self) -> dict[str, bytes]:
        """Everything in the hosts' directories."""
        return {
            str(path.relative_to(self.home)): path.read_bytes()
            for path in sorted(self.home.rglob("*"))
            if path.is_file() and not path.is_relative_to(self.memory)
        }


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.run("stop")


def test_every_host_and_account_is_found_installed_once_and_given_back(desk: Desk) -> None:
    before = desk.files()
    shown = desk.said("install", "--yes", *RINGS)
    for words in ("Claude Code, ", ".claude-work", "Codex, ", "10 hooks", "8 hooks", "MCP server"):
        assert words in shown
    assert shown.count("a probe went through hook, daemon and store and back") == 3
    assert "Codex asks at its next start" in shown, "its program is not here"
    assert set(desk.files()) - set(before) == {
        ".claude.json",
        ".claude-work/settings.json",
        ".claude-work/.claude.json",
        ".codex/hooks.json",
    }
    now = desk.files()
    again = desk.said("install", "--yes", *RINGS)
    assert "nothing to do" in again
    assert desk.files() == now
    desk.said("uninstall", "--yes")
    assert desk.files() == before
    assert "not installed" in desk.said("uninstall", "--yes")


def test_a_look_at_the_plan_writes_nothing(desk: Desk) -> None:
    before = desk.files()
    shown = desk.said("install", "--dry-run", *RINGS)
    assert "make " in shown
    assert "+[mcp_servers.memfold]" in shown
    assert desk.files() == before


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 130)])
def test_a_person_at_a_terminal_is_asked_after_the_plan(desk: Desk, answer: str, code: int) -> None:
    before = desk.files()
    exit_code, screen = desk.at_a_terminal(answer, "install", *RINGS)
    assert exit_code == code, screen
    assert screen.index("change ") < screen.index("Write this? [Y/n]")
    assert (desk.files() != before) is (code == 0)


def test_nobody_to_ask_and_no_host_named_is_refused(desk: Desk) -> None:
    before = desk.files()
    for words in (("install", *RINGS), ("install", "--json", *RINGS)):
        done = desk.run(*words)
        assert done.returncode == 2
        assert "Name a HOST, or give --yes" in done.stderr
    assert desk.files() == before
    desk.said("install", "codex")
    assert (desk.home / ".codex" / "hooks.json").exists()
    assert desk.settings.read_text() == SETTINGS


def test_one_broken_file_is_named_and_left_and_the_others_are_installed(desk: Desk) -> None:
    broken = b"\xef\xbb\xbf[mcp_servers\r\n"
    desk.config.write_bytes(broken)
    done = desk.run("install", "--yes", *RINGS)
    assert done.returncode == 1
    assert f"{desk.config} is not valid TOML" in done.stderr
    assert desk.config.read_bytes() == broken
    assert not (desk.home / ".codex" / "hooks.json").exists()
    assert "hook.py" in desk.settings.read_text()
    alone = desk.run("install", "codex")
    assert alone.returncode == 1
    assert "Nothing was changed" in alone.stderr


def test_another_accounts_directory_can_be_named(desk: Desk) -> None:
    work = desk.home / ".claude-work"
    shown = json.loads(desk.said("install", "--config-dir", str(work), "--json", *RINGS))
    assert {Path(one["path"]).parent for one in shown["files"]} == {work}
    assert [one["ok"] for one in shown["probes"]] == [True]
    new = desk.run("install", "--config-dir", str(desk.home / "third"), *RINGS)
    assert new.returncode == 2
    assert "name the HOST" in new.stderr
    desk.said("install", "codex", "--config-dir", str(desk.home / "third"))
    assert (desk.home / "third" / "config.toml").exists()
    desk.said("uninstall", "--yes")
    assert not (desk.home / "third" / "config.toml").exists(), "it is known from the record"
    assert not (work / "settings.json").exists()


def test_a_project_of_codex_is_installed_in_the_project(desk: Desk) -> None:
    shown = desk.said("install", "codex", "--project")
    assert "once you trust the project" in shown
    told = tomllib.loads((desk.cwd / ".codex" / "config.toml").read_text())
    assert told["mcp_servers"]["memfold"]["command"] == "/usr/bin/env"
    desk.said("uninstall", "codex", "--project")
    assert list(desk.cwd.iterdir()) == []
    assert desk.config.read_text() == CONFIG


def test_claude_mem_is_explained_its_import_offered_and_nothing_of_it_touched(desk: Desk) -> None:
    theirs = {"enabledPlugins": {"claude-mem@thedotmack": True}}
    desk.settings.write_text(json.dumps(theirs))
    (desk.home / ".claude-mem").mkdir()
    database = desk.home / ".claude-mem" / "claude-mem.db"
    database.write_bytes(b"not opened by install")
    shown = desk.said("install", "claude-code", *RINGS)
    assert "claude-mem is here too: its plugin in " in shown
    assert "`memfold import claude-mem` takes over" in shown
    told = json.loads(desk.settings.read_text())
    assert told["enabledPlugins"] == theirs["enabledPlugins"]
    assert database.read_bytes() == b"not opened by install"


def findings(desk: Desk) -> dict[str, Any]:
    told = json.loads(desk.run("doctor", "--json").stdout)["findings"]
    return {one["name"]: one for one in told}


def test_doctor_looks_at_each_host_that_is_installed(desk: Desk) -> None:
    assert not findings(desk)["Codex hooks"]["ok"], "memfold hears nobody"
    desk.said("install", "codex")
    seen = findings(desk)
    assert seen["Codex hooks"]["ok"]
    assert seen["Codex probe"]["ok"]
    assert "nobody reviewed them" in seen["Codex trust"]["says"]
    assert seen["Codex events"]["says"] == "None yet."
    assert seen["Claude Code hooks"]["ok"], "one host is enough"
    assert "memfold install claude-code" in seen["Claude Code hooks"]["remedy"]
    rung(desk)
    assert findings(desk)["Codex events"]["says"].startswith("The last came ")


def rung(desk: Desk) -> None:
    """One event, by the very line that is written, as Codex runs it: without our variable."""
    hooks = json.loads((desk.home / ".codex" / "hooks.json").read_text())["hooks"]
    line = hooks["UserPromptSubmit"][0]["hooks"][0]["command"]
    event = {
        "session_id": "s1",
        "cwd": str(desk.cwd),
        "hook_event_name": "UserPromptSubmit",
        "prompt": "hello",
    }
    env = {name: value for name, value in desk.env.items() if name != "MEMFOLD_HOME"}
    subprocess.run(
        ["/bin/sh", "-c", line], input=json.dumps(event).encode(), env=env, cwd=desk.cwd, check=True
    )


@pytest.mark.skipif(not quick.perl(), reason=f"no {quick.PERL} that rings here")
def test_doctor_says_which_way_hooks_ring(desk: Desk) -> None:
    desk.said("install", "claude-code", *RINGS)
    name = "Claude Code quick hook"
    assert f"Hooks ring by {quick.PERL}" in findings(desk)[name]["says"]
    text = desk.settings.read_text()
    told = json.loads(text.replace("// mine", ""))
    for groups in told["hooks"].values():  # as an older memfold wrote it
        words = groups[0]["hooks"][0]["args"]
        at = words.index(str(quick.program()))
        assert words[at - 4] == quick.PERL
        del words[at - 4 : at + 1]
    desk.settings.write_text(json.dumps(told))
    seen = findings(desk)[name]
    assert seen["ok"]
    assert "Hooks start Python each time" in seen["says"]
    assert "memfold install claude-code" in seen["remedy"]
    desk.said("install", "claude-code", *RINGS)
    assert f"Hooks ring by {quick.PERL}" in findings(desk)[name]["says"]
    desk.settings.write_text(desk.settings.read_text().replace(quick.PERL, "/gone/perl"))
    assert findings(desk)["Claude Code hook program"]["says"] == "/gone/perl is gone."


def test_doctor_and_install_say_when_the_interpreter_is_gone(desk: Desk) -> None:
    desk.said("install", "codex")
    hooks = desk.home / ".codex" / "hooks.json"
    hooks.write_text(hooks.read_text().replace(sys.executable, "/gone/python"))
    seen = findings(desk)
    assert seen["Codex hook program"]["says"] == "/gone/python is gone."
    assert "memfold install codex" in seen["Codex hook program"]["remedy"]
    assert "Codex probe" not in seen
    desk.said("install", "codex")
    assert findings(desk)["Codex hook program"]["ok"]


def test_a_hook_that_rings_elsewhere_is_seen(desk: Desk) -> None:
    """It runs and ends well, but what it brings goes to another data directory."""
    desk.said("install", "codex")
    hooks = desk.home / ".codex" / "hooks.json"
    written = json.dumps(str(desk.memory))[1:-1]
    assert written in hooks.read_text()
    hooks.write_text(hooks.read_text().replace(written, f"{written}-else"))
    seen = findings(desk)["Codex probe"]
    assert not seen["ok"]
    assert "nothing was stored" in seen["says"]
    desk.env["MEMFOLD_HOME"] = f"{desk.memory}-else"
    desk.said("stop")  # the daemon that the changed hook started
    desk.env["MEMFOLD_HOME"] = str(desk.memory)


def test_the_plugin_folder_is_whole_and_names_programs_that_run(desk: Desk) -> None:
    folder = Path(desk.said("plugin-folder", "--transport", "command").strip())
    about = json.loads((folder / ".claude-plugin" / "plugin.json").read_text())
    assert about["name"] == "memfold"
    hooks = json.loads((folder / "hooks" / "hooks.json").read_text())["hooks"]
    assert len(hooks) == 10
    server = json.loads((folder / ".mcp.json").read_text())["mcpServers"]["memfold"]
    done = subprocess.run(
        [server["command"], *server["args"]],
        input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        env={"PATH": "/usr/bin:/bin", **PLAIN},
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["result"] == {}
    for page in [*folder.glob("commands/*.md"), folder / "skills" / "memory" / "SKILL.md"]:
        assert page.read_text().startswith("---\n")
    assert not [path for path in folder.rglob("*") if path.stat().st_mode & 0o077]


def test_a_plugin_without_claude_is_one_sentence(desk: Desk) -> None:
    before = desk.files()
    done = desk.run("install", "claude-code", "--plugin", *RINGS)
    assert done.returncode == 1
    assert "`claude` was not found" in done.stderr
    assert desk.files() == before
