"""The command line as a person types it: real processes and a daemon of its own for each test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from running import PLAIN

from memfold.cli.main import COMMANDS, cli
from memfold.hosts import programs

MEMFOLD = Path(sys.executable).with_name("memfold")
TIMEOUT_S = 60
RINGS = ("--transport", "command")  # whoever else has an account on this machine


class Shell:
    """A person's terminal: nothing of the machine's own settings is in it."""

    def __init__(self, root: Path) -> None:
        self.memory, self.config, self.cwd = root / "memory", root / "config", root / "work"
        for folder in (self.config, self.cwd):
            folder.mkdir()
        self.env = {
            "PATH": os.environ["PATH"],
            **PLAIN,
            "HOME": str(root),
            "LANG": "C.UTF-8",
            "MEMFOLD_HOME": str(self.memory),
            "CLAUDE_CONFIG_DIR": str(self.config),
        }

    def run(self, *args: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return self.process([str(MEMFOLD), *map(str, args)], stdin)

    def process(self, words: list[str], stdin: bytes) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            words,
            input=stdin,
            cwd=self.cwd,
            env=self.env,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    def said(self, *args: str | Path) -> str:
        done = self.run(*args)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def data(self, *args: str | Path) -> Any:
        return json.loads(self.said(*args, "--json"))

    def hook(self, payload: dict[str, Any]) -> bytes:
        words = [sys.executable, "-I", "-S", str(programs.doorbell()), "claude-code"]
        return self.process(words, json.dumps(payload).encode()).stdout


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    shell = Shell(tmp_path)
    yield shell
    shell.run("stop")


def transcript(folder: Path, session: str, cwd: Path) -> Path:
    """A small session as Claude Code writes it."""
    common = {"sessionId": session, "cwd": str(cwd), "version": "2.1.332", "isSidechain": False}
    reads = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "make test"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "2 failed: pool is empty"}
    found = (
        "The tests fail because Pool.run keeps the connection when a query raises. "
        "Fixed by releasing it in a finally block."
    )
    lines = [
        {"type": "user", "message": {"role": "user", "content": "Why does the pool run empty?"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [reads]}},
        {"type": "user", "message": {"role": "user", "content": [result]}},
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": found}]},
        },
    ]
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{session}.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for number, line in enumerate(lines):
            stamp = f"2026-03-01T10:00:0{number}.000Z"
            parent = f"u{number - 1}" if number else None
            extra = {"uuid": f"u{number}", "parentUuid": parent, "timestamp": stamp}
            out.write(json.dumps({**common, **extra, **line}) + "\n")
        out.write("this line was cut of\n")
    return file


def test_every_command_shows_examples_and_takes_json() -> None:
    """Conventions: --help with examples, --json on all but mcp."""
    for name, found in every_command(cli, ""):
        assert "Examples:" in (found.help or ""), name
        options = {option for param in found.params for option in param.opts}
        assert ("--json" in options) is (name != "mcp"), name
    assert set(COMMANDS) == set(cli.list_commands(click.Context(cli)))


def every_command(group: click.Group, prefix: str) -> Iterator[tuple[str, click.Command]]:
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        found = group.get_command(ctx, name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from every_command(found, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", found


@pytest.mark.parametrize(
    "words",
    [["nonsense"], ["call"], ["import", "vim"], ["install"], ["project", "merge", "a"], ["--what"]],
)
def test_wrong_usage_exits_with_2(shell: Shell, words: list[str]) -> None:
    done = shell.run(*words)
    assert done.returncode == 2
    assert b"Usage:" in done.stderr
    assert b"Traceback" not in done.stderr


def test_the_daemon_starts_once_and_stops_for_good(shell: Shell) -> None:
    assert shell.data("start")["already"] is False
    started = shell.data("status")
    assert shell.data("start") == {
        "running": True,
        "already": True,
        "home": str(shell.memory),
        "pid": started["pid"],
        "version": started["version"],
        "port": 0,
    }
    assert str(shell.memory) in shell.said("start")
    assert shell.data("stop") == {"running": False, "was_running": True}
    assert shell.data("version")["daemon"] is None
    assert not (shell.memory / "memfold.sock").exists()
    assert shell.said("stop") == "memfold was not running\n"


def test_context_is_what_the_hook_gives_byte_for_byte(shell: Shell) -> None:
    """Source: the command's promise. With memory and without."""
    shell.said("import", "claude-code", transcript(shell.cwd / "t", "s-1", shell.cwd))
    for session, cwd in (("s-2", shell.cwd), ("s-3", shell.config)):
        payload = {
            "session_id": session,
            "transcript_path": str(shell.cwd / "none.jsonl"),
            "cwd": str(cwd),
            "hook_event_name": "SessionStart",
            "source": "startup",
        }
        shell.run("context", "--cwd", cwd)
        before = shell.run("context", "--cwd", cwd).stdout
        given = shell.hook(payload)
        after = shell.run("context", "--cwd", cwd).stdout
        assert given
        assert given in (before, after), "the minute may change between the two"
    assert b"Pool.run" in shell.run("context").stdout


