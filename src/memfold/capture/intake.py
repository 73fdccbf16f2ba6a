"""The way in: a hook's payload or a transcript becomes scrubbed events in the evidence log."""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from memfold.capture.adapters import KEYED_BY_CONTENT, events_from, hooks_key
from memfold.capture.checkout import parents
from memfold.capture.exclusions import Exclusions
from memfold.capture.identity import ProjectFinder
from memfold.capture.probes import nonce_in
from memfold.capture.scrub import scrub
from memfold.capture.transcripts.find import READERS, is_rewritten, reader_of
from memfold.capture.transcripts.lines import Reading
from memfold.records import (
    Compacted,
    Event,
    Project,
    Session,
    SessionEnded,
    SessionStarted,
    ToolUsed,
    TurnEnded,
)
from memfold.settings import Settings
from memfold.store.ports import EvidenceLog, ProbeShelf

log = logging.getLogger(__name__)
_AT_ONCE = 500  # events of one transaction
_AT_ONCE_BYTES = 4 * 1024 * 1024  # of a file, read for one transaction
_FINGERPRINT_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class Taken:
    """What one hook brought."""

    host: str
    session: str = ""
    cwd: str = ""
    project: Project | None = None  # None where nothing is kept
    events: tuple[Event, ...] = ()
    transcript: str = ""
    wants_context: bool = False  # a session starts
    source: str = ""  # of a start: startup, resume, clear, compact, fork
    ends_turn: bool = False  # a moment to read the transcript and to observe


@dataclass(slots=True)
class TranscriptCount:
    """What taking in one transcript added."""

    prompts: int = 0
    replies: int = 0
    tool_uses_seen: int = 0
    tool_uses_stored: int = 0
    tool_uses_known: int = 0
    bad_lines: int = 0
    unreadable: int = 0  # files
    placed: int = 0  # files whose session names no directory
    skipped: Counter[str] = field(default_factory=Counter)  # reason -> tool uses


class Kept(EvidenceLog, ProbeShelf, Protocol):
    """Where what comes in is kept."""


