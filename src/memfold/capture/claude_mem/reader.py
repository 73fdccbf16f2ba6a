"""The rows of a claude-mem database as sessions to take over, whatever its version.

Only tables and columns that are there are read. A row that cannot be used is counted with its
reason, never fatal. Sessions come oldest first; what names no session that is known is filed under
one of its own.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memfold.capture.claude_mem import values
from memfold.capture.claude_mem.values import Row, moment, name, text, texts, whole
from memfold.capture.exclusions import Exclusions
from memfold.capture.scrub import scrub
from memfold.display import one_line
from memfold.records import Draft, FileMark, PromptGiven, SummaryDraft, ToolUsed, WorkRow
from memfold.store.ports import OtherSession

OBSERVER = "claude-mem/1"
HOST = "claude-mem"  # of sessions whose own host is not known
_HOSTS = {"claude": "claude-code", "gemini": "gemini-cli", "raw": HOST}
_TITLE_BYTES = 480
_MAX_TITLE_CHARS = 120
_MOST_CONCEPTS = 12
_NOTHING = {
    "none",
    "n/a",
    "na",
    "nothing",
    "null",
    "-",
    "no notes",
}  # what a model fills a field with
_MOST_FILES = 60
_TABLES = ("observations", "session_summaries", "user_prompts", "tool_uses", "work_state_entries")
_SELECT = "SELECT {columns} FROM {table}"
_HEADS = {  # what tells a row's session; the rest is read session by session
    "id",
    "content_session_id",
    "memory_session_id",
    "sdk_session_id",
    "project",
    "merged_into_project",
    "cwd",
    "created_at",
    "created_at_epoch",
}
COUNTED = {
    "observations": "observation",
    "session_summaries": "summary",
    "user_prompts": "prompt",
    "tool_uses": "tool use",
    "work_state_entries": "row of work state",
}


@dataclass(slots=True)
class Found:
    """One session's rows, gathered from all tables."""

    key: str  # the host's own id
    host: str = HOST
    projects: Counter[str] = field(default_factory=Counter)
    cwds: Counter[str] = field(default_factory=Counter)
    ids: dict[str, list[int]] = field(default_factory=dict)  # table -> ids of its rows
    began_at_ms: int = 0


