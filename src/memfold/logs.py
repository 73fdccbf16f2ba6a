"""The daemon's log: one file, bounded, with no content of sessions.

Messages are ours and name codes, numbers and files of memfold's own. What an exception says is
not: it may quote what was being read. So of an exception the log holds its class and where it was
raised, of those of the system and of the database also what they say.
"""

from __future__ import annotations

import logging
import logging.handlers
import traceback
from pathlib import Path
from types import TracebackType

import apsw

_LOG_BYTES = 1_000_000
_FRAMES = 12  # the innermost of each exception
_Info = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class Formatter(logging.Formatter):
    """Lines without what exceptions quote."""

    def formatException(self, ei: _Info) -> str:  # noqa: N802  # logging's name
        told: list[str] = []
        error = ei[1]
        while error is not None and len(told) < 5:
            frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
            where = [f"  {Path(one.filename).name}:{one.lineno} in {one.name}" for one in frames]
            told.append("\n".join([*where, f"  {_named(error)}"]))
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\n  because of\n".join(told)


def _named(error: BaseException) -> str:
    name = type(error).__name__
    if isinstance(error, OSError):
        return f"{name}: {error.strerror or error.errno}"
    if isinstance(error, apsw.Error):  # of our own SQL: tables, columns, pages
        return f"{name}: {error}"
    code = getattr(error, "code", "")
    return f"{name} ({code})" if isinstance(code, str) and code else name


def log_to(path: Path) -> None:
    """Everything of this process from INFO on; libraries only their warnings."""
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=1)
    handler.setFormatter(Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    for noisy in ("uvicorn", "mcp", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
