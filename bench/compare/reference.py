"""claude-mem as npm ships it, in a throwaway home with a scripted model."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from side import WAIT_S, timed

VERSION, BUN = "13.25.3", "1.4.5"
_FETCH_S = 300


class CannotBeHad(Exception):
    """There is nothing to compare with; the message says why."""


def fetch(cache: Path) -> Path:
    """The folder with claude-mem and Bun, got by npm on first use. Raises CannotBeHad."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise CannotBeHad("node and npm are not on this machine")
    plugin = cache / "node_modules" / "claude-mem" / "plugin"
    if not (cache / "complete").exists():
        cache.mkdir(parents=True, exist_ok=True)
        (cache / "package.json").write_text('{"private": true}', "utf-8")
        # Its peer dependencies keep npm's resolver busy without end; its own installer falls
        # back to the same option.
        words = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund"]
        words += ["--omit=dev", "--legacy-peer-deps"]
        _run([*words, f"claude-mem@{VERSION}", f"bun@{BUN}"], cache)
        _run(words, plugin)  # what its Setup installs: grammars, 480 MB
        (cache / "complete").touch()
    bun = next(iter(sorted(cache.glob("node_modules/@oven/bun-*/bin/bun"))), None)
    if bun is None:
        raise CannotBeHad("there is no Bun for this machine")
    (cache / "bin").mkdir(exist_ok=True)
    link = cache / "bin" / "bun"
    link.unlink(missing_ok=True)
    link.symlink_to(bun)
    return cache


def _run(command: list[str], cwd: Path) -> None:
    home = cwd / ".npm-home"
    home.mkdir(exist_ok=True)
    try:
        done = subprocess.run(
            command, cwd=cwd, env={**os.environ, "HOME": str(home)}, timeout=_FETCH_S,
            capture_output=True, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise CannotBeHad(f"npm took more than {_FETCH_S} s") from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise CannotBeHad(f"npm: {lines[0] if lines else done.returncode}")


class ClaudeMem:
    """One installation with its own home."""

    name = f"claude-mem {VERSION}"

    def __init__(self, cache: Path, home: Path, provider: str) -> None:
        self._plugin = cache / "node_modules" / "claude-mem" / "plugin"
        self._data = home / "data"
        (home / ".claude").mkdir(parents=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = int(probe.getsockname()[1])
        node = Path(str(shutil.which("node"))).parent
        self._env = {
            "HOME": str(home),
            "PATH": f"{cache / 'bin'}:{node}:/usr/bin:/bin",
            "CLAUDE_CONFIG_DIR": str(home / ".claude"),
            "CLAUDE_PLUGIN_ROOT": str(self._plugin),
            "CLAUDE_MEM_DATA_DIR": str(self._data),
            "CLAUDE_MEM_WORKER_PORT": str(self._port),
            "CLAUDE_MEM_CHROMA_ENABLED": "false",
            "CLAUDE_MEM_PROVIDER": "openrouter",
            "CLAUDE_MEM_OPENROUTER_API_KEY": "none",
            "CLAUDE_MEM_OPENROUTER_BASE_URL": provider,
            "CLAUDE_MEM_TELEMETRY": "0",
            "DO_NOT_TRACK": "1",
        }
        self._wiring = json.loads((self._plugin / "hooks" / "hooks.json").read_text("utf-8"))
        self._node = str(node / "node")

    def env(self) -> dict[str, str]:
        return self._env

    def hook(self, event: str) -> list[str]:
        # SessionStart has two commands, which the host runs side by side: the last prints.
        command = self._wiring["hooks"][event][-1]["hooks"][-1]["command"]
        return ["/bin/bash", "-c", command]

    def mcp(self) -> list[str]:
        servers = json.loads((self._plugin / ".mcp.json").read_text("utf-8"))["mcpServers"]
        server = next(iter(servers.values()))
        return [str(shutil.which(server["command"])), *server["args"]]

    def start(self) -> float:
        began = time.perf_counter()
        timed(self._service("start"), b"", self._env)
        self._get("/api/health")
        return (time.perf_counter() - began) * 1000

    def stop(self) -> None:
        pid = self.pid()
        timed(self._service("stop"), b"", self._env)
        until = time.monotonic() + WAIT_S
        while _alive(pid):
            assert time.monotonic() < until, "the worker does not end"
            time.sleep(0.01)

    def pid(self) -> int:
        return int(json.loads((self._data / "worker.pid").read_text("utf-8"))["pid"])

    def send(self, payloads: Sequence[Mapping[str, Any]]) -> None:
        for given in payloads:
            use = {
                "contentSessionId": given["session_id"],
                "platformSource": "claude",
                **{k: given[k] for k in ("tool_name", "tool_input", "tool_response", "cwd")},
                "tool_use_id": given["tool_use_id"],
            }
            self._post("/api/sessions/observations", use)
        until = time.monotonic() + WAIT_S
        while self._get("/api/processing-status").get("queueDepth"):
            if time.monotonic() > until:
                break  # its queue lies in memory: the rows of tool uses are on disk already
            time.sleep(0.2)

    def disk_bytes(self) -> int:
        return sum(file.stat().st_size for file in self._data.glob("*.db*"))

    def _service(self, word: str) -> list[str]:
        scripts = self._plugin / "scripts"
        runner, service = scripts / "bun-runner.js", scripts / "worker-service.cjs"
        return [self._node, str(runner), str(service), word]

    def _get(self, path: str) -> dict[str, Any]:
        until = time.monotonic() + WAIT_S
        while True:
            try:
                url = f"http://127.0.0.1:{self._port}{path}"
                with urllib.request.urlopen(url, timeout=WAIT_S) as answer:
                    return dict(json.load(answer))
            except OSError:
                assert time.monotonic() < until, "the worker does not answer"
                time.sleep(0.02)

    def _post(self, path: str, body: Mapping[str, Any]) -> None:
        asked = http.client.HTTPConnection("127.0.0.1", self._port, timeout=WAIT_S)
        with contextlib.closing(asked):
            asked.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            answer = asked.getresponse()
            assert answer.status == 200, (answer.status, answer.read())


def _alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
        return not re.match("[ZX]", state)
    return False
