"""The real Claude Code binary, driven in a network namespace that has nothing but 127.0.0.1."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HARNESS = ROOT.parent / "shared" / "harness"
CLAUDE = Path(os.environ.get("CLAUDE_BIN", "~/.cache/coding-clients/claude")).expanduser()


@pytest.mark.parametrize(
    "sessions", ["real_claude_sessions.py", "real_claude_plugin.py", "real_claude_gate.py"]
)
@pytest.mark.real_client
@pytest.mark.timeout(300)
@pytest.mark.skipif(not HARNESS.is_dir(), reason="../shared/harness is not beside the checkout")
@pytest.mark.skipif(
    not CLAUDE.is_file(),
    reason="no Claude Code binary: run ../shared/harness/get_clients.sh or set CLAUDE_BIN",
)
def test_a_session_is_remembered_and_the_next_one_starts_from_it(sessions: str) -> None:
    """The main promise, with the host as it is. Nothing can leave, nothing else can answer."""
    path = str(Path(__file__).with_name(sessions))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path]
    done = subprocess.run(
        [sys.executable, str(HARNESS / "loopback_only.py"), *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]
