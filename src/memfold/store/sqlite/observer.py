"""The observer's work as a query over what is stored, on SQLite."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from memfold.errors import NotFound
from memfold.records import (
    Digest,
    Draft,
    Observation,
    Prompt,
    Reply,
    Summary,
    SummaryDraft,
    ToolUse,
    Turn,
)
from memfold.store.sqlite import full_text, rows
from memfold.store.sqlite.base import Base, new_uid, to_json
from memfold.store.sqlite.evidence import session_of
from memfold.store.sqlite.queries import named

SQL = named("observer")
RETENTION = named("retention")


class ObserverPart(Base):
    """Implements ports.ObserverDesk."""

    def next_turn(self, *, idle_before_ms: int, session_id: int | None = None) -> Turn | None:
        found = self._read(SQL["next_turn"], {"session": session_id, "idle_before": idle_before_ms})
        if not found:
            return None
        turn_id, owner, began = found[0]
        session = session_of(self._read(SQL["session"], (owner,))[0])
        prompts = self._read(SQL["prompts"], (owner,))
        own = [Prompt(*row[:5]) for row in prompts if row[5] == turn_id]
        before = own[0].number if own else len(prompts) + 1
        steps: list[ToolUse | Reply] = [Reply(*r) for r in self._read(SQL["replies"], (turn_id,))]
        steps += [
            rows.tool_use(row)
            for row in self._read(SQL["tool_uses"].format(columns=rows.TOOL_USE), (turn_id,))
        ]
        # A reply and the tool call it announces may share a millisecond: words come first.
        steps.sort(key=lambda step: (step.at_ms, isinstance(step, ToolUse), step.id))
        earlier = {
            path: None
            for read, _, *when in self._read(SQL["files"], (owner,))
            if when < [began, turn_id]
            for path in json.loads(read)
        }
        return Turn(
            id=turn_id,
            session=session,
            prompt=own[0] if own else None,
            earlier_prompts=tuple(Prompt(*r[:5]) for r in prompts if r[2] < before),
            steps=tuple(steps),
            earlier_files=tuple(earlier),
        )

    def record(
        self,
        turn: Turn,
        drafts: Sequence[Draft],
        *,
        at_ms: int,
        taken_back: Sequence[Sequence[int]] = (),
    ) -> tuple[Observation, ...]:
        def job(db: apsw.Connection) -> list[int]:
            ((project_id,),) = db.execute(
                "SELECT project_id FROM sessions WHERE id = ?", (turn.session.id,)
            )
            used = [step.id for step in turn.steps if isinstance(step, ToolUse)]
            said = [step.id for step in turn.steps if isinstance(step, Reply)]
            steps = {"used": to_json(used), "said": to_json(said)}
            left = list(db.execute(SQL["still_there"], steps))
            if turn.steps and not left:
                return []  # a private prompt was heard of meanwhile
            kept = {step_id for step_id, kind in left if kind == "tool_use"}
            gone = set(used) - kept
            ids = {
                at: store_draft(db, project_id, turn.session.id, draft)
                for at, draft in enumerate(drafts)
                if not draft.evidence or set(draft.evidence) - gone
            }
            for at, undone in enumerate(taken_back):
                for older in set(undone) - set(ids.values()) if at in ids else ():
                    if (older, project_id) in db.execute(SQL["owners"], (older, older)):
                        overtake(db, project_id, older, ids[at])
            for tool_use_id in kept:
                db.execute(SQL["mark_tool_use"], (at_ms, tool_use_id))
            db.execute(SQL["mark_turn"], {"at": at_ms, "turn": turn.id, "said": steps["said"]})
            return [*ids.values()]

        ids = dict.fromkeys(self._write(job))
        sql = SQL["by_id"].format(columns=rows.OBSERVATION)
        return tuple(rows.observation(row) for i in ids for row in self._read(sql, (i,)))

    def _observations_of(self, session_id: int) -> list[Observation]:
        sql = SQL["of_session"].format(columns=rows.OBSERVATION)
        return [rows.observation(row) for row in self._read(sql, (session_id,))]

    def digest(self, session_id: int) -> Digest:
        found = self._read(SQL["session"], (session_id,))
        if not found:
            raise NotFound(f"There is no session {session_id}.")
        observed = tuple(self._observations_of(session_id))
        files = self._read(SQL["files"], (session_id,))
        read: dict[str, None] = {}
        changed: dict[str, None] = {}
        if self._read(RETENTION["any_retired"], (session_id,)):
            # Those of retired tool uses are known from what was learned from them alone.
            read = {path: None for one in observed for path in one.draft.files_read}
            changed = {mark.path: None for one in observed for mark in one.draft.files_changed}
        return Digest(
            session=session_of(found[0]),
            prompts=tuple(Prompt(*r[:5]) for r in self._read(SQL["prompts"], (session_id,))),
            observations=observed,
            replies=tuple(Reply(*r) for r in self._read(SQL["last_replies"], (session_id,))),
            files_read=tuple(read | {p: None for row in files for p in json.loads(row[0])}),
            files_changed=tuple(changed | {p: None for row in files for p in json.loads(row[1])}),
        )

    def put_summary(self, session_id: int, draft: SummaryDraft) -> Summary:
        def job(db: apsw.Connection) -> Summary:
            ((project_id,),) = db.execute(
                "SELECT project_id FROM sessions WHERE id = ?", (session_id,)
            )
            return put_summary(db, project_id, session_id, draft)

        return self._write(job)

    def sessions_to_summarise(self) -> tuple[int, ...]:
        return tuple(row[0] for row in self._read(SQL["sessions_to_summarise"]))

    def note(self, project_id: int, host: str, session: str, draft: Draft) -> Observation:
        def job(db: apsw.Connection) -> int:
            began = {"host": host, "session": session, "project": project_id, "at": draft.at_ms}
            db.execute(SQL["note_session"], began)
            ((session_id,),) = db.execute(SQL["note_session_id"], (host, session))
            key = (project_id, title_key(draft.title), draft.type, draft.narrative)
            known = list(db.execute(SQL["same_note"], key))
            if not known:
                return insert(db, project_id, session_id, draft)
            db.execute(SQL["strengthen"], {"id": known[0][0], "at": draft.at_ms})
            db.execute("UPDATE projects SET version = version + 1 WHERE id = ?", (project_id,))
            return int(known[0][0])

        (row,) = self._read(
            SQL["by_id"].format(columns=rows.OBSERVATION), (self._write(job, durable=True),)
        )
        return rows.observation(row)

    def supersede(self, older_id: int, newer_id: int) -> bool:
        def job(db: apsw.Connection) -> bool:
            owners = dict(db.execute(SQL["owners"], (older_id, newer_id)))
            if len(owners) != 2 or len(set(owners.values())) != 1:
                raise NotFound(
                    f"{older_id} and {newer_id} are not two observations of one project."
                )
            return overtake(db, owners[older_id], older_id, newer_id)

        return self._write(job)

    def existing_titles(self, project_id: int, limit: int) -> tuple[str, ...]:
        return tuple(row[0] for row in self._read(SQL["titles"], (project_id, limit)))


def put_summary(
    db: apsw.Connection, project_id: int, session_id: int, draft: SummaryDraft
) -> Summary:
    """A session's one summary, made or updated, inside a transaction."""
    ((summary_id, uid),) = db.execute(
        SQL["put_summary"],
        (
            new_uid(draft.at_ms),
            project_id,
            session_id,
            draft.request,
            draft.investigated,
            draft.learned,
            draft.completed,
            draft.next_steps,
            to_json(draft.files),
            draft.read_tokens,
            draft.at_ms,
        ),
    )
    body = full_text.summary_body(draft)
    full_text.put(db, "summary", summary_id, project_id, title=draft.request, body=body)
    db.execute("UPDATE projects SET version = version + 1 WHERE id = ?", (project_id,))
    return Summary(summary_id, uid, project_id, session_id, draft, draft.at_ms)