def test_import_adds_everything_once(shell: Shell) -> None:
    folder = shell.config / "projects" / "-work"
    transcript(folder, "s-1", shell.cwd)
    first = shell.data("import", "claude-code")
    assert first["files"] == 1
    assert first["sessions"] == 1
    assert first["prompts"] == 1
    assert first["tool_uses_seen"] == first["tool_uses_stored"] == 1
    assert first["observations"] >= 1
    assert first["bad_lines"] == 1
    second = shell.data("import", "claude-code", folder)
    added = ("sessions", "prompts", "tool_uses_stored", "observations")
    assert [second[key] for key in added] == [0, 0, 0, 0]
    assert second["tool_uses_known"] == 1
    assert "1 tool use known before" in shell.said("import", "claude-code", folder)


def test_a_tool_is_called_as_an_agent_calls_it(shell: Shell) -> None:
    shell.said("import", "claude-code", transcript(shell.cwd / "t", "s-1", shell.cwd))
    query = '{"query": "pool connection"}'
    assert shell.said("call", "mem_search", query).startswith("mem-search step 1 of 3")
    reply = shell.data("call", "mem_search", query)
    assert reply["tool"] == "mem_search"
    assert reply["step"] == 1
    assert reply["error"] is None
    assert reply["cursor"].startswith("ms_")
    entry = reply["entries"][0]
    assert set(entry) >= {"id", "kind", "project", "session", "title", "type", "at", "read_tokens"}
    assert entry["session"] == "s-1"
    asked = {"continuation": reply["cursor"], "selectedIds": [entry["id"]]}
    assert shell.data("call", "mem_search", json.dumps(asked))["step"] == 2


def test_a_search_goes_on_after_a_restart_and_under_a_new_secret(shell: Shell) -> None:
    shell.said("import", "claude-code", transcript(shell.cwd / "t", "s-1", shell.cwd))
    first = shell.data("call", "mem_search", '{"query": "pool connection"}')
    chosen = [first["entries"][0]["id"]]
    shell.said("stop")
    shell.said("start")
    asked = {"continuation": first["cursor"], "selectedIds": chosen}
    second = shell.data("call", "mem_search", json.dumps(asked))
    assert second["step"] == 2
    shell.said("stop")
    home = Path(shell.env["MEMFOLD_HOME"])
    (home / "secret").rename(home / "secret.old")
    asked = {"continuation": second["cursor"], "selectedIds": chosen}
    third = shell.said("call", "mem_search", json.dumps(asked))
    assert third.startswith("mem-search step 3 of 3")
    assert (home / "secret").read_bytes() != (home / "secret.old").read_bytes()


def test_a_refused_call_exits_with_1_and_its_code(shell: Shell) -> None:
    done = shell.run("call", "mem_search", '{"q": "x"}')
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.startswith(b"invalid_input - ")
    done = shell.run("call", "mem_search", '{"q": "x"}', "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"] == "invalid_input"


@pytest.mark.parametrize("arguments", ["{", "[]", "7", "[" * 5_000])
def test_arguments_that_are_no_object_are_one_sentence(shell: Shell, arguments: str) -> None:
    done = shell.run("call", "mem_search", arguments)
    assert done.returncode == 1
    assert done.stderr.startswith(b"memfold: The arguments ")
    assert done.stderr.count(b"\n") == 1


