"""Whether a read is let through, given context, or answered with the outline.

Conditions, the cheapest first; any doubt lets the read through. Source of the thresholds: the
published figures of a gate at 1,500 bytes and at 32 KiB.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from memfold import measure
from memfold.code.gate.ask import Past, ReadAsk, Verdict
from memfold.code.gate.cost import Costs, saving
from memfold.code.gate.text import blocked, history
from memfold.code.workspace import read_source
from memfold.errors import InvalidInput

HOST = "claude-code"  # the one host whose main session is known for sure
CONTEXT_BYTES = 1_536  # smaller files are read at once
MOST_BYTES = 4 * 1024 * 1024  # the host refuses to read larger ones whole
MOST_TITLES = 15


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings."""

    on: bool = True
    adaptive: bool = False
    threshold: int = 32 * 1024  # bytes


class Look(Protocol):
    """What is asked of the rest, each once at most."""

    def is_code(self, path: str) -> bool:
        """Whether it is in a language that can be outlined; Markdown, YAML and such are not."""
        ...

    def roots(self, ask: ReadAsk) -> Sequence[str]:
        """Real directories the session works in."""
        ...

    def past(self, path: str) -> Sequence[Past]:
        """Observations about the file, newest first."""
        ...

    def told(self, ask: ReadAsk, path: str) -> Verdict | None:
        """The newest verdict about this file in this session that was not a plain `allow`."""
        ...

    def outline(self, path: str, data: bytes) -> str:
        """The outline for an agent; '' where there is none."""
        ...

    def context_tokens(self, ask: ReadAsk) -> int:
        """What the session's context holds now; 0 where it is not known."""
        ...


class Case:
    """One read with what is known of it, looked up when it is first needed."""

    def __init__(self, ask: ReadAsk, rules: Rules, look: Look) -> None:
        self.ask, self.rules, self.look = ask, rules, look
        self.path, self.status = _regular(ask)

    @property
    def size(self) -> int:
        return self.status.st_size if self.status else 0

    @cached_property
    def past(self) -> Sequence[Past]:
        return self.look.past(self.path)

    @cached_property
    def told(self) -> Verdict | None:
        return self.look.told(self.ask, self.path)

    @cached_property
    def roots(self) -> Sequence[str]:
        return self.look.roots(self.ask)

    @cached_property
    def data(self) -> bytes:
        """Read as for any tool: another file may stand there by now. Nothing where refused."""
        try:
            return read_source(self.path, self.roots)
        except InvalidInput:
            return b""

    @cached_property
    def lines(self) -> int:
        return self.data.count(b"\n") + (not self.data.endswith(b"\n"))

    @cached_property
    def outline(self) -> str:
        return self.look.outline(self.path, self.data) if self.data else ""

    @cached_property
    def titles(self) -> list[str]:
        return [one.line for one in self.past[:MOST_TITLES]]

    @cached_property
    def text(self) -> str:
        return blocked(self.path, self.size, self.outline, self.titles)

    @cached_property
    def saved(self) -> int:
        whole = measure.tokens(self.data.decode("utf-8", "replace")) + self.lines
        context = self.look.context_tokens(self.ask)
        return saving(Costs(whole, measure.tokens(self.text), context, self.lines))

    def is_current(self) -> bool:
        """Whether the newest observation is newer than the file."""
        assert self.status is not None  # noqa: S101  # asked after that
        return self.past[0].at_ms > self.status.st_mtime_ns // 1_000_000

    def is_whole(self) -> bool:
        """Whether the host would return the whole file."""
        ask = self.ask
        if ask.offset > 1 or ask.pages:
            return False
        return ask.limit is None or (
            self.size <= MOST_BYTES and bool(self.data) and ask.limit >= self.lines
        )

    def is_inside(self) -> bool:
        return any(self.path == root or self.path.startswith(f"{root}/") for root in self.roots)

    def is_first(self) -> bool:
        """Not what it has seen the outline of already: a second no would only cost a turn."""
        told = self.told
        return told is None or told.kind != "block" or told.newest != self.past[0].id


# Why a read is let through -> what must hold for it not to be.
CONDITIONS: tuple[tuple[str, Callable[[Case], bool]], ...] = (
    ("not the main session", lambda c: c.ask.host == HOST and not c.ask.subagent),
    ("switched off", lambda c: c.rules.on),
    ("no regular file", lambda c: c.status is not None),
    ("small", lambda c: c.size >= CONTEXT_BYTES),
    ("no code", lambda c: c.look.is_code(c.path)),
    ("nothing known", lambda c: bool(c.past)),
    ("below the threshold", lambda c: c.size >= c.rules.threshold),
    ("changed since", Case.is_current),
    ("a part", Case.is_whole),
    ("too large", lambda c: c.size <= MOST_BYTES),
    ("outside the workspace", Case.is_inside),
    ("asked twice", Case.is_first),
    ("no outline", lambda c: bool(c.outline)),
    ("would not pay", lambda c: not c.rules.adaptive or c.saved > 0),
)
UNWATCHED = ("not the main session", "switched off", "no regular file", "small", "no code")
_WITH_HISTORY = ("below the threshold", "changed since", "no outline")


def decide(ask: ReadAsk, rules: Rules, look: Look) -> Verdict:
    """The answer to one read. Raises what ``look`` raises, and OSError.

    A read that is let through gets titles of past work, once a session and again when there is
    more.
    """
    case = Case(ask, rules, look)
    reason = next((why for why, holds in CONDITIONS if not holds(case)), "")
    if not reason:
        newest = case.past[0].id
        return Verdict(
            "block", "known and large", case.text, case.path, case.size, newest, case.saved
        )
    if reason in _WITH_HISTORY:
        newest = case.past[0].id
        if case.told is None or case.told.newest < newest:
            text = history(case.path, case.titles)
            return Verdict("context", reason, text, case.path, case.size, newest)
    return Verdict("allow", reason, "", case.path, case.size)


def _regular(ask: ReadAsk) -> tuple[str, os.stat_result | None]:
    """(real path, status) of a regular file; ("", None) for anything else."""
    if not ask.path or "\0" in ask.path:
        return "", None
    try:
        real = os.path.realpath(Path(ask.cwd or "/", ask.path))
        status = Path(real).stat()
    except (OSError, ValueError):
        return "", None
    return (real, status) if stat.S_ISREG(status.st_mode) else ("", None)
