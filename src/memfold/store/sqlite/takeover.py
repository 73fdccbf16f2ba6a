"""Entries of another memory with their ids as aliases, on SQLite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import apsw
from msgspec.structs import replace

from memfold.records import Draft, Event, Kind, WorkRow
from memfold.store.needs.takeover import OtherKind, OtherSession, TakenOver
from memfold.store.sqlite.base import to_json
from memfold.store.sqlite.evidence import EvidencePart, Ingest, event_hash, text_hash
from memfold.store.sqlite.forgotten import Forgotten
from memfold.store.sqlite.observer import SQL as OBSERVER
from memfold.store.sqlite.observer import insert, put_summary, title_key
from memfold.store.sqlite.queries import named
from memfold.store.sqlite.work import append_row

SQL = named("takeover")


class TakeoverPart(EvidencePart):
    """Implements ports.Takeover."""

    def other_memory(self, fingerprint: str) -> int:
        def job(db: apsw.Connection) -> int:
            db.execute(SQL["new_memory"], (fingerprint,))
            ((memory,),) = db.execute(SQL["memory"], (fingerprint,))
            return int(memory)

        return self._write(job)

    def known_there(self, memory: int, kind: OtherKind, ids: Sequence[int]) -> Collection[int]:
        asked = {"memory": memory, "kind": kind, "ids": to_json(list(ids))}
        return {row[0] for row in self._read(SQL["known"], asked)}

    def take_over(
        self, memory: int, project_id: int, session: OtherSession, *, at_ms: int
    ) -> TakenOver:
        blobs = self._prepared([event for _, event in session.tool_uses])  # outside the writer

        def job(db: apsw.Connection) -> TakenOver:
            run = _Run(db, memory, project_id, session, at_ms)
            run.take(dict(zip((one for one, _ in session.tool_uses), blobs, strict=True)))
            return TakenOver(dict(run.stored), dict(run.known), dict(run.forgotten))

        return self._write(job)

    def take_over_work(
        self, memory: int, project_id: int, rows: Sequence[tuple[int, WorkRow]]
    ) -> TakenOver:
        def job(db: apsw.Connection) -> TakenOver:
            fresh = [one for one in rows if not _is_known(db, memory, "work", one[0])]
            known, gone = len(rows) - len(fresh), 0
            forgotten = Forgotten(db, project_id)
            for other_id, row in fresh:
                if forgotten.spans("", row.session, row.at_ms):
                    gone += 1
                else:
                    append_row(db, project_id, row)
                db.execute(SQL["put"], (memory, "work", other_id, 0))
            if len(fresh) > gone:
                db.execute("UPDATE projects SET version = version + 1 WHERE id = ?", (project_id,))
            return TakenOver({"work": len(fresh) - gone}, {"work": known}, {"work": gone})

        return self._write(job, durable=True)

    def entry_of_alias(self, memory: int, kind: Kind, other_id: int) -> int | None:
        found = self._read(SQL["entry"], (memory, kind, other_id))
        return int(found[0][0]) if found else None


def _is_known(db: apsw.Connection, memory: int, kind: OtherKind, other_id: int) -> bool:
    asked = {"memory": memory, "kind": kind, "ids": to_json([other_id])}
    return bool(list(db.execute(SQL["known"], asked)))


class _Run:
    """One session inside one transaction."""

    def __init__(
        self, db: apsw.Connection, memory: int, project_id: int, session: OtherSession, at_ms: int
    ) -> None:
        self._db = db
        self._memory = memory
        self._session = session
        self._at_ms = at_ms
        began = {
            "host": session.host,
            "session": session.session,
            "project": project_id,
            "at": session.at_ms,
        }
        db.execute(OBSERVER["note_session"], began)
        ((self._session_id, self._project_id),) = db.execute(
            "SELECT id, project_id FROM sessions WHERE host = ? AND host_session = ?",
            (session.host, session.session),
        )
        self._ingest = Ingest(db, self._project_id)
        self.stored: Counter[OtherKind] = Counter()
        self.known: Counter[OtherKind] = Counter()
        self.forgotten: Counter[OtherKind] = Counter()

    def take(self, blobs: dict[int, tuple[str, list[bytes], int]]) -> None:
        for other_id, prompt in self._session.prompts:
            if self._is_new("prompt", other_id) and not self._drops("prompt", other_id, prompt):
                before = self._ingest.result().prompts
                self._ingest.take(prompt, None)
                key = (self._session_id, text_hash(prompt.text), prompt.at_ms)
                found = list(self._db.execute(SQL["prompt"], key))
                stored = self._ingest.result().prompts > before
                self._keep("prompt", other_id, found[0][0] if found else 0, stored=stored)
        for other_id, use in self._session.tool_uses:
            if self._is_new("tool_use", other_id) and not self._drops("tool_use", other_id, use):
                before = self._ingest.result().tool_uses
                self._ingest.take(use, blobs[other_id])
                stored = self._ingest.result().tool_uses > before
                tool_use_id = self._tool_use(use.key)
                if stored:
                    self._db.execute(SQL["settle_tool_use"], (self._at_ms, tool_use_id))
                self._keep("tool_use", other_id, tool_use_id, stored=stored)
        for other_id, draft, keys in self._session.observations:
            if not self._is_new("observation", other_id):
                continue
            if self._was_forgotten(draft.at_ms):
                self._leave_out("observation", other_id)
            else:
                self._observation(other_id, draft, keys)
        self._summary()
        self._db.execute(SQL["settle_turns"], {"at": self._at_ms, "session": self._session_id})

    def _drops(self, kind: OtherKind, other_id: int, event: Event) -> bool:
        if not self._ingest.forgotten.holds(event, event_hash(event)):
            return False
        self._leave_out(kind, other_id)
        return True

    def _was_forgotten(self, at_ms: int) -> bool:
        return self._ingest.forgotten.spans(self._session.host, self._session.session, at_ms)

    def _leave_out(self, kind: OtherKind, other_id: int) -> None:
        """It counts as taken in, so that it is not looked at again."""
        self._db.execute(SQL["put"], (self._memory, kind, other_id, 0))
        self.forgotten[kind] += 1

    def _tool_use(self, key: str) -> int:
        found = list(self._db.execute(SQL["tool_use"], (self._session_id, key)))
        return int(found[0][0]) if found else 0

    def _observation(self, other_id: int, draft: Draft, keys: Sequence[str]) -> None:
        key = (self._project_id, title_key(draft.title), draft.type, draft.narrative)
        same = list(self._db.execute(OBSERVER["same_note"], key))
        if same:
            self._keep("observation", other_id, same[0][0], stored=False)
            return
        evidence = tuple(found for one in keys if (found := self._tool_use(one)))
        linked = replace(draft, evidence=evidence) if evidence else draft
        made = insert(self._db, self._project_id, self._session_id, linked)
        self._keep("observation", other_id, made, stored=True)

    def _summary(self) -> None:
        fresh = [one for one in self._session.summaries if self._is_new("summary", one)]
        summary = self._session.summary
        if not fresh or summary is None:
            return
        if self._was_forgotten(summary.at_ms):
            for other_id in fresh:
                self._leave_out("summary", other_id)
            return
        found = list(self._db.execute(SQL["summary"], (self._session_id,)))
        if found:
            summary_id = int(found[0][0])
        else:
            made = put_summary(self._db, self._project_id, self._session_id, summary)
            summary_id = made.id
        for other_id in fresh:
            self._keep("summary", other_id, summary_id, stored=not found)

    def _is_new(self, kind: OtherKind, other_id: int) -> bool:
        known = _is_known(self._db, self._memory, kind, other_id)
        self.known[kind] += known
        return not known

    def _keep(self, kind: OtherKind, other_id: int, entry_id: int, *, stored: bool) -> None:
        self._db.execute(SQL["put"], (self._memory, kind, other_id, entry_id))
        if stored:
            self.stored[kind] += 1
        else:
            self.known[kind] += 1
