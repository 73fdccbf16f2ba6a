"""The real Codex binary, driven in a network namespace that has nothing but 127.0.0.1."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HARNESS = ROOT.parent / "shared" / "harness"
CODEX = Path(os.environ.get("CODEX_BIN", "~/.cache/coding-clients/codex")).expanduser()


@pytest.mark.real_client
@pytest.mark.timeout(300)
@pytest.mark.skipif(not HARNESS.is_dir(), reason="../shared/harness is not beside the checkout")
@pytest.mark.skipif(
    not CODEX.is_file(),
    reason="no Codex binary: run ../shared/harness/get_clients.sh or set CODEX_BIN",
)
def test_what_install_writes_is_trusted_run_and_given_back() -> None:
    """Nothing can leave, nothing else can answer; no hook is run that Codex does not trust."""
    sessions = Path(__file__).with_name("real_codex_sessions.py")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(sessions)]
    done = subprocess.run(
        [sys.executable, str(HARNESS / "loopback_only.py"), *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]