def store_draft(db: apsw.Connection, project_id: int, session_id: int, draft: Draft) -> int:
    """Id of the observation that now holds the draft."""
    same = list(db.execute(SQL["same_title"], (project_id, title_key(draft.title), draft.type)))
    if same:
        observation_id, owner, seen_at_ms = same[0]
        new = link(db, observation_id, draft)
        # A turn that is looked at again, for what came late, must not count its facts again.
        if new or owner != session_id or draft.at_ms > seen_at_ms:
            db.execute(SQL["strengthen"], {"id": observation_id, "at": draft.at_ms})
            db.execute("UPDATE projects SET version = version + 1 WHERE id = ?", (project_id,))
        return int(observation_id)
    return insert(db, project_id, session_id, draft)


def insert(db: apsw.Connection, project_id: int, session_id: int, draft: Draft) -> int:
    """A new observation inside a transaction: its id. Indexed, counted, linked to its evidence."""
    db.execute(
        SQL["insert"],
        (
            new_uid(draft.at_ms),
            project_id,
            session_id,
            *words_of(draft),
            draft.agent,
            draft.observer,
            draft.read_tokens,
            draft.work_tokens,
            draft.at_ms,
            draft.at_ms,
            draft.reason,
            draft.said,
        ),
    )
    observation_id = db.last_insert_rowid()
    body = full_text.observation_body(draft)
    full_text.put(db, "observation", observation_id, project_id, title=draft.title, body=body)
    db.execute(SQL["add_totals"], (draft.read_tokens, draft.work_tokens, project_id))
    link(db, observation_id, draft)
    return observation_id


def words_of(draft: Draft) -> tuple[str, ...]:
    """What an observation says, from its type to its files, in the order of the columns."""
    return (
        draft.type,
        draft.title,
        title_key(draft.title),
        draft.subtitle,
        draft.narrative,
        to_json(draft.facts),
        to_json(draft.concepts),
        to_json(draft.files_read),
        to_json([[mark.path, mark.sha256] for mark in draft.files_changed]),
    )


def overtake(db: apsw.Connection, project_id: int, older_id: int, newer_id: int) -> bool:
    """Mark one of a project's observations as superseded by another; whether that is new."""
    if (older_id,) in db.execute(SQL["overtaken_by"], (newer_id,)):
        return False  # else each would name the other
    db.execute(SQL["supersede"], {"older": older_id, "newer": newer_id})
    changed = db.changes() > 0
    if changed:
        db.execute("UPDATE projects SET version = version + 1 WHERE id = ?", (project_id,))
    return changed


def title_key(title: str) -> str:
    """A title as it is recognised again."""
    return " ".join(title.casefold().split())


def link(db: apsw.Connection, observation_id: int, draft: Draft) -> int:
    """How many tool uses it was not yet linked to."""
    new = 0
    for tool_use_id in dict.fromkeys(draft.evidence):
        db.execute(SQL["link"], (observation_id, tool_use_id))
        new += db.changes()
    db.execute(SQL["count_evidence"], (new, observation_id))
    return new