def test_projects_are_listed_merged_and_renamed(shell: Shell, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for number, folder in enumerate((one, two)):
        folder.mkdir()
        file = transcript(tmp_path / f"t{number}", f"s-{number}", folder)
        shell.said("import", "claude-code", file)
    listed = shell.data("project", "list")["projects"]
    assert {project["name"] for project in listed} == {"one", "two"}
    assert all(project["sessions"] == 1 and project["aliases"] for project in listed)
    assert shell.data("project", "merge", two, "--into", "one")["name"] == "one"
    (left,) = shell.data("project", "list")["projects"]
    assert left["sessions"] == 2
    assert shell.data("project", "rename", "one", "both")["name"] == "both"
    assert "both: 2 sessions" in shell.said("project", "list")
    done = shell.run("project", "rename", "nobody", "x", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"] == "not_found"


def test_doctor_names_what_is_wrong_and_what_to_do(shell: Shell) -> None:
    done = shell.run("doctor")
    assert done.returncode == 1
    assert b"Run `memfold install claude-code`" in done.stdout
    shell.said("install", "claude-code", *RINGS)
    report = shell.data("doctor")
    assert report["ok"], report
    names = {finding["name"] for finding in report["findings"]}
    assert names >= {"daemon", "socket", "database", "spool", "disk space", "clock"}
    settings = json.loads((shell.config / "settings.json").read_text())
    settings["hooks"]["Stop"][0]["hooks"][0]["args"][2] = "/gone/memfold/hook/hook.py"
    (shell.config / "settings.json").write_text(json.dumps(settings))
    shell.memory.chmod(0o755)
    done = shell.run("doctor")
    assert done.returncode == 1
    assert b"/gone/memfold/hook/hook.py is gone" in done.stdout
    assert b"chmod 700" in done.stdout


def test_install_names_programs_that_run(shell: Shell) -> None:
    """The very words of the settings, run as the host would."""
    shell.said("install", "claude-code", *RINGS)
    hooks = json.loads((shell.config / "settings.json").read_text())["hooks"]
    for groups in hooks.values():
        hook = groups[0]["hooks"][0]
        assert shell.process([hook["command"], *hook["args"]], b"{}").returncode == 0
    servers = json.loads((shell.config / ".claude.json").read_text())["mcpServers"]
    server = servers["memfold"]
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    done = shell.process([server["command"], *server["args"]], ping)
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_install_can_be_looked_at_first(shell: Shell) -> None:
    shown = shell.said("install", "claude-code", "--dry-run", *RINGS)
    assert '+    "SessionStart": [' in shown
    assert list(shell.config.iterdir()) == []
    assert "wrote" in shell.said("install", "claude-code", *RINGS)
    again = shell.data("install", "claude-code", *RINGS)
    assert (again["dry_run"], again["files"]) == (False, [])
    assert [probe["ok"] for probe in again["probes"]] == [True]
    assert "removed" in shell.said("uninstall", "claude-code")
    assert list(shell.config.iterdir()) == []


def test_http_hooks_are_answered_with_their_secret_only(shell: Shell) -> None:
    done = shell.run("install", "claude-code", "--project", "--transport", "http")
    assert done.returncode == 1
    assert b"secret" in done.stderr
    shell.said("install", "claude-code", "--transport", "http")
    assert shell.data("install", "claude-code", "--transport", "http")["files"] == []
    port = shell.data("status")["port"]
    assert f"tcp_port = {port}" in (shell.memory / "settings.toml").read_text()
    hook = json.loads((shell.config / "settings.json").read_text())["hooks"]
    (hook,) = hook["PostToolUse"][0]["hooks"]
    assert hook["url"] == f"http://127.0.0.1:{port}/hook/claude-code"
    assert post(hook["url"], hook["headers"]) == 200
    assert post(hook["url"], {}) == 401


def post(url: str, headers: dict[str, str]) -> int:
    import urllib.error
    import urllib.request

    body = json.dumps({"session_id": "s", "cwd": "/", "hook_event_name": "Stop"}).encode()
    request = urllib.request.Request(url, body, headers)  # noqa: S310  # our own loopback port
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_the_bridge_survives_a_daemon_that_is_killed(shell: Shell) -> None:
    """A daemon gone in mid-session is started again, and the request is answered."""
    shell.said("start")
    bridge = subprocess.Popen(
        [str(MEMFOLD), "mcp"],
        cwd=shell.cwd,
        env=shell.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert bridge.stdin is not None
    assert bridge.stdout is not None

    def ask(number: int, method: str, params: dict[str, Any]) -> Any:
        line = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert bridge.stdin is not None
        assert bridge.stdout is not None
        bridge.stdin.write(line.encode() + b"\n")
        bridge.stdin.flush()
        return json.loads(bridge.stdout.readline())

    version = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello = ask(1, "initialize", {**version, "clientInfo": {"name": "t", "version": "1"}})
    assert hello["result"]["serverInfo"]["name"] == "memfold"
    write = {"name": "work_state_write", "arguments": {"list": "x", "fields": {"a": 1}}}
    assert "Saved" in ask(2, "tools/call", write)["result"]["content"][0]["text"]
    os.kill(shell.data("status")["pid"], signal.SIGKILL)
    read = {"name": "work_state_read", "arguments": {}}
    assert "a=1" in ask(3, "tools/call", read)["result"]["content"][0]["text"]
    bridge.stdin.close()
    assert bridge.wait(TIMEOUT_S) == 0
    bridge.stdout.close()


def test_a_data_directory_with_a_long_path_works(shell: Shell) -> None:
    """Socket addresses hold about 100 bytes."""
    shell.env["MEMFOLD_HOME"] = str(shell.memory / ("long " * 30) / ("path" * 20))
    assert shell.data("start")["running"]
    assert shell.data("stop")["was_running"]


def test_a_data_directory_that_cannot_be_made_is_one_sentence(shell: Shell) -> None:
    (shell.cwd / "file").write_text("")
    shell.env["MEMFOLD_HOME"] = str(shell.cwd / "file" / "memory")
    done = shell.run("status")
    assert done.returncode == 1
    assert done.stderr.startswith(b"memfold: The daemon could not be started")
    assert b"Traceback" not in done.stderr
