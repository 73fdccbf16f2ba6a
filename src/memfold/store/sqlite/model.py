"""Work for a model observer and the ledger of its calls, on SQLite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw

from memfold.store.ports import ModelCall, Spent
from memfold.store.sqlite.base import Base
from memfold.store.sqlite.queries import named

SQL = named("model")
STATES = ("waiting", "leased", "done", "failed")


class ModelPart(Base):
    """Implements ports.ModelDesk."""

    def wait_for_model(self, turn_id: int, due_ms: int) -> None:
        self._write(lambda db: db.execute(SQL["wait"], {"turn": turn_id, "due": due_ms}) and None)

    def free_leases(self, now_ms: int, *, every: bool, most_attempts: int) -> None:
        given = {"now": now_ms, "all": every, "most": most_attempts}
        self._write(lambda db: db.execute(SQL["expire"], given) and None)

    def due_for_model(self, now_ms: int, limit: int) -> tuple[int, ...]:
        found = self._read(SQL["due"], {"now": now_ms, "limit": limit})
        return tuple(row[0] for row in found)

    def next_due_ms(self) -> int | None:
        ((due,),) = self._read(SQL["next_due"])
        return None if due is None else int(due)

    def lease(self, turn_ids: Sequence[int], until_ms: int) -> None:
        rows = [(until_ms, turn_id) for turn_id in turn_ids]
        self._write(lambda db: db.executemany(SQL["lease"], rows) and None, durable=True)

    def postpone(self, turn_ids: Sequence[int], due_ms: int, trouble: str, *, counts: bool) -> None:
        rows = [
            {"turn": turn_id, "due": due_ms, "trouble": trouble, "uncounted": int(not counts)}
            for turn_id in turn_ids
        ]
        self._write(lambda db: db.executemany(SQL["later"], rows) and None)

    def end_model_turns(self, turn_ids: Sequence[int], trouble: str = "") -> None:
        state = "failed" if trouble else "done"
        rows = [(state, trouble, turn_id) for turn_id in turn_ids]
        self._write(lambda db: db.executemany(SQL["end"], rows) and None)

    def model_attempts(self, turn_id: int) -> int:
        found = self._read(SQL["attempts"], (turn_id,))
        return int(found[0][0]) if found else 0

    def model_queue(self) -> Mapping[str, int]:
        return dict.fromkeys(STATES, 0) | dict(self._read(SQL["queue"]))

    def open_call(self, call: ModelCall) -> int:
        def job(db: apsw.Connection) -> int:
            row = (
                call.at_ms,
                call.model,
                call.purpose,
                call.tokens_in,
                call.tokens_out,
                call.cost_micro_usd,
            )
            db.execute(SQL["open_call"], row)
            return db.last_insert_rowid()

        return self._write(job, durable=True)

    def settle_call(self, call: ModelCall) -> None:
        row = (
            call.tokens_in,
            call.tokens_out,
            call.cost_micro_usd,
            call.outcome,
            call.detail,
            call.quiet_until_ms,
            call.id,
        )
        self._write(lambda db: db.execute(SQL["settle_call"], row) and None)

    def spent_since(self, since_ms: int) -> Spent:
        return Spent(*self._read(SQL["spent"], (since_ms,))[0])

    def model_calls(self, limit: int) -> tuple[ModelCall, ...]:
        return tuple(ModelCall(*row) for row in self._read(SQL["calls"], (limit,)))
