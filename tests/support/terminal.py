"""Somebody at a terminal: real commands over one data directory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from running import Running


class Terminal:
    """Runs `memfold` in ``cwd``."""

    def __init__(self, here: Running, cwd: Path) -> None:
        self.here, self.cwd = here, cwd

    def run(self, *args: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", "from memfold.cli.main import main; main()", *args],
            cwd=cwd or self.cwd,
            env=self.here.env(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def said(self, *args: str) -> str:
        """What a command that must go well prints."""
        done = self.run(*args)
        assert done.returncode == 0, done.stderr
        return done.stdout