class Reader:
    """One database. ``skipped`` and ``bad_tables`` fill as it is read."""

    def __init__(self, db: sqlite3.Connection, exclusions: Exclusions, now_ms: int) -> None:
        db.row_factory = sqlite3.Row
        db.text_factory = _text  # a text that is not UTF-8 is one all the same
        self._db = db
        self._excluded = exclusions
        self.now_ms = now_ms
        self.rows: Counter[str] = Counter()  # table -> rows in it
        self.skipped: Counter[tuple[str, str]] = Counter()  # (table, reason) -> rows
        self.bad_tables: dict[str, str] = {}  # table -> what is wrong with it

    def fingerprint(self) -> str:
        """The same for a database and its later copies: of its oldest rows."""
        seeds: list[str] = []
        for table, columns in (
            ("sdk_sessions", ("content_session_id", "sdk_session_id", "started_at")),
            ("observations", ("memory_session_id", "sdk_session_id", "title", "created_at")),
            ("user_prompts", ("content_session_id", "prompt_text", "created_at")),
        ):
            for row in self._table(table, most=3, counted=False):
                seeds.append("\x1f".join([str(row["id"]), *(name(row, one) for one in columns)]))
            if seeds:
                break
        return hashlib.sha256("\x1e".join(seeds).encode("utf-8", "replace")).hexdigest()[:32]

    def sessions(self) -> list[Found]:
        """Every session with its rows, oldest first."""
        found, by_memory = self._known_sessions()
        for table in _TABLES[:-1]:
            for row in self._table(table, _HEADS):
                key = name(row, "content_session_id") or by_memory.get(
                    name(row, "memory_session_id", "sdk_session_id"), ""
                )
                other = key or f"memory {name(row, 'memory_session_id', 'sdk_session_id')}"
                session = found.setdefault(other.strip(), Found(other.strip()))
                project = name(row, "merged_into_project", "project")
                if project:
                    session.projects[project] += 1
                if name(row, "cwd"):
                    session.cwds[name(row, "cwd")] += 1
                session.ids.setdefault(table, []).append(row["id"])
                at_ms = moment(row, self.now_ms, "created_at")
                if at_ms and (not session.began_at_ms or at_ms < session.began_at_ms):
                    session.began_at_ms = at_ms
        kept = [one for one in found.values() if one.ids]
        return sorted(kept, key=lambda one: (one.began_at_ms, one.key))

    def _known_sessions(self) -> tuple[dict[str, Found], dict[str, str]]:
        """(sessions by the host's id, the observer's id of a session -> the host's)."""
        found: dict[str, Found] = {}
        by_memory: dict[str, str] = {}
        for row in self._table("sdk_sessions", counted=False):
            key = name(row, "content_session_id", "claude_session_id")
            if not key:
                continue
            platform = name(row, "platform_source").lower() or "claude"
            session = found.setdefault(key, Found(key, _HOSTS.get(platform, platform)))
            session.began_at_ms = moment(row, self.now_ms, "started_at")
            if name(row, "project"):
                session.projects[name(row, "project")] += 1
            for column in ("memory_session_id", "sdk_session_id"):
                if name(row, column):
                    by_memory[name(row, column)] = key
        return found, by_memory

    def work_rows(self) -> Iterator[tuple[str, int, WorkRow]]:
        """(project name, id, row) of work state in the order it was written."""
        for row in self._table("work_state_entries"):
            fields = values.loaded(name_whole(row, "fields"))
            list_name = name(row, "list_name")
            if not isinstance(fields, Mapping) or not list_name or not fields:
                self.skipped["work_state_entries", "not a row of work state"] += 1
                continue
            plain = {
                str(key)[:200]: values.clean(one) if isinstance(one, str) else one
                for key, one in fields.items()
                if one is None or isinstance(one, str | int | float | bool)
            }
            at_ms = moment(row, self.now_ms, "created_at") or self.now_ms
            yield name(row, "project"), row["id"], WorkRow(list_name, plain, at_ms)

    def session(self, found: Found, host: str, cwd: str) -> OtherSession:
        """The session as it can be stored."""
        began = found.began_at_ms or self.now_ms
        rows = {table: list(self._rows(table, ids)) for table, ids in found.ids.items()}
        uses, keys = self._tool_uses(found, rows.get("tool_uses", ()), host, cwd)
        summaries = self._usable(rows, "session_summaries", _says_nothing)
        return OtherSession(
            host=host,
            session=found.key,
            cwd=cwd,
            at_ms=began,
            prompts=self._prompts(found, rows.get("user_prompts", ()), host, cwd),
            tool_uses=uses,
            observations=[
                (row["id"], self._draft(row, began), tuple(keys.get(row["id"], ())))
                for row in self._usable(rows, "observations", _no_words)
            ],
            summaries=[row["id"] for row in summaries],
            summary=self._summary(summaries, began) if summaries else None,
        )

    def _usable(
        self,
        rows: Mapping[str, Sequence[Row]],
        table: str,
        why_not: Callable[[Row], str],
    ) -> list[Row]:
        kept = []
        for row in rows.get(table, ()):
            reason = why_not(row)
            if reason:
                self.skipped[table, reason] += 1
            else:
                kept.append(row)
        return kept

    def _at(self, row: Row, began: int, table: str) -> int:
        if values.is_ahead(row, self.now_ms):
            self.skipped[table, "time in the future, taken as now"] += 1
        return moment(row, self.now_ms, "created_at") or began

    def _prompts(
        self, found: Found, rows: Sequence[Row], host: str, cwd: str
    ) -> list[tuple[int, PromptGiven]]:
        kept = []
        began = found.began_at_ms or self.now_ms
        for row in rows:
            said = text(row, "prompt_text")
            if not said:
                self.skipped["user_prompts", "no text"] += 1
                continue
            at_ms = self._at(row, began, "user_prompts")
            event = PromptGiven(host=host, session=found.key, at_ms=at_ms, cwd=cwd, text=said)
            kept.append((row["id"], event))
        return kept

    def _tool_uses(
        self, found: Found, rows: Sequence[Row], host: str, cwd: str
    ) -> tuple[list[tuple[int, ToolUsed]], dict[int, list[str]]]:
        """(tool uses, observation -> keys of the tool uses it came from)."""
        kept: list[tuple[int, ToolUsed]] = []
        keys: dict[int, list[str]] = {}
        began = found.began_at_ms or self.now_ms
        for row in rows:
            tool = name(row, "tool_name")
            if not tool:
                self.skipped["tool_uses", "no tool"] += 1
                continue
            key = name(row, "tool_use_id") or f"claude-mem {row['id']}"
            event = ToolUsed(
                host=host,
                session=found.key,
                at_ms=self._at(row, began, "tool_uses"),
                cwd=name(row, "cwd") or cwd,
                agent=name(row, "agent_id"),
                agent_type=name(row, "agent_type"),
                key=key,
                tool=tool,
                input=values.json_or_text(row, "tool_input"),
                response=values.json_or_text(row, "tool_response"),
            )
            reason = self._excluded.reason(event)
            if reason:
                self.skipped["tool_uses", reason] += 1
                continue
            safe, _ = scrub(event, values.MOST_CHARS * 4)
            assert isinstance(safe, ToolUsed)  # noqa: S101  # scrub gives back what it was given
            kept.append((row["id"], safe))
            if isinstance(row.get("observation_id"), int):
                keys.setdefault(row["observation_id"], []).append(key)
        return kept, keys

    def _draft(self, row: Row, began: int) -> Draft:
        said = text(row, "title", "subtitle", "narrative", "text")
        title = one_line(said, _TITLE_BYTES)
        narrative = text(row, "narrative", "text")
        if len(title) > _MAX_TITLE_CHARS:
            narrative = f"{title}\n{narrative}" if title not in narrative else narrative
            title = title[: _MAX_TITLE_CHARS - 1].rstrip() + "…"
        return Draft(
            type=one_line(name(row, "type"), 60).lower() or "discovery",
            title=title,
            subtitle=text(row, "subtitle"),
            narrative=narrative,
            facts=texts(row, "facts"),
            concepts=texts(row, "concepts")[:_MOST_CONCEPTS],
            files_read=texts(row, "files_read")[:_MOST_FILES],
            files_changed=tuple(
                FileMark(path) for path in texts(row, "files_modified")[:_MOST_FILES]
            ),
            at_ms=self._at(row, began, "observations"),
            agent=name(row, "agent_id"),
            observer=OBSERVER,
            work_tokens=whole(row, "discovery_tokens"),
        )

    def _summary(self, rows: Sequence[Row], began: int) -> SummaryDraft:
        """All summaries of a session as one: what was asked first, what was left open last."""
        ordered = sorted(rows, key=lambda row: (moment(row, self.now_ms, "created_at"), row["id"]))
        last = ordered[-1]
        joined = {
            column: _joined(_said(row, column) for row in ordered)
            for column in ("investigated", "learned", "completed", "notes")
        }
        files = [one for row in ordered for one in texts(row, "files_edited")]
        requests = [said for row in ordered if (said := text(row, "request"))]
        return SummaryDraft(
            request=requests[0] if requests else one_line(joined["completed"] or joined["learned"]),
            investigated=joined["investigated"],
            learned=_joined((joined["learned"], joined["notes"])),
            completed=joined["completed"],
            next_steps=_said(last, "next_steps"),
            files=tuple(dict.fromkeys(files))[:_MOST_FILES],
            at_ms=self._at(last, began, "session_summaries"),
        )

    def _table(
        self,
        table: str,
        wanted: Collection[str] | None = None,
        *,
        most: int | None = None,
        counted: bool = True,
    ) -> Iterator[dict[str, Any]]:
        """Rows in the order of their ids, of some columns or all; ends where it is damaged."""
        try:
            columns = [
                row[1] for row in self._db.execute("SELECT * FROM pragma_table_info(?)", (table,))
            ]
            if "id" not in columns:
                if columns or counted:
                    self.bad_tables.setdefault(table, "has no ids" if columns else "not there")
                return
            shown = [one for one in columns if wanted is None or one in wanted]
            sql = _SELECT.format(columns=", ".join(map(_quoted, shown)), table=_quoted(table))
            for row in self._db.execute(
                f"{sql} ORDER BY id LIMIT ?", (-1 if most is None else most,)
            ):
                self.rows[table] += counted
                plain = dict(row)
                if isinstance(plain["id"], int):
                    yield plain
                else:
                    self.skipped[table, "no id"] += counted
        except sqlite3.Error as error:
            self.bad_tables[table] = f"damaged ({error})"

    def _rows(self, table: str, ids: Sequence[int]) -> Iterator[dict[str, Any]]:
        """Whole rows; one that cannot be read is counted."""
        sql = _SELECT.format(columns="*", table=_quoted(table))
        for other_id in ids:
            try:
                for row in self._db.execute(f"{sql} WHERE id = ?", (other_id,)):
                    yield dict(row)
            except sqlite3.Error:
                self.skipped[table, "damaged"] += 1


def _quoted(name_: str) -> str:
    doubled = name_.replace('"', '""')
    return f'"{doubled}"'


def name_whole(row: Row, column: str) -> str:
    """A column's text as it stands."""
    value = row.get(column)
    return value if isinstance(value, str) else ""


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _said(row: Row, column: str) -> str:
    found = text(row, column)
    return "" if found.strip(" .").casefold() in _NOTHING else found


def _joined(parts: Iterable[str]) -> str:
    return "\n".join(dict.fromkeys(part for part in parts if part))


def _no_words(row: Row) -> str:
    return "" if text(row, "title", "subtitle", "narrative", "text") else "no text"


def _says_nothing(row: Row) -> str:
    fields = ("request", "investigated", "learned", "completed", "next_steps", "notes")
    return "" if text(row, *fields) else "no text"
