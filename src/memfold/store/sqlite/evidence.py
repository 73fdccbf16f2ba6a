"""Events as they arrive, kept once however often they are sent, on SQLite."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
from msgspec.structs import replace

from memfold import measure
from memfold.records import (
    Event,
    IngestCount,
    PromptGiven,
    ReplyGiven,
    Session,
    SessionEnded,
    ToolUsed,
    TurnEnded,
)
from memfold.store.ports import StoreCount
from memfold.store.sqlite import full_text
from memfold.store.sqlite.base import Base, new_uid, packed, to_json, unpacked
from memfold.store.sqlite.forgotten import Forgotten, place_is_forgotten
from memfold.store.sqlite.queries import named
from memfold.store.sqlite.retention import any_retired, was_retired

SQL = named("evidence")
_FOREVER_MS = 1 << 62  # also the largest number that is taken from a host


class EvidencePart(Base):
    """Implements ports.EvidenceLog."""

    def ingest(self, project_id: int, events: Sequence[Event]) -> IngestCount:
        prepared = [(e, self._prepare(e)) for e in events]  # outside the writer

        def job(db: apsw.Connection) -> IngestCount:
            run = Ingest(db, project_id)
            for event, blobs in prepared:
                run.take(event, blobs)
            return run.result()

        return self._write(job)

    def _prepare(self, event: Event) -> tuple[str, list[bytes], int] | None:
        if not isinstance(event, ToolUsed):
            return None
        response, dropped = _clipped(
            to_json(event.response), self._evidence_max_bytes, event.dropped_bytes
        )
        codec, blobs = packed([to_json(event.input), response])
        return codec, blobs, dropped

    def _prepared(self, uses: Sequence[ToolUsed]) -> list[tuple[str, list[bytes], int]]:
        """Input and response of each as they are stored."""
        return [blobs for one in uses if (blobs := self._prepare(one)) is not None]

    def session(self, host: str, host_session: str) -> Session | None:
        rows = self._read(SQL["session"], (host, host_session))
        return session_of(rows[0]) if rows else None

    def has_tool_use(self, host: str, host_session: str, key: str) -> bool:
        return bool(self._read(SQL["has_tool_use"], (key, host, host_session)))

    def recent_transcripts(self, since_ms: int, limit: int) -> tuple[Session, ...]:
        rows = self._read(SQL["recent_transcripts"], (since_ms, limit))
        return tuple(session_of(row) for row in rows)

    def is_forgotten(
        self, host: str, host_session: str, directories: Sequence[str], at_ms: int
    ) -> bool:
        with self._readers.connection() as db:
            return place_is_forgotten(db, host, host_session, directories, at_ms)

    def import_offset(self, path: str) -> tuple[int, str]:
        rows = self._read(SQL["offset"], (path,))
        return (rows[0][0], rows[0][1]) if rows else (0, "")

    def set_import_offset(self, path: str, offset: int, fingerprint: str) -> None:
        row = (path, offset, fingerprint)
        self._write(lambda db: list(db.execute(SQL["set_offset"], row)))

    def counts(self) -> StoreCount:
        (row,) = self._read(SQL["counts"])
        files = [self._path, Path(f"{self._path}-wal"), Path(f"{self._path}-shm")]
        size = sum(file.stat().st_size for file in files if file.exists())
        return StoreCount(*[*row, dict(self._read(SQL["last_events"])), size])


def session_of(row: Sequence[Any]) -> Session:
    """The ten columns of a session row as a Session."""
    plain = list(row)
    plain[7] = bool(row[7])
    return Session(*plain)


def _clipped(response: str, limit_bytes: int, already: int = 0) -> tuple[str, int]:
    """(JSON text, bytes dropped): a larger one becomes a string whose middle is missing.

    ``already``: what was cut out of that middle before.
    """
    size = measure.utf8_bytes(response)
    if size <= limit_bytes:
        return response, already
    head = measure.cut_utf8(response, limit_bytes * 2 // 3)
    tail = response.encode("utf-8")[-(limit_bytes // 3) :].decode("utf-8", "ignore")
    dropped = size - measure.utf8_bytes(head) - measure.utf8_bytes(tail) + already
    return to_json(f"{head}\n[{dropped} bytes dropped]\n{tail}"), dropped


class Ingest:
    """One run of events inside one transaction."""

    def __init__(self, db: apsw.Connection, project_id: int) -> None:
        self._db = db
        self._project_id = project_id
        self._count: Counter[str] = Counter()
        self._skipped: Counter[str] = Counter()
        self.forgotten = Forgotten(db, project_id)

    def result(self) -> IngestCount:
        count = self._count
        return IngestCount(
            count["prompts"],
            count["tool_uses"],
            count["replies"],
            count["known"],
            {reason: number for reason, number in self._skipped.items() if number},
        )

    def take(self, event: Event, blobs: tuple[str, list[bytes], int] | None) -> None:
        event = _encodable(event)
        if self.forgotten.holds(event, event_hash(event)):
            self._skipped["forgotten"] += isinstance(event, ToolUsed)
            return
        session_id, project_id = self._touch(event)
        if isinstance(event, PromptGiven):
            self._prompt(event, session_id, project_id)
        elif isinstance(event, ReplyGiven):
            self._reply(event, session_id)
        elif isinstance(event, ToolUsed) and blobs is not None:
            self._tool_use(event, session_id, blobs)
        elif isinstance(event, TurnEnded) and not event.agent:
            turn_id, _ = self._turn_at(session_id, event.at_ms)
            self._db.execute(SQL["end_turn"], {"at": event.at_ms, "turn": turn_id})
        elif isinstance(event, SessionEnded):
            self._db.execute(SQL["end_session"], (event.at_ms, session_id))

    def _touch(self, event: Event) -> tuple[int, int]:
        row = {
            "host": event.host,
            "session": event.session,
            "project": self._project_id,
            "cwd": event.cwd,
            "branch": event.branch,
            "transcript": event.transcript,
            "at": event.at_ms,
            "main": not event.agent,
        }
        ((session_id, project_id),) = self._db.execute(SQL["touch_session"], row)
        return session_id, project_id

    def _turn_at(self, session_id: int, at_ms: int) -> tuple[int, bool]:
        """(id, whether private) of the turn of that moment; made where no prompt came before."""
        rows = list(self._db.execute(SQL["turn_at"], (session_id, at_ms)))
        if rows:
            return rows[0][0], bool(rows[0][1])
        span = {"session": session_id, "at": at_ms}
        widened = list(self._db.execute(SQL["widen_first_turn"], span))
        if widened:
            return widened[0][0], False
        self._db.execute(SQL["new_turn"], (session_id, at_ms, at_ms, 0))
        return self._db.last_insert_rowid(), False

    def _prompt(self, event: PromptGiven, session_id: int, project_id: int) -> None:
        text = "" if event.private else _storable(event.text)
        key = {
            "session": session_id,
            "hash": text_hash(text),
            "key": event.prompt_key,
            "at": event.at_ms,
        }
        known = list(self._db.execute(SQL["known_prompt"], key))
        if not known and event.prompt_key:
            known = list(self._db.execute(SQL["known_key"], key))
        if known:
            self._count["known"] += 1
            if event.prompt_key and not known[0][1]:
                self._db.execute(
                    "UPDATE prompts SET prompt_key = ? WHERE id = ?",
                    (event.prompt_key, known[0][0]),
                )
            return
        span = self._begin_turn(session_id, event)
        turn_id = span["turn"]
        self._db.execute(
            SQL["new_prompt"],
            (
                new_uid(event.at_ms),
                project_id,
                session_id,
                turn_id,
                event.prompt_key,
                key["hash"],
                text,
                int(event.private),
                measure.tokens(text),
                event.at_ms,
            ),
        )
        prompt_id = self._db.last_insert_rowid()
        self._count["prompts"] += 1
        if event.private:
            self._forget(span, project_id)
        else:
            full_text.put_prompt(self._db, prompt_id, project_id, text)
        self._db.execute("UPDATE projects SET version = version + 1 WHERE id = ?", (project_id,))

    def _forget(self, span: dict[str, int], project_id: int) -> None:
        """Remove what a turn held before its prompt, a private one, was heard of."""
        self._db.execute(SQL["unlink_private"], (span["turn"],))
        self._db.execute(SQL["drop_private_tool_uses"], (span["turn"],))
        dropped = self._db.changes()
        self._skipped["private"] += dropped
        self._db.execute(SQL["drop_private_replies"], (span["turn"],))
        dropped += self._db.changes()
        self._db.execute("UPDATE turns SET looked_at_ms = 0 WHERE id = ?", (span["turn"],))
        if not dropped and not any_retired(self._db, span["session"]):
            return  # nothing was learned in it
        taught = list(self._db.execute(SQL["taught_by_private"], span))
        for observation_id, *prices in taught:
            full_text.drop(self._db, "observation", observation_id)
            self._db.execute(SQL["forget_observation"], (observation_id,))
            self._db.execute(SQL["subtract_totals"], (*prices, project_id))
        if not dropped and not taught:
            return  # the summary cannot tell of it
        self._db.execute(SQL["forget_given"])
        for (summary_id,) in list(self._db.execute(SQL["forget_summary"], (span["session"],))):
            full_text.drop(self._db, "summary", summary_id)

    def _begin_turn(self, session_id: int, event: PromptGiven) -> dict[str, int]:
        """A new turn with all that happened in it so far: its id and its span of time."""
        self._db.execute(
            SQL["new_turn"], (session_id, event.at_ms, event.at_ms, int(event.private))
        )
        turn_id = self._db.last_insert_rowid()
        ((until,),) = self._db.execute(SQL["next_turn_start"], (session_id, event.at_ms, turn_id))
        span = {
            "turn": turn_id,
            "session": session_id,
            "from": event.at_ms,
            "until": _FOREVER_MS if until is None else until,
        }
        for step in ("move_tool_uses", "move_replies", "settle_turn"):
            self._db.execute(SQL[step], span)
        self._db.execute(SQL["drop_empty_turns"], (session_id, turn_id))
        return span

    def _reply(self, event: ReplyGiven, session_id: int) -> None:
        turn_id, private = self._turn_at(session_id, event.at_ms)
        if private:
            return
        self._db.execute(
            SQL["new_reply"],
            (
                session_id,
                turn_id,
                event.agent,
                text_hash(event.text),
                _storable(event.text),
                event.at_ms,
            ),
        )
        if self._db.changes():
            self._count["replies"] += 1
            said = {"at": event.at_ms, "turn": turn_id, "said": True}
            self._db.execute(SQL["touch_turn"], said)
        else:
            self._count["known"] += 1

    def _tool_use(
        self, event: ToolUsed, session_id: int, blobs: tuple[str, list[bytes], int]
    ) -> None:
        known = list(self._db.execute(SQL["known_tool_use"], (session_id, event.key)))
        if known:
            self._count["known"] += 1
            self._complete(event, known[0], blobs)
            return
        if was_retired(self._db, session_id, event.key):
            self._count["known"] += 1
            return
        turn_id, private = self._turn_at(session_id, event.at_ms)
        if private:
            self._skipped["private"] += 1
            return
        codec, (given, response), dropped = blobs
        self._db.execute(
            SQL["new_tool_use"],
            (
                new_uid(event.at_ms),
                session_id,
                turn_id,
                event.key,
                event.tool,
                codec,
                given,
                response,
                dropped,
                int(event.ok),
                event.duration_ms,
                event.cwd,
                event.agent,
                event.agent_type,
                to_json(event.files_read),
                to_json(event.files_changed),
                event.work_tokens,
                event.at_ms,
            ),
        )
        self._count["tool_uses"] += 1
        self._db.execute(SQL["touch_turn"], {"at": event.at_ms, "turn": turn_id, "said": False})

    def _complete(
        self, event: ToolUsed, row: Sequence[Any], blobs: tuple[str, list[bytes], int]
    ) -> None:
        """Add to a known tool use what only this way in tells of it."""
        tool_use_id = row[0]
        if event.response is not None and _has_no_result(row):
            codec, (given, response), dropped = blobs
            changed = to_json(event.files_changed)
            self._db.execute(
                SQL["answer_tool_use"],
                (codec, given, response, dropped, int(event.ok), changed, event.at_ms, tool_use_id),
            )
        told = {
            "id": tool_use_id,
            "tokens": event.work_tokens,
            "duration": event.duration_ms,
            "agent_type": event.agent_type,
        }
        self._db.execute(SQL["complete_tool_use"], told)


def _has_no_result(row: Sequence[Any]) -> bool:
    """Whether a stored tool use is a call that nothing came back from."""
    _, ok, codec, response = row
    return not ok and response is not None and unpacked(codec, response) is None


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _encodable(event: Event) -> Event:
    """The event with what the database cannot carry replaced: lone surrogates, huge numbers."""
    broken: dict[str, Any] = {}
    for name in event.__struct_fields__:
        value = getattr(event, name)
        if isinstance(value, str) and not _is_storable(value):
            broken[name] = _storable(value)
        elif isinstance(value, int) and abs(value) >= _FOREVER_MS:
            broken[name] = _FOREVER_MS - 1 if value > 0 else 1 - _FOREVER_MS
    return replace(event, **broken) if broken else event


def _is_storable(text: str) -> bool:
    return text.isascii() or _storable(text) == text


def event_hash(event: Event) -> bytes:
    if isinstance(event, PromptGiven):
        return text_hash("" if event.private else _storable(event.text))
    return text_hash(event.text) if isinstance(event, ReplyGiven) else b""


def text_hash(text: str) -> bytes:
    """By which a prompt or reply is known again."""
    folded = " ".join(text.split())
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).digest()[:16]
