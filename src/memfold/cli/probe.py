"""A probe: an event that goes the way a host's go, through hook, daemon and store, and back."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from memfold.capture import probes
from memfold.cli import ask
from memfold.errors import MemfoldError
from memfold.hosts import claude_code, programs
from memfold.hosts.found import Place

RUN_S = 10.0  # a hook gives up after one second; the rest is for a machine that is busy


@dataclass(frozen=True, slots=True)
class Probe:
    """What came of one."""

    host: str
    ok: bool
    says: str

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


def of(place: Place) -> Probe:
    """Every way our hooks of this place ring, each tried as the host would."""
    host, title = place.kind.host, place.kind.title
    try:
        ask.ensure_running()
        hooks = {_way(hook): hook for hook in map(claude_code.only_hook, place.hooks())}
        hooks.pop("", None)
        if not hooks:
            return Probe(host, False, f"{title}: no hook of memfold in {place.hooks_file}.")
        slowest_ms = 0.0
        for hook in hooks.values():
            nonce = secrets.token_hex(16)
            began = time.monotonic()
            if trouble := _ring(hook, json.dumps(probes.payload(nonce)).encode()):
                return Probe(host, False, f"{title}: the probe did not get through: {trouble}")
            slowest_ms = max(slowest_ms, (time.monotonic() - began) * 1000)
            if not ask.get("/probe", nonce=nonce)["stored"]:
                why = "the hook ran, nothing was stored; `memfold doctor` may say why."
                return Probe(host, False, f"{title}: the probe did not get through: {why}")
    except MemfoldError as error:
        return Probe(host, False, f"{title}: {error}")
    says = f"{title}: a probe went through hook, daemon and store and back in {slowest_ms:.0f} ms."
    return Probe(host, True, says)


def _way(hook: Mapping[str, Any]) -> str:
    """What tells one way of ringing from another; '' for a program that is not the doorbell."""
    if "url" in hook:
        return str(hook["url"])
    return " ".join(programs.words_of(hook)) if programs.runs(hook, programs.HOOK) else ""


def _ring(hook: Mapping[str, Any], body: bytes) -> str:
    """Run or call one hook as its host does; what went wrong, '' for nothing."""
    if "url" in hook:
        return _post(str(hook["url"]), dict(hook.get("headers") or {}), body)
    # The host may start it without this shell's variables.
    env = {name: value for name, value in os.environ.items() if name != "MEMFOLD_HOME"}
    by_shell = not isinstance(hook.get("args"), list)
    words = ["/bin/sh", "-c", str(hook["command"])] if by_shell else programs.words_of(hook)
    try:
        done = subprocess.run(
            words, input=body, env=env, capture_output=True, timeout=RUN_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{words[0]}: {error}."
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        return f"the hook ended with {done.returncode}. {''.join(last)}".strip()
    return ""


def _post(url: str, headers: dict[str, str], body: bytes) -> str:
    request = urllib.request.Request(url, body, headers)  # noqa: S310  # our own loopback port
    try:
        with urllib.request.urlopen(request, timeout=RUN_S):  # noqa: S310
            return ""
    except urllib.error.HTTPError as error:
        return f"{url} answered with status {error.code}."
    except OSError as error:
        return f"{url}: {error}."
