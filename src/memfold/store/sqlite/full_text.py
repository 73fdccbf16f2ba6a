"""The full-text index over entries: one row for each observation, summary and prompt.

A row's number is the entry's id times four plus its kind, and the project is a word of the
row, so that matches of one project are found without ranking those of others.
"""

from __future__ import annotations

import apsw

from memfold.records import Kind
from memfold.store.words import extra_words

KINDS: tuple[Kind, ...] = ("observation", "summary", "prompt")
_MAX_CHARS = 60_000


def row_number(kind: Kind, entry_id: int) -> int:
    return entry_id * 4 + KINDS.index(kind)


def entry_of(row: int) -> tuple[Kind, int]:
    return KINDS[row % 4], row // 4


def put(
    db: apsw.Connection, kind: Kind, entry_id: int, project_id: int, *, title: str, body: str
) -> None:
    """Index an entry, or index it anew."""
    row = row_number(kind, entry_id)
    db.execute("DELETE FROM entries_fts WHERE rowid = ?", (row,))
    db.execute(
        "INSERT INTO entries_fts (rowid, title, body, words, project) VALUES (?, ?, ?, ?, ?)",
        (
            row,
            _plain(title),
            _plain(body),
            extra_words(f"{title} {body}"),
            f"p{project_id}",
        ),
    )


def move_project(db: apsw.Connection, source: int, target: int) -> None:
    """Index a project's entries under another; their texts are read again."""
    for kind, entry_id, title, body in list(db.execute(_TEXTS, {"project": source})):
        put(db, kind, entry_id, target, title=title, body=body)


def _plain(text: str) -> str:
    return text[:_MAX_CHARS].replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")


_TEXTS = """
SELECT 'observation', id, title, subtitle || ' ' || narrative || ' ' || facts || ' ' ||
       files_changed || ' ' || files_read FROM observations WHERE project_id = :project
UNION ALL
SELECT 'summary', id, request, investigated || ' ' || learned || ' ' || completed || ' ' ||
       next_steps || ' ' || files FROM summaries WHERE project_id = :project
UNION ALL
SELECT 'prompt', p.id, p.text, '' FROM prompts p JOIN sessions s ON s.id = p.session_id
 WHERE s.project_id = :project AND p.private = 0
"""
