"""What Codex itself calls our hooks once reviewed: asked of its app-server, in a scratch home.

Codex runs a hook only when `config.toml` holds the hash it makes of it. The hash does not depend
on where the file lies, so it can be asked for before anything is written, and Codex's own home is
left alone. Source: the real binary, version 0.171.0 (JSON-RPC, a line each, on stdio).
"""

from __future__ import annotations

import json
import logging
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memfold.hosts.codex import EVENTS
from memfold.hosts.programs import HOOK

log = logging.getLogger(__name__)
ANSWER_S = 20.0  # it starts in 0.2 s; a cold disk with a 300 MB binary may take longer
_PLACES = ("~/.local/bin", "~/.npm-global/bin", "/opt/homebrew/bin", "/usr/local/bin")


def program(env: Mapping[str, str]) -> str | None:
    """The Codex binary; None where there is none to be found."""
    places = [str(Path(place).expanduser()) for place in _PLACES]
    return shutil.which("codex", path=os.pathsep.join([env.get("PATH", ""), *places]))


def hashes(binary: str, hooks_json: bytes) -> dict[str, str]:
    """Event -> the hash of our hook there; {} where the binary gives no answer."""
    with tempfile.TemporaryDirectory(prefix="memfold-codex-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        (home / "hooks.json").write_bytes(hooks_json)
        try:
            listed = _hooks_list(binary, home)
        except (OSError, ValueError, TimeoutError) as error:
            log.warning("Codex cannot be asked for its hooks: %s", error)
            return {}
    named = {event.lower(): event for event in EVENTS}
    found = {}
    for hook in listed:
        event = named.get(str(hook.get("eventName", "")).lower())
        if event and HOOK in str(hook.get("command", "")) and hook.get("currentHash"):
            found[event] = str(hook["currentHash"])
    return found


def _hooks_list(binary: str, home: Path) -> list[dict[str, Any]]:
    env = {**os.environ, "CODEX_HOME": str(home), "HOME": str(home)}
    with subprocess.Popen(
        [binary, "app-server"],
        cwd=home,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            until = time.monotonic() + ANSWER_S
            client = {"name": "memfold", "version": "1"}
            _ask(server, 1, "initialize", {"clientInfo": client}, until)
            _send(server, {"method": "initialized"})
            answer = _ask(server, 2, "hooks/list", {"cwds": [str(home)]}, until)
        finally:
            server.kill()
    return [hook for place in answer["data"] for hook in place["hooks"]]


def _send(server: subprocess.Popen[bytes], message: Mapping[str, Any]) -> None:
    if server.stdin is None:
        raise OSError("no stdin")
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()


def _ask(
    server: subprocess.Popen[bytes], number: int, method: str, params: Any, until: float
) -> Any:
    _send(server, {"id": number, "method": method, "params": params})
    if server.stdout is None:
        raise OSError("no stdout")
    waiting = b""
    while True:
        while b"\n" in waiting:
            line, _, waiting = waiting.partition(b"\n")
            message = json.loads(line)
            if message.get("id") == number:
                if "result" not in message:
                    raise ValueError(f"{method} was refused: {message.get('error')}")
                return message["result"]
        ready, _, _ = select.select([server.stdout], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            raise TimeoutError(f"no answer to {method}")
        part = os.read(server.stdout.fileno(), 65_536)
        if not part:
            raise OSError("it ended")
        waiting += part
