"""One session being read: what the readers of all hosts share in making events.

A host's file says who spoke and which tools ran; `Story` keeps what events have in common, joins
calls with their results, and ends a turn where the next prompt begins.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from memfold.capture.tools import files_of, is_ours
from memfold.capture.transcripts.lines import Reading, moment_ms
from memfold.records import Compacted, Event, PromptGiven, ReplyGiven, ToolUsed, TurnEnded

_LATEST_MS = 4_102_444_800_000  # the year 2100: a larger figure is no time


class Story:
    """A file's session so far. All methods that give events give them in order."""

    def __init__(
        self, host: str, path: Path, reading: Reading, *, session: str = "", cwd: str = ""
    ) -> None:
        self._host = host
        self._reading = reading
        self._path = str(path)
        self._waiting: dict[str, ToolUsed] = {}  # calls whose result has not come
        self._starts: dict[str, int] = {}  # where the lines of those calls begin
        self._times_seen: Counter[str] = Counter()  # content -> how often, for keys
        self._open_turn = False
        self.session = session or path.stem
        self.cwd = cwd
        self.branch = ""
        self.agent = ""  # of a subagent's own file
        self.at_ms = int(path.stat().st_mtime * 1000)

    def moment(self, value: Any) -> None:
        """The time of what comes next: ISO 8601 or Unix ms; what is neither changes nothing."""
        if isinstance(value, int) and 0 < value < _LATEST_MS:
            self.at_ms = value
        else:
            self.at_ms = moment_ms(value, self.at_ms)

    def content_key(self, *parts: Any) -> str:
        """A key for what the host gives none: the same for the same content in its place.

        The second of two equal ones gets another, and each reading from the head the same two.
        """
        told = json.dumps(parts, sort_keys=True, default=str)
        digest = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:24]
        self._times_seen[digest] += 1
        return f"content:{digest}:{self._times_seen[digest]}"

    def prompt(self, text: str, key: str) -> Iterator[Event]:
        """Nothing for a subagent: what it is told is no prompt of the user's."""
        if text.strip() and not self.agent:
            yield from self.stopped()
            self._open_turn = True
            yield PromptGiven(**self._common(), text=text.strip(), prompt_key=key)

    def reply(self, text: str) -> Iterator[Event]:
        if text.strip():
            self._open_turn = True
            yield ReplyGiven(**self._common(), text=text.strip())

    def compacted(self, summary: str, trigger: str = "") -> Iterator[Event]:
        yield Compacted(**self._common(), summary=summary, trigger=trigger)

    def call(self, key: str, tool: str, given: Any, *, tokens: int = 0) -> bool:
        """A call begins; False where it is not kept."""
        if key in self._waiting:
            return True
        self._reading.tool_uses += 1
        if not tool or not key:
            self._reading.skipped["no name or id"] += 1
            return False
        if is_ours(tool):
            self._reading.skipped["memfold's own tool"] += 1
            return False
        read, changed = files_of(tool, given)
        self._starts[key] = self._reading.line_start
        self._waiting[key] = ToolUsed(
            **self._common(),
            key=key,
            tool=tool,
            input=given,
            response=None,
            ok=False,
            work_tokens=tokens,
            files_read=read,
            files_changed=changed,
        )
        return True

    def waits(self, key: str) -> bool:
        return key in self._waiting

    def result(
        self, key: str, response: Any, *, ok: bool, duration_ms: int | None = None
    ) -> Iterator[Event]:
        """The end of a call; nothing where the call is not known."""
        call = self._waiting.pop(key, None)
        if call is None:
            return
        self._open_turn = True
        yield replace(
            call,
            at_ms=max(self.at_ms, call.at_ms),
            cwd=call.cwd or self.cwd,
            response=response,
            ok=ok,
            duration_ms=duration_ms,
            files_changed=call.files_changed if ok else (),
        )

    def stopped(self) -> Iterator[Event]:
        """The agent stopped: calls without a result get none any more, and the turn ends."""
        for call in list(self._waiting.values()):
            yield replace(call, files_changed=())
        self._waiting.clear()
        if self._open_turn and not self.agent:
            self._open_turn = False
            common = self._common()
            yield TurnEnded(
                host=self._host, session=self.session, at_ms=common["at_ms"], cwd=self.cwd
            )

    def end(self, *, whole: bool) -> Iterator[Event]:
        """The end of the file; ``whole``: nothing more is written to it.

        Otherwise calls under way are read again next time, together with their results.
        """
        if whole:
            yield from self.stopped()
            return
        for key in self._waiting:
            self._reading.offset = min(self._reading.offset, self._starts[key])

    def _common(self) -> dict[str, Any]:
        return {
            "host": self._host,
            "session": self.session,
            "at_ms": self.at_ms,
            "cwd": self.cwd,
            "agent": self.agent,
            "branch": self.branch,
            "transcript": "" if self.agent else self._path,
        }


def shares(tokens: int, calls: int) -> list[int]:
    """``tokens`` in that many nearly equal parts."""
    if not calls:
        return []
    share, rest = divmod(max(tokens, 0), calls)
    return [share + (1 if at < rest else 0) for at in range(calls)]
