"""What is measured of a memory: its hooks, its worker, its MCP server; the same for both sides."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop")
WAIT_S = 60.0  # for anything that should take seconds


class Side(Protocol):
    """One memory in a throwaway home."""

    name: str

    def hook(self, event: str) -> list[str]:
        """The process that its shipped wiring runs for this event."""

    def mcp(self) -> list[str]:
        """The process that its shipped wiring runs as MCP server."""

    def env(self) -> dict[str, str]:
        """The environment of all its processes."""

    def start(self) -> float:
        """Start the worker where none runs: ms until it answers."""

    def stop(self) -> None:
        """No worker runs when this returns."""

    def pid(self) -> int:
        """The worker's process."""

    def send(self, payloads: Sequence[Mapping[str, Any]]) -> None:
        """Tool uses, past the hook's process; all of them are stored when this returns."""

    def disk_bytes(self) -> int:
        """What its databases hold on disk."""


def payload(event: str, number: int, cwd: str, transcript: str) -> dict[str, Any]:
    """What Claude Code sends at this event; a tool use has about 4 KB."""
    given: dict[str, Any] = {
        "session_id": "compare-1",
        "transcript_path": transcript,
        "cwd": cwd,
        "hook_event_name": event,
    }
    if event == "SessionStart":
        return {**given, "source": "startup"}
    if event == "UserPromptSubmit":
        return {**given, "prompt": f"Please run step {number} of the build and look at it"}
    if event == "Stop":
        return {**given, "stop_hook_active": False}
    lines = "".join(f"step {number}: compiled unit {at * 7919 % 10007}\n" for at in range(130))
    return {
        **given,
        "tool_name": "Bash",
        "tool_input": {"command": f"make step-{number}", "description": "run one step"},
        "tool_response": {"stdout": lines, "stderr": "", "interrupted": False},
        "tool_use_id": f"toolu_{number:08d}",
    }


def timed(command: Sequence[str], stdin: bytes, env: Mapping[str, str]) -> tuple[float, bytes]:
    """(ms from spawn to exit, stdout). Raises AssertionError when it fails."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
        given.write(stdin)
        given.seek(0)
        actions = [
            (os.POSIX_SPAWN_DUP2, given.fileno(), 0),
            (os.POSIX_SPAWN_DUP2, out.fileno(), 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        began = time.perf_counter()
        child = os.posix_spawn(command[0], list(command), env, file_actions=actions)
        _, status = os.waitpid(child, 0)
        took_ms = (time.perf_counter() - began) * 1000
        assert status == 0, (command[-3:], status)
        out.seek(0)
        return took_ms, out.read()


def mcp_ready(command: Sequence[str], env: Mapping[str, str], cwd: str) -> tuple[float, int]:
    """(ms from spawn to the answer of tools/list, characters of its result)."""
    client = {"name": "compare", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    began = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=env, cwd=cwd,
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            _say(server, {"id": 1, "method": "initialize", "params": hello})
            _answer(server, 1)
            _say(server, {"method": "notifications/initialized"})
            _say(server, {"id": 2, "method": "tools/list", "params": {}})
            result = _answer(server, 2)["result"]
            took_ms = (time.perf_counter() - began) * 1000
        finally:
            server.stdin.close()
            server.terminate()
    text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    return took_ms, len(text)


def _say(server: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert server.stdin is not None
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    server.stdin.flush()


def _answer(server: subprocess.Popen[bytes], number: int) -> dict[str, Any]:
    assert server.stdout is not None
    while line := server.stdout.readline():
        said: dict[str, Any] = json.loads(line)
        if said.get("id") == number:
            return said
    raise AssertionError("the MCP server ended without an answer")


def rss_mb(pid: int) -> float:
    """Memory a process holds now (Linux)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def cpu_s(pid: int) -> float:
    """Processor seconds a process used so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
