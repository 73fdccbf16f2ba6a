"""Removing for good what a person wants gone, on SQLite: rows, index, vectors, traces, bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import apsw

from memfold.records import Kind
from memfold.store.needs.forgetting import ForgetCount, Scope
from memfold.store.sqlite import full_text
from memfold.store.sqlite.base import Base, to_json, unpacked
from memfold.store.sqlite.forgotten import EVERYTHING, digest, session_scope, trace_scope
from memfold.store.sqlite.queries import named
from memfold.store.sqlite.work import fold_list

SQL = named("forgetting")
OWN_IDS = {"observation": "observations", "work entry": "work_state_entries"}
_KINDS: dict[str, Kind] = {
    "prompts": "prompt",
    "observations": "observation",
    "summaries": "summary",
}


@dataclass(slots=True)
class Going:
    """Ids of the rows that go, by table."""

    prompts: set[int] = field(default_factory=set)
    replies: set[int] = field(default_factory=set)
    tool_uses: set[int] = field(default_factory=set)
    observations: set[int] = field(default_factory=set)
    summaries: set[int] = field(default_factory=set)
    work_entries: set[int] = field(default_factory=set)
    gate_decisions: set[int] = field(default_factory=set)
    commits: set[tuple[str, int]] = field(
        default_factory=set
    )  # (id, project), for their first line

    def sql(self) -> dict[str, str]:
        names = ("prompts", "replies", "tool_uses", "observations", "summaries")
        return {name: to_json(sorted(getattr(self, name))) for name in names}


class _Rehearsed(Exception):  # no error: it takes a dry run's work back
    def __init__(self, count: ForgetCount) -> None:
        super().__init__()
        self.count = count


class ForgettingPart(Base):
    """Implements ports.Forgetting."""

    def forget(self, scope: Scope, at_ms: int, *, dry_run: bool) -> ForgetCount:
        def job(db: apsw.Connection) -> ForgetCount:
            count = _forget(db, scope, at_ms)
            if dry_run:
                raise _Rehearsed(count)
            return count

        try:
            return self._write(job, durable=not dry_run)
        except _Rehearsed as rehearsed:
            return rehearsed.count

    def sweep(self) -> int:
        # Full-text rows of forgotten entries lie in the index until its parts are merged.
        self._write(
            lambda db: db.execute("INSERT INTO entries_fts (entries_fts) VALUES ('optimize')")
        )
        self._writer.run_alone(_rewrite)
        return self._path.stat().st_size

    def is_unswept(self) -> bool:
        return bool(self._read(SQL["is_unswept"])[0][0])

    def forgettings(self) -> int:
        return int(self._read(SQL["forgettings"])[0][0])


def _rewrite(db: apsw.Connection) -> None:
    # A temporary file holds live rows alone; in memory it would be as large as the store.
    db.execute("PRAGMA temp_store=FILE")
    try:
        db.execute("VACUUM")
    finally:
        db.execute("PRAGMA temp_store=MEMORY")
    ((busy, _, _),) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if busy:
        raise apsw.BusyError("a reader holds the old pages")
    db.execute(SQL["swept"])


def _forget(db: apsw.Connection, scope: Scope, at_ms: int) -> ForgetCount:
    family = [
        row[0]
        for row in db.execute(SQL["project_family"], {"projects": to_json(scope.project_ids)})
    ]
    going = _chosen(db, scope) if scope.by_id else _fitting(db, scope, family)
    add_derived(db, going, scope)
    touched = {row[0] for row in db.execute(SQL["touched_sessions"], going.sql())}
    if not scope.by_id and not scope.narrow:
        touched |= set(_sessions(db, scope, family))
    for (summary_id,) in db.execute(SQL["summaries_of"], {"sessions": to_json(sorted(touched))}):
        going.summaries.add(summary_id)
    _remember(db, going, scope, family, at_ms)
    whole = family if not scope.narrow and not scope.session else []
    return carry_out(db, going, touched, whole, scope.project_ids)


def carry_out(
    db: apsw.Connection,
    going: Going,
    touched: set[int],
    family: list[int] | None = None,
    named_ids: tuple[int, ...] = (),
) -> ForgetCount:
    """Remove these rows, sessions of ``touched`` that are empty then, and a family of projects."""
    _remove(db, going)
    sessions = _drop_empty(db, touched)
    projects = _drop_projects(db, family, named_ids) if family else 0
    count = ForgetCount(
        projects=projects,
        sessions=sessions,
        prompts=len(going.prompts),
        replies=len(going.replies),
        tool_uses=len(going.tool_uses),
        observations=len(going.observations),
        summaries=len(going.summaries),
        work_entries=len(going.work_entries),
        commits=len(going.commits),
        gate_decisions=len(going.gate_decisions),
    )
    if count:
        db.execute("DELETE FROM given_contexts")
        db.execute(SQL["count_again"])
        db.execute(SQL["plans_looked_at"])
        db.execute(SQL["empty_troubles"])
        db.execute(SQL["empty_turn_troubles"])
        db.execute(SQL["one_more"])
    return count


def _chosen(db: apsw.Connection, scope: Scope) -> Going:
    going = Going()
    for name in ("observations", "summaries", "prompts", "tool_uses"):
        ids = to_json(list(getattr(scope, name)))
        found = db.execute(SQL["existing"].format(table=name), {"ids": ids})
        getattr(going, name).update(row[0] for row in found)
    return going


def _sessions(db: apsw.Connection, scope: Scope, family: list[int]) -> list[int]:
    where = {"projects": to_json(family), "session": scope.session}
    return [row[0] for row in db.execute(SQL["sessions"], where)]


def _fitting(db: apsw.Connection, scope: Scope, family: list[int]) -> Going:
    going = Going()
    wanted = scope.text.casefold()
    span = {"since": scope.since_ms, "until": scope.until_ms}
    tables = ("prompts", "replies", "observations", "summaries")
    for session_id in _sessions(db, scope, family):
        where = {"id": session_id, **span}
        for table in tables:
            getattr(going, table).update(_with(wanted, db.execute(SQL[table], where)))
        if wanted:
            uses = db.execute(SQL["tool_use_texts"], where)
            going.tool_uses.update(row[0] for row in uses if _says(row, wanted))
        else:
            going.tool_uses.update(row[0] for row in db.execute(SQL["tool_uses"], where))
    logged = {"projects": to_json(family), "session": scope.session, **span}
    going.work_entries.update(_with(wanted, db.execute(SQL["work_entries"], logged)))
    going.observations.update(_with(wanted, db.execute(SQL["notes_elsewhere"], logged)))
    going.gate_decisions.update(_with(wanted, db.execute(SQL["gate_decisions"], logged)))
    if wanted and not scope.timed and not scope.session:  # nothing tells when a commit was made
        going.commits.update(
            (commit_id, project_id)
            for commit_id, project_id, subject in db.execute(SQL["commit_subjects"], logged)
            if wanted in subject.casefold()
        )
    return going


def _with(wanted: str, found: Iterator[Any]) -> Iterator[int]:
    """Ids of the rows one of whose texts holds the wanted one."""
    for entry_id, *texts in found:
        if not wanted or any(_holds(text, wanted) for text in texts):
            yield entry_id


def _holds(text: str, wanted: str) -> bool:
    if wanted in text.casefold():
        return True
    # Facts, files and fields are JSON, in which quotes and line breaks look different.
    if text[:1] not in {"[", "{"}:
        return False
    try:
        return _in_value(json.loads(text), wanted)
    except ValueError:
        return False  # a text that only begins like JSON


def _says(row: tuple[Any, ...], wanted: str) -> bool:
    _, codec, given, response, *texts = row
    return any(_holds(text, wanted) for text in texts) or any(
        _in_value(unpacked(codec, blob), wanted) for blob in (given, response)
    )


def _in_value(value: Any, wanted: str) -> bool:
    """Whether a key or a text of a JSON value holds the wanted one. Nesting costs no stack."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if wanted in one.casefold():
                return True
        elif isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            waiting += one
        elif one is not None and not isinstance(one, bool) and wanted in str(one):
            return True
    return False


