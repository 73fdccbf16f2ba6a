"""What may be shown, on SQLite: newest entries, neighbours, details, evidence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from memfold.records import CommitRef, Details, Entry, Kind, Prompt, ToolUse
from memfold.store.ports import Touched
from memfold.store.sqlite import rows
from memfold.store.sqlite.base import Base, marks, to_json
from memfold.store.sqlite.queries import named

SQL = named("library")
COMMITS = named("commits")
ENTRIES: dict[Kind, str] = {
    "observation": """SELECT 'observation', o.id, o.project_id, p.name, s.host_session, s.host,
 o.title, o.type, o.at_ms, o.read_tokens, o.work_tokens, o.seen_count, o.files_changed, s.cwd,
 o.superseded_by
 FROM observations o JOIN projects p ON p.id = o.project_id
 JOIN sessions s ON s.id = o.session_id""",
    "summary": """SELECT 'summary', o.id, o.project_id, p.name, s.host_session, s.host,
 o.request, '', o.at_ms, o.read_tokens, 0, 1, '[]', s.cwd, NULL
 FROM summaries o JOIN projects p ON p.id = o.project_id
 JOIN sessions s ON s.id = o.session_id""",
    "prompt": """SELECT 'prompt', o.id, o.project_id, p.name, s.host_session, s.host,
 o.text, '', o.at_ms, o.read_tokens, 0, 1, '[]', s.cwd, NULL
 FROM prompts o JOIN projects p ON p.id = o.project_id
 JOIN sessions s ON s.id = o.session_id""",
}
SHOWN: dict[Kind, str] = {"observation": "1", "summary": "1", "prompt": "o.private = 0"}


def touched_of(row: Sequence[Any]) -> Touched:
    """An entry's columns and the files it read, as JSON."""
    return Touched(entry(row[:-1]), tuple(json.loads(row[-1])))


def entry(row: Sequence[Any]) -> Entry:
    """A row of ENTRIES' columns."""
    plain = list(row)
    plain[12] = rows.file_marks(row[12])
    return Entry(*plain)


