"""The way in: a hook's payload or a transcript becomes scrubbed events in the evidence log."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memfold.capture import claude_code
from memfold.capture.identity import ProjectFinder
from memfold.capture.scrub import scrub
from memfold.capture.transcripts.find import reader_of
from memfold.capture.transcripts.lines import Reading
from memfold.errors import BadPayload
from memfold.records import (
    Compacted,
    Event,
    Project,
    SessionEnded,
    SessionStarted,
    ToolUsed,
    TurnEnded,
)
from memfold.settings import Settings
from memfold.store.ports import EvidenceLog

log = logging.getLogger(__name__)
_AT_ONCE = 500  # events of one transaction
_FINGERPRINT_BYTES = 4_096
_ADAPTERS: dict[str, Callable[[Any, int], tuple[Event, ...]]] = {
    claude_code.HOST: claude_code.events_from_hook
}


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
    skipped: Counter[str] = field(default_factory=Counter)  # reason -> tool uses


class Intake:
    """Both ways in share scrubbing, exclusions and projects."""

    def __init__(self, finder: ProjectFinder, evidence: EvidenceLog, settings: Settings) -> None:
        self._finder = finder
        self._log = evidence
        self._max_chars = settings.number("evidence_max_bytes")
        self._projects = settings.names("excluded_projects")
        self._tools = settings.names("excluded_tools")
        self._paths = settings.names("excluded_paths")

    def take_hook(self, host: str, body: bytes, at_ms: int) -> Taken:
        """Store what a payload reports; returns after the commit. Raises BadPayload, StoreError."""
        adapter = _ADAPTERS.get(host)
        if adapter is None:
            raise BadPayload(f"There is no adapter for the host {host[:40]!r}.")
        try:
            payload = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise BadPayload("A hook's payload is not JSON.") from error
        if not isinstance(payload, dict):
            raise BadPayload("A hook's payload is not a JSON object.")
        events = adapter(payload, at_ms)
        if not events:
            return Taken(host)
        first = events[0]
        cwd = first.cwd
        kept, _ = self._kept(events)
        started = isinstance(first, SessionStarted)
        project = None
        if cwd and not _matches(cwd, self._projects):
            project = self._finder.project_for(cwd, fresh=started)
            session = self._log.session(host, first.session)
            # A session stays with the project it started in, wherever the agent goes.
            self._log.ingest(session.project_id if session else project.id, kept)
        return Taken(
            host=host,
            session=first.session,
            cwd=cwd,
            project=project,
            events=kept,
            transcript=first.transcript,
            wants_context=started,
            source=first.source if isinstance(first, SessionStarted) else "",
            ends_turn=any(isinstance(e, (TurnEnded, SessionEnded, Compacted)) for e in events)
            or started,
        )

    def take_transcript(self, host: str, path: Path, *, from_offset: bool) -> TranscriptCount:
        """Store what a session file holds; what is known already is not stored twice.

        ``from_offset``: go on where the last reading stopped, and leave a line that is still
        being written for next time.
        """
        count = TranscriptCount()
        start, known = self._log.import_offset(str(path)) if from_offset else (0, "")
        fingerprint = _fingerprint(path)
        if start and (known != fingerprint or path.stat().st_size < start):
            start = 0  # another file under this name
        reading = Reading()
        events = reader_of(host)(path, start, reading, whole=not from_offset)
        chunk: list[Event] = []
        for event in events:
            chunk.append(event)
            if len(chunk) >= _AT_ONCE:
                self._take(chunk, count)
                chunk = []
        self._take(chunk, count)
        count.tool_uses_seen = reading.tool_uses
        count.bad_lines = reading.bad_lines
        count.skipped.update(reading.skipped)
        self._log.set_import_offset(str(path), reading.offset, fingerprint)
        return count

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
        self, events: Iterable[Event], count: TranscriptCount
    ) -> list[tuple[int, list[Event]]]:
        runs: dict[tuple[str, str], tuple[int, list[Event]]] = {}
        for event in events:
            key = (event.host, event.session)
            if key not in runs:
                session = self._log.session(*key)
                if session is None and _matches(event.cwd, self._projects):
                    if isinstance(event, ToolUsed):
                        count.skipped["excluded project"] += 1
                    continue
                project_id = (
                    session.project_id if session else self._finder.project_for(event.cwd or "/").id
                )
                runs[key] = (project_id, [])
            runs[key][1].append(event)
        return list(runs.values())

    def _kept(self, events: Iterable[Event]) -> tuple[tuple[Event, ...], Counter[str]]:
        """Events as they may be stored, and tool uses left out by reason."""
        kept: list[Event] = []
        skipped: Counter[str] = Counter()
        for event in events:
            if isinstance(event, ToolUsed) and (reason := self._excluded(event)):
                skipped[reason] += 1
                continue
            kept.append(scrub(event, self._max_chars)[0])
        return tuple(kept), skipped

    def _excluded(self, event: ToolUsed) -> str:
        if _matches(event.tool, self._tools):
            return "excluded tool"
        files = (*event.files_read, *event.files_changed)
        if self._paths and any(_matches(path, self._paths) for path in files):
            return "excluded path"
        return ""


def _matches(text: str, globs: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(text, glob) for glob in globs)


def _fingerprint(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.sha256(file.readline(_FINGERPRINT_BYTES)).hexdigest()[:32]