def add_derived(db: apsw.Connection, going: Going, scope: Scope) -> None:
    uses = {"uses": to_json(sorted(going.tool_uses))}
    for query in ("bereft",) if scope.by_id else ("bereft", "derived"):
        going.observations.update(row[0] for row in db.execute(SQL[query], uses))
    if scope.text and going.replies:
        replies = {"replies": to_json(sorted(going.replies))}
        taught = db.execute(SQL["taught_in_turns_of"], replies)
        going.observations.update(row[0] for row in taught)


def _remember(
    db: apsw.Connection, going: Going, scope: Scope, family: list[int], at_ms: int
) -> None:
    """Leave the hashes by which what goes is known when it is sent again."""
    # An export of ours, or a backup, brings these back under their own ids.
    for kind, table in OWN_IDS.items():
        for (uid,) in list(db.execute(SQL["uids"].format(table=table), _ids_of(going, table))):
            _item(db, at_ms, kind, uid)
    until_ms = min(scope.until_ms, at_ms)
    if not scope.by_id and not scope.text:
        for one in _scopes(db, scope, family):
            db.execute(SQL["remember_span"], (one, scope.since_ms, until_ms))
        if not (scope.session and family):
            return
    ids = {name: {"ids": text} for name, text in going.sql().items()}
    for host, session, key in list(db.execute(SQL["keys"], ids["tool_uses"])):
        _item(db, at_ms, "tool use", host, session, key)
    for host, session, text_hash in list(db.execute(SQL["reply_keys"], ids["replies"])):
        _item(db, at_ms, "reply", host, session, text_hash)
    for host, session, key, text_hash in list(db.execute(SQL["prompt_keys"], ids["prompts"])):
        _item(db, at_ms, "prompt", host, session, text_hash)
        if key:
            _item(db, at_ms, "prompt key", host, session, key)


