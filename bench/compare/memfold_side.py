"""memfold as its installer wires it, in a throwaway home."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from side import WAIT_S

from memfold import wire
from memfold.hook import launch
from memfold.hosts.programs import Runner, bridge
from memfold.serve.secret_file import secret


class Memfold:
    """The tree this file stands in, with the present Python."""

    name = "memfold"

    def __init__(self, home: Path, *, semantic: bool = False) -> None:
        self._home = home
        home.mkdir(mode=0o700)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = int(probe.getsockname()[1])
        (home / "settings.toml").write_text(f"tcp_port = {self._port}\n", "utf-8")
        os.environ["MEMFOLD_SEMANTIC"] = "yes" if semantic else "no"
        os.environ["MEMFOLD_HOME"] = str(home)  # launch.start and wire.request read it

    def env(self) -> dict[str, str]:
        return dict(os.environ)

    def hook(self, event: str) -> list[str]:  # noqa: ARG002  # one program for all events
        return Runner.of(sys.executable, {}).hook("claude-code")

    def mcp(self) -> list[str]:
        return [sys.executable, "-I", "-S", str(bridge()), "claude-code"]

    def start(self) -> float:
        began = time.perf_counter()
        launch.start(str(self._home))
        self._status()
        return (time.perf_counter() - began) * 1000

    def stop(self) -> None:
        pid = self.pid()
        wire.request("POST", "/stop", timeout_s=10)
        until = time.monotonic() + WAIT_S
        while Path(f"/proc/{pid}").exists():
            assert time.monotonic() < until, "the daemon does not end"
            time.sleep(0.01)

    def pid(self) -> int:
        return int(self._status()["pid"])

    def over_http(self, body: bytes) -> float:
        """ms of one tool use sent the way of the http hooks: no process at all."""
        token = secret(self._home / "token").hex()
        head = f"POST /hook/claude-code HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
        head += f"Authorization: Bearer {token}\r\nConnection: close\r\n"
        head += f"Content-Length: {len(body)}\r\n\r\n"
        began = time.perf_counter()
        with socket.create_connection(("127.0.0.1", self._port), timeout=WAIT_S) as peer:
            peer.sendall(head.encode() + body)
            answer = b""
            while part := peer.recv(65_536):
                answer += part
        took_ms = (time.perf_counter() - began) * 1000
        assert answer.split(None, 2)[1] == b"200", answer[:100]
        return took_ms

    def send(self, payloads: Sequence[Mapping[str, Any]]) -> None:
        before = int(self._status()["tool_uses"])
        for number, given in enumerate(payloads, 1):
            self._ring(given)
            if number % 10 == 0:
                said = f"Fixed step {number} of the build: it read a file that no step had made."
                end = {"hook_event_name": "Stop", "last_assistant_message": said}
                common = {k: given[k] for k in ("session_id", "cwd", "transcript_path")}
                self._ring({**common, **end})
        until = time.monotonic() + WAIT_S
        while (status := self._status())["waiting"]:
            assert time.monotonic() < until, status
            time.sleep(0.05)
        stored = int(status["tool_uses"]) - before
        assert stored == len(payloads), stored

    def _ring(self, given: Mapping[str, Any]) -> None:
        body = json.dumps(given).encode()
        status, _ = wire.request("POST", "/hook/claude-code", body, timeout_s=WAIT_S)
        assert status == 200, status

    def disk_bytes(self) -> int:
        return sum(file.stat().st_size for file in self._home.glob("*.db*"))

    def _status(self) -> dict[str, Any]:
        until = time.monotonic() + WAIT_S
        while True:
            try:
                status, body = wire.request("GET", "/status", timeout_s=WAIT_S)
                if status == 200:
                    return dict(json.loads(body))
            except OSError:
                assert time.monotonic() < until, "the daemon does not answer"
            time.sleep(0.005)
