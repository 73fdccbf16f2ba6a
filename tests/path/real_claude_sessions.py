"""Two sessions of the real Claude Code against a scripted model. Run by ``test_real_claude.py``.

What is asserted is what the model server received: only that proves that hooks, settings, budget
and MCP fit the host as it is. The harness lies in ../shared, beside a checkout.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

HARNESS = Path(__file__).resolve().parents[2].parent / "shared" / "harness"
MEMFOLD = Path(sys.executable).with_name("memfold")
SECRET = "ghp_" + "Zx81LmQ0vT" * 3 + "aB3dE9"
TIMEOUT_S = 120

SAMPLE = Path(__file__).resolve().parents[2] / "examples" / "pool"
BROKEN = """\
        result = connection.execute(query)
        self.release(connection)
        return result
"""
MENDED = """\
        try:
            return connection.execute(query)
        finally:
            self.release(connection)
"""
Script = Generator[list[Any], str, str]  # yields replies, gets the last tool result's text


def first_session(project: Path) -> Script:
    """Real work: look, see it fail, mend, see it pass, commit, and a last word."""
    yield [
        "I will look at how the pool takes connections back.",
        {"tool": "Read", "input": {"file_path": str(project / "pool.py")}},
    ]
    failing = yield [
        "run() releases the connection only after a query that worked. Let me see the test fail.",
        {"tool": "Bash", "input": {"command": "python3 -m unittest -q test_pool"}},
    ]
    assert "pool is empty" in failing
    yield [{"tool": "Bash", "input": {"command": "cat deploy.env"}}]
    yield [
        "The cause: when execute() raises, run() never reaches release(), so each failing query "
        "leaks one connection. I release in a finally block instead.",
        {
            "tool": "Edit",
            "input": {
                "file_path": str(project / "pool.py"),
                "old_string": BROKEN,
                "new_string": MENDED,
            },
        },
    ]
    passing = yield [{"tool": "Bash", "input": {"command": "python3 -m unittest -q test_pool"}}]
    assert "OK" in passing
    commit = "git commit -qam 'Give the connection back when a query fails' && git log --oneline"
    yield [{"tool": "Bash", "input": {"command": commit}}]
    return (
        "Fixed the connection leak in Pool.run: a failing query kept its connection, so after two "
        "errors the pool was empty. The connection is now released in a finally block; the test "
        "passes and the change is committed. Next: a timeout for acquire()."
    )


def second_session(seen: dict[str, str]) -> Script:
    """Three steps of search, each with the cursor of the reply before, then the evidence."""
    seen["index"] = yield [
        {"tool": "mcp__memfold__mem_search", "input": {"query": "connection leak failing query"}}
    ]
    first = re.findall(r"^- \[(\d+)\] (.*)$", seen["index"], re.MULTILINE)
    chosen = next((ref for ref, title in first if "leak" in title), first[0][0])
    seen["chosen"] = chosen
    seen["timeline"] = yield [step(seen["index"], chosen)]
    seen["details"] = yield [step(seen["timeline"], chosen)]
    yield [{"tool": "ToolSearch", "input": {"query": "select:mcp__memfold__get_tool_uses"}}]
    seen["evidence"] = yield [
        {"tool": "mcp__memfold__get_tool_uses", "input": {"observation_ids": [int(chosen)]}}
    ]
    return "Yes: Pool.run leaked a connection whenever a query failed."


def step(reply: str, chosen: str) -> dict[str, Any]:
    cursor = re.search(r"^Continue with: (ms_\S+)$", reply, re.MULTILINE)
    assert cursor, f"no cursor in: {reply}"
    args = {"continuation": cursor.group(1), "selectedIds": [chosen]}
    return {"tool": "mcp__memfold__mem_search", "input": args}


class Model:
    """Answers requests that offer tools from a script, all others with one word."""

    def __init__(self, script: Script, harness: SimpleNamespace) -> None:
        self.script, self.harness, self.began = script, harness, False
        self.trouble: BaseException | None = None

    def reply_for(self, body: dict[str, Any]) -> Any:
        if not body.get("tools"):
            return self.harness.stub.normalise("ok")
        results = self.harness.stub.tool_results(body)
        try:
            if self.began:
                last = self.harness.stub.text_of(results[-1]["content"]) if results else ""
                reply: Any = self.script.send(last)
            else:
                self.began = True
                reply = next(self.script)
        except StopIteration as end:
            reply = end.value or "done"
        except Exception as error:  # told to the test, not to the server's thread
            self.trouble = error
            reply = "the script failed"
        return self.harness.stub.normalise(reply)


class World:
    """A sandbox of the real client, with memfold's command line beside it."""

    def __init__(self, harness: SimpleNamespace, root: Path) -> None:
        self.harness = harness
        self.box = harness.run.Sandbox(root=root)
        self.box.write_settings = lambda: None  # the settings are memfold's to write
        self.memory = root / "memory"
        self.box.extra_env["MEMFOLD_HOME"] = str(self.memory)
        self.settings = self.box.config / "settings.json"

    def memfold(self, *args: str, check: bool = True) -> str:
        done = subprocess.run(
            [str(MEMFOLD), *args],
            cwd=self.box.project,
            env=self.box.env(),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    def session(self, prompt: str, script: Script) -> list[dict[str, Any]]:
        """What the model server received in one session that offered tools."""
        model = Model(script, self.harness)
        self.box.stub.reply_for = model.reply_for
        result = self.box.run(prompt, "--dangerously-skip-permissions", timeout=TIMEOUT_S)
        assert model.trouble is None, model.trouble
        assert result.code == 0, result.stderr
        return [body for body in result.messages_requests if body.get("tools")]


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    monkeypatch.syspath_prepend(str(HARNESS))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return SimpleNamespace(
        run=importlib.import_module("run_claude"), stub=importlib.import_module("stub_anthropic")
    )


@pytest.fixture
def world(harness: SimpleNamespace, tmp_path: Path) -> Iterator[World]:
    world = World(harness, tmp_path)
    make_project(world.box.project)
    with world.box:
        yield world
        world.memfold("stop", check=False)


def make_project(project: Path) -> None:
    for name in ("pool.py", "test_pool.py"):
        shutil.copy(SAMPLE / name, project)
    (project / "deploy.env").write_text(f"GITHUB_TOKEN={SECRET}\n")
    (project / ".gitignore").write_text("deploy.env\n__pycache__/\n")
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Sample"),
        ("config", "user.email", "sample@example.com"),
        ("add", "."),
        ("commit", "-qm", "A small pool"),
    ):
        subprocess.run(["git", *words], cwd=project, check=True)