def _ids_of(going: Going, table: str) -> dict[str, str]:
    name = "work_entries" if table == "work_state_entries" else table
    return {"ids": to_json(sorted(getattr(going, name)))}


def _item(db: apsw.Connection, at_ms: int, kind: str, *parts: str | bytes) -> None:
    db.execute(SQL["remember_item"], (digest(kind, *parts), at_ms))


def _scopes(db: apsw.Connection, scope: Scope, family: list[int]) -> list[bytes]:
    """Whose span of time is closed: a session's, else a project's, else everybody's."""
    if scope.session:
        where = {"projects": to_json(family), "session": scope.session}
        ids = [row[0] for row in db.execute(SQL["sessions"], where)]
        named_by = "SELECT host, host_session FROM sessions WHERE id = ?"
        return [session_scope(*row) for one in ids for row in db.execute(named_by, (one,))]
    if family:
        traces = db.execute(SQL["traces"], {"projects": to_json(family)})
        return [trace_scope(kind, value) for kind, value in traces]
    return [EVERYTHING]


def _remove(db: apsw.Connection, going: Going) -> None:
    ids = going.sql()
    for commit in going.commits:
        db.execute(SQL["empty_commit"], commit)
    db.execute(SQL["empty_commits_of"], {"ids": ids["observations"]})
    for name, kind in (*_KINDS.items(), ("tool_uses", "tool_use")):
        db.execute(SQL["empty_aliases"], {"kind": kind, "ids": ids[name]})
    for name, kind in _KINDS.items():
        for entry_id in getattr(going, name):
            full_text.drop(db, kind, entry_id)
        db.execute(SQL["drop"].format(table=name), {"ids": ids[name]})
    db.execute(SQL["unlink"], {"uses": ids["tool_uses"]})
    for name in ("tool_uses", "replies"):
        db.execute(SQL["drop"].format(table=name), {"ids": ids[name]})
    decisions = {"ids": to_json(sorted(going.gate_decisions))}
    db.execute(SQL["drop"].format(table="gate_decisions"), decisions)
    entries = {"ids": to_json(sorted(going.work_entries))}
    lists = list(db.execute(SQL["lists_of"], entries))
    db.execute(SQL["drop"].format(table="work_state_entries"), entries)
    for project_id, name in lists:
        fold_list(db, project_id, name)


def _drop_empty(db: apsw.Connection, touched: set[int]) -> int:
    sessions = {"sessions": to_json(sorted(touched))}
    db.execute(SQL["empty_turns"], sessions)
    empty = list(db.execute(SQL["empty_sessions"], sessions))
    for session_id, host_session, transcript in empty:
        db.execute(SQL["drop_retired"], (session_id,))
        db.execute(SQL["drop_offsets"], {"transcript": transcript, "session": host_session})
        db.execute("DELETE FROM sessions WHERE id = ?", (session_id,))
    return len(empty)


def _drop_projects(db: apsw.Connection, family: list[int], named_ids: tuple[int, ...]) -> int:
    for project_id in family:
        for table in (
            "work_state_current",
            "project_aliases",
            "commits",
            "git_heads",
            "gate_decisions",
        ):
            db.execute(f"DELETE FROM {table} WHERE project_id = ?", (project_id,))
    for project_id in reversed(family):  # those merged into another come after it
        db.execute("DELETE FROM projects WHERE id = ?", (project_id,))
    return len(named_ids)
