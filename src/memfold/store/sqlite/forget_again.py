"""What was forgotten taken out of an older copy of memory, by the hashes that are left of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import apsw

from memfold.store.needs.forgetting import Scope
from memfold.store.sqlite.base import Base, to_json
from memfold.store.sqlite.connection import translated
from memfold.store.sqlite.copies import quoted
from memfold.store.sqlite.forgetting import OWN_IDS, Going, add_derived, carry_out
from memfold.store.sqlite.forgotten import EVERYTHING, digest, session_scope, trace_scope
from memfold.store.sqlite.queries import named
from memfold.store.sqlite.schema import schema_version

SQL = named("forgetting")
FIRST_SCHEMA = 13  # in which anything could be forgotten


@dataclass(slots=True)
class Traces:
    """What is left of everything that was forgotten in a store."""

    items: dict[bytes, int] = field(default_factory=dict)  # hash -> until_ms
    spans: dict[bytes, list[tuple[int, int]]] = field(default_factory=dict)  # scope -> since, until

    def __bool__(self) -> bool:
        return bool(self.items or self.spans)


class ForgetAgainPart(Base):
    """For a store that an older copy became."""

    def forget_again(self, traces: Traces) -> int:
        """What was forgotten elsewhere in this memory's life goes here too; rows that went."""
        return self._write(lambda db: forget_again(db, traces), durable=True)

    def count_again(self) -> None:
        """Running totals from the rows."""
        self._write(lambda db: list(db.execute(SQL["count_again"])))


def traces_in(database: Path) -> Traces:
    """Of a database file that nobody has open. Raises StoreError."""
    with translated(database):
        connection = apsw.Connection(
            f"file:{quoted(database)}", flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
        )
        try:
            return traces_of(connection)
        finally:
            connection.close()


def traces_of(db: apsw.Connection) -> Traces:
    if schema_version(db) < FIRST_SCHEMA:
        return Traces()
    traces = Traces(dict(db.execute("SELECT item, until_ms FROM forgotten_items")))
    for scope, since, until in db.execute("SELECT * FROM forgotten_spans"):
        traces.spans.setdefault(scope, []).append((since, until))
    return traces


def forget_again(db: apsw.Connection, traces: Traces) -> int:
    """Rows that went, in the caller's transaction. The traces are kept here too."""
    for item in traces.items.items():
        db.execute(SQL["remember_item"], item)
    for scope, spans in traces.spans.items():
        for span in spans:
            db.execute(SQL["remember_span"], (scope, *span))
    going = Going()
    touched: set[int] = set()
    _in_spans(db, traces, going, touched)
    _by_item(db, traces, going, touched)
    add_derived(db, going, Scope(since_ms=1))
    touched |= {row[0] for row in db.execute(SQL["touched_sessions"], going.sql())}
    told = {"sessions": to_json(sorted(touched))}
    going.summaries.update(row[0] for row in db.execute(SQL["summaries_of"], told))
    count = carry_out(db, going, touched)
    return sum(
        (count.prompts, count.replies, count.tool_uses, count.observations, count.work_entries)
    )


def _in_spans(db: apsw.Connection, traces: Traces, going: Going, touched: set[int]) -> None:
    if not traces.spans:
        return
    by_project = {
        project_id: list(_project_spans(db, traces, project_id))
        for (project_id,) in list(db.execute(SQL["every_project"]))
    }
    for session_id, host, host_session, project_id in list(db.execute(SQL["every_session"])):
        own = traces.spans.get(session_scope(host, host_session), [])
        for span in (*own, *by_project[project_id]):
            touched.add(session_id)
            for table in ("prompts", "replies", "tool_uses", "observations", "summaries"):
                sql = SQL["in_spans_of"].format(table=table)
                getattr(going, table).update(_ids(db.execute(sql, (session_id, *span))))
    for project_id, spans in by_project.items():
        for span in spans:
            going.work_entries.update(_ids(db.execute(SQL["work_in_span"], (project_id, *span))))


def _project_spans(
    db: apsw.Connection, traces: Traces, project_id: int
) -> Iterator[tuple[int, int]]:
    yield from traces.spans.get(EVERYTHING, ())
    family = to_json(
        [row[0] for row in db.execute(SQL["project_family"], {"projects": to_json([project_id])})]
    )
    for kind, value in list(db.execute(SQL["traces"], {"projects": family})):
        yield from traces.spans.get(trace_scope(kind, value), ())


def _by_item(db: apsw.Connection, traces: Traces, going: Going, touched: set[int]) -> None:
    if not traces.items:
        return

    def gone(at_ms: int, hashes: Iterable[bytes]) -> bool:
        return any(at_ms <= traces.items.get(one, -1) for one in hashes)

    for row, session_id, host, session, key, at_ms in db.execute(SQL["every_tool_use"]):
        if gone(at_ms, (digest("tool use", host, session, key),)):
            going.tool_uses.add(row)
            touched.add(session_id)
    for row, session_id, host, session, text_hash, key, at_ms in db.execute(SQL["every_prompt"]):
        by_key = (digest("prompt key", host, session, key),) if key else ()
        if gone(at_ms, (digest("prompt", host, session, text_hash), *by_key)):
            going.prompts.add(row)
            touched.add(session_id)
    for row, session_id, host, session, text_hash, at_ms in db.execute(SQL["every_reply"]):
        if gone(at_ms, (digest("reply", host, session, text_hash),)):
            going.replies.add(row)
            touched.add(session_id)
    for kind, table in OWN_IDS.items():
        found = getattr(going, "work_entries" if table == "work_state_entries" else table)
        for row, uid in db.execute(f"SELECT id, uid FROM {table}"):
            if digest(kind, uid) in traces.items:
                found.add(row)


def _ids(rows: Iterable[tuple[int]]) -> Iterator[int]:
    return (row[0] for row in rows)