class LibraryPart(Base):
    """Implements ports.IndexSource but for search and pins."""

    def recent(
        self,
        project_ids: Sequence[int],
        kind: Kind,
        limit: int,
        *,
        types: Sequence[str] = (),
        concepts: Sequence[str] = (),
    ) -> tuple[Entry, ...]:
        where: list[str] = [SHOWN[kind]]
        arguments: list[str] = []
        if kind == "observation" and types:
            where.append(f"o.type IN ({marks(len(types))})")
            arguments += types
        if kind == "observation" and concepts:
            each = f"SELECT 1 FROM json_each(o.concepts) WHERE value IN ({marks(len(concepts))})"
            where.append(f"EXISTS ({each})")
            arguments += concepts
        found: list[Entry] = []
        # Project by project, so that each is one walk along its index.
        for project_id in project_ids:
            sql = (
                f"{ENTRIES[kind]} WHERE o.project_id = ? AND {' AND '.join(where)}"
                " ORDER BY o.at_ms DESC, o.id DESC LIMIT ?"
            )
            found += [entry(row) for row in self._read(sql, (project_id, *arguments, limit))]
        found.sort(key=lambda e: (e.at_ms, e.id), reverse=True)
        return tuple(found[:limit])

    def touched(
        self,
        project_ids: Sequence[int],
        newest: int,
        *,
        types: Sequence[str] = (),
        concepts: Sequence[str] = (),
    ) -> tuple[Touched, ...]:
        wanted = {"types": to_json(types), "concepts": to_json(concepts), "newest": newest}
        found: list[Touched] = []
        for project_id in project_ids:
            for row in self._read(SQL["touched"], {"project": project_id, **wanted}):
                found.append(touched_of(row))
        found.sort(key=lambda one: (one.entry.at_ms, one.entry.id), reverse=True)
        return tuple(found)

    def totals(self, project_ids: Sequence[int]) -> tuple[int, int, int]:
        ((count, read, work),) = self._read(
            "SELECT coalesce(sum(observations), 0), coalesce(sum(read_tokens), 0),"
            f" coalesce(sum(work_tokens), 0) FROM projects WHERE id IN ({marks(len(project_ids))})",
            project_ids,
        )
        return count, read, work

    def last_reply(
        self, project_ids: Sequence[int], *, host: str, session: str, most_chars: int
    ) -> str:
        asked = {"host": host, "session": session, "most": most_chars}
        found = [
            row
            for project_id in project_ids
            for row in self._read(SQL["last_reply"], {"project": project_id, **asked})
        ]
        return str(max(found)[3]) if found else ""

    def around(self, entry: Entry, before: int, after: int) -> tuple[Entry, ...]:
        own = (entry.at_ms, _rank(entry.kind), entry.id)
        earlier, later = [], []
        for kind in ENTRIES:
            earlier += self._beside(entry, kind, "<", before)
            later += self._beside(entry, kind, ">", after)
        earlier.sort(key=_position)
        later.sort(key=_position)
        kept = [e for e in earlier if _position(e) < own][-before:] if before else []
        return (*kept, entry, *([e for e in later if _position(e) > own][:after]))

    def _beside(self, entry_: Entry, kind: Kind, side: str, limit: int) -> list[Entry]:
        if not limit:
            return []
        order = "DESC" if side == "<" else "ASC"
        sql = (
            f"{ENTRIES[kind]} WHERE o.project_id = ? AND {SHOWN[kind]}"
            f" AND (o.at_ms, {_rank(kind)}, o.id) {side} (?, ?, ?)"
            f" AND o.at_ms {side}= ? ORDER BY o.at_ms {order}, o.id {order} LIMIT ?"
        )
        where = (entry_.project_id, entry_.at_ms, _rank(entry_.kind), entry_.id, entry_.at_ms)
        return [entry(row) for row in self._read(sql, (*where, limit))]

    def find(self, kind: Kind, entry_id: int) -> Entry | None:
        found = self._read(f"{ENTRIES[kind]} WHERE o.id = ? AND {SHOWN[kind]}", (entry_id,))
        return entry(found[0]) if found else None

    def details(self, refs: Sequence[tuple[Kind, int, int]]) -> tuple[Details, ...]:
        found = []
        for kind, entry_id, project_id in refs:
            shown = self.find(kind, entry_id)
            if shown is not None and shown.project_id == project_id:
                found.append(self._full(shown))
        return tuple(found)

    def _full(self, shown: Entry) -> Details:
        if shown.kind == "observation":
            sql = f"SELECT {rows.OBSERVATION} FROM observations o WHERE o.id = ?"
            (row,) = self._read(sql, (shown.id,))
            evidence = self._evidence(shown.id)
            return Details(
                shown,
                observation=rows.observation(row, evidence),
                evidence=evidence,
                evidence_retired=max(row[19] - len(evidence), 0),
                commits=self._commits(shown.id),
            )
        if shown.kind == "summary":
            sql = f"SELECT {rows.SUMMARY} FROM summaries o WHERE o.id = ?"
            return Details(shown, summary=rows.summary(self._read(sql, (shown.id,))[0]))
        sql = (
            "SELECT id, session_id, (SELECT count(*) FROM prompts b WHERE b.session_id ="
            " a.session_id AND (b.at_ms, b.id) <= (a.at_ms, a.id)), text, at_ms"
            " FROM prompts a WHERE id = ?"
        )
        return Details(shown, prompt=Prompt(*self._read(sql, (shown.id,))[0]))

    def _evidence(self, observation_id: int) -> tuple[int, ...]:
        sql = "SELECT tool_use_id FROM observation_evidence WHERE observation_id = ? ORDER BY 1"
        return tuple(row[0] for row in self._read(sql, (observation_id,)))

    def tool_uses(
        self, ids: Sequence[int], project_ids: Sequence[int] | None
    ) -> tuple[ToolUse, ...]:
        sql = (
            f"SELECT {rows.TOOL_USE} FROM tool_uses t JOIN sessions s ON s.id = t.session_id"
            " WHERE t.id = ?"
        )
        found = [row for tool_use_id in ids for row in self._read(sql, (tool_use_id,))]
        return tuple(
            rows.tool_use(row) for row in found if project_ids is None or row[3] in project_ids
        )

    def evidence_of(
        self, observation_ids: Sequence[int], project_ids: Sequence[int] | None
    ) -> tuple[tuple[int, tuple[int, ...]], ...]:
        found = []
        for observation_id in observation_ids:
            shown = self.find("observation", observation_id)
            if shown and (project_ids is None or shown.project_id in project_ids):
                found.append((observation_id, self._evidence(observation_id)))
        return tuple(found)

    def commits_of(
        self, observation_ids: Sequence[int], project_ids: Sequence[int] | None
    ) -> tuple[tuple[int, tuple[CommitRef, ...]], ...]:
        found = []
        for observation_id in observation_ids:
            shown = self.find("observation", observation_id)
            if shown and (project_ids is None or shown.project_id in project_ids):
                commits = self._commits(observation_id)
                if commits:
                    found.append((observation_id, commits))
        return tuple(found)

    def _commits(self, observation_id: int) -> tuple[CommitRef, ...]:
        return tuple(
            CommitRef(*row) for row in self._read(COMMITS["of_observation"], (observation_id,))
        )

    def observations_from(
        self, tool_use_ids: Sequence[int], project_ids: Sequence[int] | None
    ) -> dict[int, tuple[int, ...]]:
        found: dict[int, tuple[int, ...]] = {}
        for tool_use_id in tool_use_ids:
            linked = self._read(
                "SELECT o.id, o.project_id FROM observation_evidence e"
                " JOIN observations o ON o.id = e.observation_id"
                " WHERE e.tool_use_id = ? ORDER BY o.id",
                (tool_use_id,),
            )
            own = tuple(i for i, owner in linked if project_ids is None or owner in project_ids)
            if own:
                found[tool_use_id] = own
        return found

    def version(self, project_ids: Sequence[int]) -> int:
        owned = marks(len(project_ids))
        sql = f"SELECT coalesce(sum(version), 0) FROM projects WHERE id IN ({owned})"
        return int(self._read(sql, project_ids)[0][0])


def _rank(kind: Kind) -> int:
    """Order within one millisecond: the prompt, what was learned, the summary."""
    return {"prompt": 0, "observation": 1, "summary": 2}[kind]


def _position(entry_: Entry) -> tuple[int, int, int]:
    return (entry_.at_ms, _rank(entry_.kind), entry_.id)
