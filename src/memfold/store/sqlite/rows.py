"""Rows of the database as records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from memfold.records import (
    Draft,
    FileMark,
    Observation,
    Summary,
    SummaryDraft,
    ToolUse,
)
from memfold.store.sqlite.base import unpacked

OBSERVATION = (
    "o.id, o.uid, o.project_id, o.session_id, o.type, o.title, o.subtitle, o.narrative, o.facts,"
    " o.concepts, o.files_read, o.files_changed, o.agent, o.observer, o.read_tokens,"
    " o.work_tokens, o.at_ms, o.seen_count, o.last_seen_at_ms, o.evidence_made, o.reason, o.said"
)
SUMMARY = (
    "o.id, o.uid, o.project_id, o.session_id, o.request, o.investigated, o.learned, o.completed,"
    " o.next_steps, o.files, o.read_tokens, o.at_ms"
)
TOOL_USE = (
    "t.id, t.uid, t.session_id, s.project_id, t.key, t.tool, t.codec, t.input, t.response, t.ok,"
    " t.duration_ms, t.cwd, t.agent, t.agent_type, t.at_ms, t.work_tokens, t.files_read,"
    " t.files_changed, t.dropped_bytes"
)


def observation(row: Sequence[Any], evidence: tuple[int, ...] = ()) -> Observation:
    """A row of OBSERVATION's columns."""
    draft = Draft(
        type=row[4],
        title=row[5],
        subtitle=row[6],
        narrative=row[7],
        facts=tuple(json.loads(row[8])),
        concepts=tuple(json.loads(row[9])),
        files_read=tuple(json.loads(row[10])),
        files_changed=file_marks(row[11]),
        evidence=evidence,
        at_ms=row[16],
        agent=row[12],
        observer=row[13],
        read_tokens=row[14],
        work_tokens=row[15],
        reason=row[20],
        said=row[21],
    )
    return Observation(row[0], row[1], row[2], row[3], draft, row[16], row[17], row[18])


def summary(row: Sequence[Any]) -> Summary:
    """A row of SUMMARY's columns."""
    draft = SummaryDraft(
        request=row[4],
        investigated=row[5],
        learned=row[6],
        completed=row[7],
        next_steps=row[8],
        files=tuple(json.loads(row[9])),
        at_ms=row[11],
        read_tokens=row[10],
    )
    return Summary(row[0], row[1], row[2], row[3], draft, row[11])


def tool_use(row: Sequence[Any]) -> ToolUse:
    """A row of TOOL_USE's columns."""
    return ToolUse(
        id=row[0],
        uid=row[1],
        session_id=row[2],
        project_id=row[3],
        key=row[4],
        tool=row[5],
        input=unpacked(row[6], row[7]),
        response=unpacked(row[6], row[8]),
        ok=bool(row[9]),
        duration_ms=row[10],
        cwd=row[11],
        agent=row[12],
        agent_type=row[13],
        at_ms=row[14],
        work_tokens=row[15],
        files_read=tuple(json.loads(row[16])),
        files_changed=tuple(json.loads(row[17])),
        dropped_bytes=row[18],
    )


def file_marks(text: str) -> tuple[FileMark, ...]:
    return tuple(FileMark(path, sha256) for path, sha256 in json.loads(text))
