"""The gate joined to the rest: what it asks of disk, store and outline, and its log."""

from __future__ import annotations

import json
import logging
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path, PurePath
from typing import Any

from memfold.code.gate.ask import Kind, Past, ReadAsk, Verdict
from memfold.code.gate.decide import UNWATCHED, Rules, decide
from memfold.disclose.places import Directory, checkout_of
from memfold.disclose.times import day, local, zone_of
from memfold.display import one_line
from memfold.hosts.reads import read_answer, read_ask
from memfold.records import Entry
from memfold.settings import Settings
from memfold.store.needs.gate import Decision
from memfold.store.ports import Store

log = logging.getLogger(__name__)
NEWEST = 5_000  # observations of a project that are looked at
_MOST_NAMED = 60
_RECENT = 50  # observations whose files tell which languages are asked about
_READY = 3  # languages
_TAIL_BYTES = 256 * 1024  # of a transcript, in which the last reply's usage stands


class Gatekeeper:
    """Implements code.gate.decide.Look over one store. Safe to use from any thread."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Callable[[], int],
        *,
        owners: Callable[[str], dict[int, Directory]],
        is_code: Callable[[str], bool],
        outline: Callable[[str, bytes], str],
    ) -> None:
        """``owners``: the projects a folder belongs to, with its place in each.

        ``outline``: what an agent is shown of a file; '' where there is none.
        """
        self._store = store
        self._clock = clock
        self._owners = owners
        self._zone = zone_of(settings.text("timezone"))
        self.is_code = is_code
        self.outline = outline
        self._wanted = settings.text("read_gate")
        self._rules = Rules(
            on=self._wanted != "off",
            adaptive=self._wanted == "adaptive",
            threshold=settings.number("read_gate_bytes"),
        )

    def make_ready(self, cwd: str) -> None:
        """Load the parsers of the languages that memory knows most of, before a read waits.

        The first outline of a language takes longer than a read waits on a busy machine.
        """
        known = self._store.touched(tuple(self._owners(cwd)), _RECENT)
        paths = [
            path
            for one in known
            for path in (*(mark.path for mark in one.entry.files), *one.files_read)
            if self.is_code(path)
        ]
        by_ending = {PurePath(path).suffix: path for path in paths}
        for ending, _ in Counter(PurePath(path).suffix for path in paths).most_common(_READY):
            self.outline(by_ending[ending], b"\n")

    def answer(self, host: str, body: bytes, wanted: Callable[[], bool]) -> bytes:
        """What the hook prints. Any trouble lets the read through; the log says what it was.

        ``wanted``: false once nobody waits any more. What nobody is told is not kept as decided.
        """
        ask = read_ask(host, body)
        if ask is None:
            return b""
        try:
            verdict = decide(ask, self._rules, self)
            if not wanted():
                return b""
            self._keep(ask, verdict)
        except Exception:
            # Fail open: a read must never fail for its memory.
            log.exception("the gate failed")
            return b""
        return read_answer(verdict)

    def told_all(self, limit: int) -> dict[str, Any]:
        """The newest decisions, and sums over all that are kept."""
        counts = self._store.decision_counts(0)
        return {
            "read_gate": self._wanted,
            "threshold": self._rules.threshold,
            "saved_tokens": sum(one.saved_tokens for one in counts),
            "counts": [asdict(one) for one in counts],
            "decisions": [asdict(one) for one in self._store.decisions(limit)],
        }

    def _keep(self, ask: ReadAsk, verdict: Verdict) -> None:
        if verdict.reason in UNWATCHED:
            return
        owners = self._owners(str(Path(verdict.path).parent))
        if not owners:
            return
        self._store.put_decision(
            Decision(
                host=ask.host,
                session=ask.session,
                project_id=next(iter(owners)),
                path=verdict.path,
                size=verdict.size,
                kind=verdict.kind,
                reason=verdict.reason,
                newest=verdict.newest,
                saved_tokens=verdict.saved_tokens,
                at_ms=self._clock(),
            )
        )

    def roots(self, ask: ReadAsk) -> Sequence[str]:
        """The session's directories and the checkouts they are in, real."""
        known = self._store.session(ask.host, ask.session)
        found: dict[str, None] = {}
        for place in (known.cwd if known else "", ask.cwd):
            if place:
                real = os.path.realpath(place)
                found[checkout_of(real) or real] = None
        return tuple(found)

    def past(self, path: str) -> Sequence[Past]:
        """Observations about the file, newest first."""
        folder, name = os.path.split(path)
        owners = self._owners(folder)
        named = self._store.naming(tuple(owners), name, NEWEST, _MOST_NAMED)
        found = []
        for one in named:
            place = owners[one.entry.project_id]
            paths = [mark.path for mark in one.entry.files] or one.files_read
            if any(place.inside(each, one.entry.cwd) == name for each in paths):
                found.append(self._past(one.entry))
        return found

    def _past(self, entry: Entry) -> Past:
        when = day(local(entry.at_ms, self._zone))
        return Past(entry.id, entry.at_ms, f"[{entry.id}] {when} {one_line(entry.title)}")

    def told(self, ask: ReadAsk, path: str) -> Verdict | None:
        last = self._store.last_told(ask.host, ask.session, path)
        if last is None:
            return None
        kind: Kind = "block" if last.kind == "block" else "context"
        return Verdict(kind, last.reason, path=path, size=last.size, newest=last.newest)

    def context_tokens(self, ask: ReadAsk) -> int:
        """By the usage of the last reply in the transcript: all that was sent for it."""
        try:
            with Path(ask.transcript).open("rb") as file:
                file.seek(0, os.SEEK_END)
                file.seek(max(0, file.tell() - _TAIL_BYTES))
                lines = file.read().splitlines()
        except OSError:
            return 0
        for line in reversed(lines):
            if b'"usage"' in line and (tokens := _sent(line)):
                return tokens
        return 0


def _sent(line: bytes) -> int:
    try:
        usage = json.loads(line)["message"]["usage"]
        keys = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        return sum(int(usage.get(key) or 0) for key in keys)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return 0  # cut off where the tail begins, or not a reply
