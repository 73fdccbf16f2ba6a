"""A host's question before its agent reads a file, and what is answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["allow", "context", "block"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAsk:
    """One read that an agent is about to make."""

    host: str
    session: str
    path: str  # as given: absolute, or relative to `cwd`
    cwd: str
    subagent: bool = False
    offset: int = 1  # the first line
    limit: int | None = None  # lines; None: to the end
    pages: str = ""  # of a document
    transcript: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is answered, and why. ``text`` is for the agent; empty where nothing is said."""

    kind: Kind
    reason: str  # a few words, for the log
    text: str = ""
    path: str = ""  # the real one, once it is known
    size: int = 0  # bytes
    newest: int = 0  # id of the newest observation about the file
    saved_tokens: int = 0  # by a block, estimated; negative where it costs


@dataclass(frozen=True, slots=True)
class Past:
    """One observation about a file."""

    id: int
    at_ms: int
    line: str  # as it is shown