@pytest.mark.timeout(240)
def test_session_two_starts_from_session_one(world: World) -> None:
    """Source: the host's facts, and the main promise: session two starts from session one."""
    before = b'{\n    "model": "opus",\n    "includeCoAuthoredBy": false\n}'
    world.settings.write_bytes(before)
    world.memfold("install", "claude-code")

    requests = world.session("The pool runs empty. Find out why.", first_session(world.box.project))
    tools = {tool["name"] for tool in requests[0]["tools"]}
    assert {"mcp__memfold__mem_search", "mcp__memfold__work_state_write"} <= tools
    assert "memfold remembers earlier sessions" in json.dumps(requests[0])

    assert SECRET in json.dumps(requests[-1]), "the agent itself did see the secret"

    seen: dict[str, str] = {}
    requests = world.session("Have we seen a leak in the pool before?", second_session(seen))
    start = shown_at_start(requests[0], world.harness.stub.text_of)
    assert "recent context" in start
    assert "persisted-output" not in start, "the index did not fit the host's limit"
    assert re.search(r"leak|failing query|release", start)

    assert seen["index"].startswith("mem-search step 1 of 3")
    assert seen["timeline"].startswith("mem-search step 2 of 3")
    assert seen["details"].startswith("mem-search step 3 of 3")
    assert f"### [{seen['chosen']}]" in seen["details"]
    assert "pool.py" in seen["details"] + seen["evidence"]
    assert "finally" in seen["evidence"] or "pool is empty" in seen["evidence"]

    status = json.loads(world.memfold("status", "--json"))
    assert status["sessions"] == 2
    assert status["prompts"] == 2
    assert status["tool_uses"] == 7, "Read, Edit, four Bash, ToolSearch; memory's own are left out"
    assert SECRET not in everything_kept(world)

    world.memfold("uninstall", "claude-code")
    assert world.settings.read_bytes() == before
    servers = json.loads((world.box.config / ".claude.json").read_text())
    assert "memfold" not in servers.get("mcpServers", {})


def interrupted_session(world: World) -> Script:
    """The daemon is killed after the first call and nothing starts it before the turn ends."""
    yield ["I will look at the pool.", {"tool": "Bash", "input": {"command": "echo before"}}]
    os.kill(json.loads(world.memfold("status", "--json"))["pid"], signal.SIGKILL)
    for number in range(3):
        yield [{"tool": "Bash", "input": {"command": f"echo away-{number}"}}]
    return "Looked at it while memory was away."


@pytest.mark.timeout(240)
def test_what_http_hooks_could_not_deliver_is_caught_up(world: World) -> None:
    """A daemon killed in the middle of a session costs no row, though http starts no daemon."""
    world.memfold("install", "claude-code", "--transport", "http")
    world.session("Look at the pool.", interrupted_session(world))
    until = time.monotonic() + TIMEOUT_S
    while True:
        status = json.loads(world.memfold("status", "--json"))
        if status["tool_uses"] == 4 and not status["spooled"]:
            break
        assert time.monotonic() < until, status
        time.sleep(0.1)
    assert (status["sessions"], status["prompts"]) == (1, 1)
    shown = world.memfold("call", "get_tool_uses", json.dumps({"ids": [1, 2, 3, 4]}))
    for words in ("echo before", "echo away-0", "echo away-1", "echo away-2"):
        assert words in shown


def shown_at_start(request: dict[str, Any], text_of: Any) -> str:
    """The text of our SessionStart hook as the model received it."""
    whole = "\n".join(text_of(message["content"]) for message in request["messages"])
    (_, shown) = whole.split("SessionStart:startup hook success: ")
    shown, end, _ = shown.partition("</memfold-context>")
    assert end
    return str(shown)


def everything_kept(world: World) -> str:
    """All bytes of the data directory, and all raw evidence as an agent would read it."""
    files = [path for path in world.memory.rglob("*") if path.is_file()]
    raw = b"".join(path.read_bytes() for path in files).decode("latin-1")
    ids = json.dumps({"ids": list(range(1, 12))})
    return raw + world.memfold("call", "get_tool_uses", ids, check=False)
