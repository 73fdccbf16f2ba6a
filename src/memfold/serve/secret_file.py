"""Keys of the daemon's own, each in a file that its owner alone can read."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def secret(path: Path, size_bytes: int = 32) -> bytes:
    """The key in this file, made on first use, readable by its owner only."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes()
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(size_bytes))
    return path.read_bytes()


def older_secret(path: Path) -> bytes:
    """The key that was in use before, still taken while searches begun with it go on; or empty."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
