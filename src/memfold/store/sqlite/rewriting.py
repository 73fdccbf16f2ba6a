"""Observations said anew over stored evidence, on SQLite: the row stays, its words change."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from memfold.records import Draft, Prompt, Reply, ToolUse, Turn
from memfold.store.ports import Known, Rewrite
from memfold.store.sqlite import full_text, rows
from memfold.store.sqlite.base import Base
from memfold.store.sqlite.evidence import session_of
from memfold.store.sqlite.observer import SQL as OBSERVER
from memfold.store.sqlite.observer import link, store_draft, words_of
from memfold.store.sqlite.queries import named

SQL = named("model")
FORGETTING = named("forgetting")


class RewritingPart(Base):
    """Implements ports.Rewriting."""

    def whole_turn(self, turn_id: int) -> Turn | None:
        found = self._read(SQL["turn"], (turn_id,))
        if not found:
            return None
        owner, began = found[0]
        prompts = self._read(OBSERVER["prompts"], (owner,))
        own = [Prompt(*row[:5]) for row in prompts if row[5] == turn_id]
        before = own[0].number if own else len(prompts) + 1
        steps: list[ToolUse | Reply] = [
            Reply(*row) for row in self._read(OBSERVER["replies"], (turn_id,))
        ]
        sql = SQL["tool_uses"].format(columns=rows.TOOL_USE)
        steps += [rows.tool_use(row) for row in self._read(sql, (turn_id,))]
        steps.sort(key=lambda step: (step.at_ms, isinstance(step, ToolUse), step.id))
        earlier = {
            path: None
            for read, _, *when in self._read(OBSERVER["files"], (owner,))
            if when < [began, turn_id]
            for path in json.loads(read)
        }
        return Turn(
            id=turn_id,
            session=session_of(self._read(OBSERVER["session"], (owner,))[0]),
            prompt=own[0] if own else None,
            earlier_prompts=tuple(Prompt(*row[:5]) for row in prompts if row[2] < before),
            steps=tuple(steps),
            earlier_files=tuple(earlier),
        )

    def known_of(self, turn: Turn) -> tuple[Known, ...]:
        sql = SQL["made_from"].format(columns=rows.OBSERVATION)
        found = []
        for *row, evidence, outside in self._read(sql, {"turn": turn.id}):
            one = rows.observation(row, tuple(json.loads(evidence)))
            found.append(Known(one, bool(outside) or one.seen_count > 1))
        given = {"session": turn.session.id, "turn": turn.id}
        for row in self._read(SQL["said_in"].format(columns=rows.OBSERVATION), given):
            one = rows.observation(row)
            found.append(Known(one, one.seen_count > 1))
        return tuple(found)

    def rewrite(
        self,
        rewrites: Sequence[Rewrite],
        *,
        model_done: bool = False,
        observer: str = "",
        forgettings: int | None = None,
    ) -> tuple[int, ...]:
        def job(db: apsw.Connection) -> tuple[int, ...]:
            ((runs,),) = db.execute(FORGETTING["forgettings"])
            if forgettings is not None and runs != forgettings:
                return ()
            ids: dict[int, None] = {}
            for one in rewrites:
                found = list(db.execute(SQL["turn"], (one.turn_id,)))
                if not found:
                    continue  # private or forgotten meanwhile
                session_id = found[0][0]
                ((project_id,),) = db.execute(
                    "SELECT project_id FROM sessions WHERE id = ?", (session_id,)
                )
                for observation_id, draft in one.changed.items():
                    if _say_anew(db, observation_id, draft):
                        ids[observation_id] = None
                for draft in one.added:
                    ids[store_draft(db, project_id, session_id, draft)] = None
                if model_done:
                    db.execute(SQL["end"], ("done", "", one.turn_id))
                if observer:
                    db.execute(SQL["reobserved"], (one.turn_id, observer))
            return tuple(ids)

        return self._write(job)

    def to_reobserve(
        self,
        since_ms: int,
        project_id: int | None,
        observer: str,
        limit: int,
        after: Turn | None = None,
    ) -> tuple[int, ...]:
        began = -1
        if after is not None:
            found = self._read(SQL["turn"], (after.id,))
            began = found[0][1] if found else -1
        given = {
            "since": since_ms,
            "project": project_id,
            "observer": observer,
            "limit": limit,
            "after_ms": began,
            "after_id": after.id if after is not None else 0,
        }
        return tuple(row[0] for row in self._read(SQL["to_reobserve"], given))

    def count_to_reobserve(self, since_ms: int, project_id: int | None, observer: str) -> int:
        given = {"since": since_ms, "project": project_id, "observer": observer}
        return int(self._read(SQL["count_to_reobserve"], given)[0][0])

    def forget_reobserved(self) -> None:
        self._write(lambda db: db.execute(SQL["forget_reobserved"]) and None)


def _say_anew(db: apsw.Connection, observation_id: int, draft: Draft) -> bool:
    found = list(
        db.execute(
            "SELECT project_id, read_tokens FROM observations WHERE id = ?", (observation_id,)
        )
    )
    if not found:
        return False
    ((project_id, price),) = found
    db.execute(
        SQL["rewrite"],
        (
            *words_of(draft),
            draft.observer,
            draft.read_tokens,
            draft.reason,
            draft.said,
            observation_id,
        ),
    )
    body = full_text.observation_body(draft)
    full_text.put(db, "observation", observation_id, project_id, title=draft.title, body=body)
    db.execute(SQL["reprice"], (draft.read_tokens - price, project_id))
    link(db, observation_id, draft)
    return True
