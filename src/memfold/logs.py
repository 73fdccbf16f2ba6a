"""The daemon's log: one file, bounded, with no content of sessions."""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path

_LOG_BYTES = 1_000_000


def log_to(path: Path) -> None:
    """Everything of this process from INFO on; libraries only their warnings."""
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=1)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    for noisy in ("uvicorn", "mcp", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