class Intake:
    """Both ways in share scrubbing, exclusions and projects."""

    def __init__(self, finder: ProjectFinder, evidence: Kept, settings: Settings) -> None:
        self._finder = finder
        self._log = evidence
        self._max_chars = settings.number("evidence_max_bytes")
        self._excluded = Exclusions(settings)

    def take_hook(self, host: str, body: bytes, at_ms: int) -> Taken:
        """Store what a payload reports; returns after the commit. Raises BadPayload, StoreError."""
        if nonce := nonce_in(body):
            self._log.put_probe(nonce, host, at_ms=at_ms)
            return Taken(host)
        host, events = events_from(host, body, at_ms)
        if not events:
            return Taken(host)
        first = events[0]
        started = isinstance(first, SessionStarted)
        session = self._log.session(first.host, first.session)
        project = self._project(first, session, fresh=started)
        kept: tuple[Event, ...] = ()
        if project is not None:
            kept, _ = self._kept(events)
            self._log.ingest(session.project_id if session else project.id, kept)
        return Taken(
            host=first.host,
            session=first.session,
            cwd=first.cwd,
            project=project,
            events=kept,
            transcript=first.transcript if first.host in READERS else "",
            wants_context=started,
            source=first.source if isinstance(first, SessionStarted) else "",
            ends_turn=started
            or any(isinstance(e, (TurnEnded, SessionEnded, Compacted)) for e in events),
        )

    def _project(self, event: Event, session: Session | None, *, fresh: bool) -> Project | None:
        """Where the event belongs; None where nothing may be kept.

        A session stays with the project it started in, wherever the agent goes.
        """
        began = session.cwd if session else ""
        directory = event.cwd if fresh or not began else began
        if not directory or self._excluded.directory(event.cwd, began):
            return None
        return self._finder.project_for(directory, fresh=fresh)

    def take_transcript(self, host: str, path: Path, *, from_offset: bool) -> TranscriptCount:
        """Store what a session file holds; what is known already is not stored twice.

        ``from_offset``: go on where the last reading stopped, leave a line that is still being
        written for next time, and take the files of the session's subagents too. A file that
        cannot be read is counted, so that one does not hold up a thousand others.
        """
        count = TranscriptCount()
        files = [path, *_subagents(path)] if from_offset else [path]
        for file in files:
            try:
                self._take_file(host, file, count, from_offset=from_offset)
            except OSError as error:
                log.warning("%s cannot be read: %s", file.name, error.strerror)
                count.unreadable += 1
        return count

    def is_behind(self, path: Path) -> bool:
        """Whether a transcript holds more than was taken from it; False where it is not there."""
        try:
            return path.stat().st_size != self._log.import_offset(str(path))[0]
        except OSError:
            return False

    def _take_file(
        self, host: str, path: Path, count: TranscriptCount, *, from_offset: bool
    ) -> None:
        goes_on = from_offset and not is_rewritten(host, path)
        start, known = self._log.import_offset(str(path)) if goes_on else (0, "")
        fingerprint = _fingerprint(path)
        size = path.stat().st_size
        if start and (known != fingerprint or size < start):
            start = 0  # another file under this name
        if start == size and goes_on:
            return
        reading = Reading()
        chunk: list[Event] = []
        taken_bytes = start
        for event in reader_of(host)(path, start, reading, whole=not from_offset):
            chunk.append(self._as_captured(event))
            if len(chunk) >= _AT_ONCE or reading.offset - taken_bytes > _AT_ONCE_BYTES:
                self._take(chunk, count)
                chunk = []
                taken_bytes = reading.offset
        self._take(chunk, count)
        count.tool_uses_seen += reading.tool_uses
        count.bad_lines += reading.bad_lines
        count.placed += reading.placed
        count.skipped.update(reading.skipped)
        self._log.set_import_offset(str(path), reading.offset, fingerprint)

    def _as_captured(self, event: Event) -> Event:
        """A call that a hook reported without an id is told under the key it was stored by."""
        if isinstance(event, ToolUsed) and event.host in KEYED_BY_CONTENT:
            key = hooks_key(event)
            if self._log.has_tool_use(event.host, event.session, key):
                return replace(event, key=key)
        return event

    def _take(self, events: Sequence[Event], count: TranscriptCount) -> None:
        kept, skipped = self._kept(events)
        count.skipped.update(skipped)
        for project_id, run in self._by_project(kept, count):
            added = self._log.ingest(project_id, run)
            uses = sum(isinstance(event, ToolUsed) for event in run)
            count.prompts += added.prompts
            count.replies += added.replies
            count.tool_uses_stored += added.tool_uses
            left_out = sum(added.skipped.values())
            count.tool_uses_known += uses - added.tool_uses - left_out
            count.skipped.update(added.skipped)

    def _by_project(
        self, events: Sequence[Event], count: TranscriptCount
    ) -> list[tuple[int, list[Event]]]:
        """Runs of one session each, with their project; what may not be kept is counted."""
        runs: dict[tuple[str, str], tuple[int, list[Event]]] = {}
        # Where each began, its project, whether it was forgotten.
        sessions: dict[tuple[str, str], tuple[str, int, bool]] = {}
        for event in events:
            key = (event.host, event.session)
            if key not in sessions:
                known = self._log.session(*key)
                began = known.cwd if known and known.cwd else _first_cwd(events, key)
                # Before a project is made for it, which would bring its name back.
                gone = known is None and bool(began) and self._is_forgotten(events, key, began)
                sessions[key] = (began, known.project_id if known else 0, gone)
            began, project_id, gone = sessions[key]
            if not began or self._excluded.directory(event.cwd, began):
                if isinstance(event, ToolUsed):
                    count.skipped["excluded project" if began else "no directory"] += 1
                continue
            if gone:
                if isinstance(event, ToolUsed):
                    count.skipped["forgotten"] += 1
                continue
            if key not in runs:
                runs[key] = (project_id or self._finder.project_for(began).id, [])
            runs[key][1].append(event)
        return list(runs.values())

    def _is_forgotten(self, events: Sequence[Event], key: tuple[str, str], began: str) -> bool:
        newest_ms = max(e.at_ms for e in events if (e.host, e.session) == key)
        return self._log.is_forgotten(*key, (began, *parents(began)), newest_ms)

    def _kept(self, events: Iterable[Event]) -> tuple[tuple[Event, ...], Counter[str]]:
        """Events as they may be stored, and tool uses left out by reason."""
        kept: list[Event] = []
        skipped: Counter[str] = Counter()
        for event in events:
            if isinstance(event, ToolUsed) and (reason := self._excluded.reason(event)):
                skipped[reason] += 1
                continue
            kept.append(scrub(event, self._max_chars)[0])
        return tuple(kept), skipped


def _first_cwd(events: Sequence[Event], key: tuple[str, str]) -> str:
    return next((e.cwd for e in events if e.cwd and (e.host, e.session) == key), "")


def _subagents(path: Path) -> list[Path]:
    """Files of a Claude Code session's subagents."""
    folder = path.with_suffix("") / "subagents"
    return sorted(folder.glob("agent-*.jsonl")) if folder.is_dir() else []


def _fingerprint(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.sha256(file.readline(_FINGERPRINT_BYTES)).hexdigest()[:32]
