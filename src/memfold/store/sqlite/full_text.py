"""The full-text index over entries: one row for each observation, summary and prompt.

A row's number is the entry's id times four plus its kind, and the project is a word of the
row, so that matches of one project are found without ranking those of others.
"""

from __future__ import annotations

import apsw

from memfold.records import Draft, Kind, SummaryDraft
from memfold.store.sqlite import rows
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
    drop(db, kind, entry_id)
    db.execute(
        "INSERT INTO entries_fts (rowid, title, body, words, project) VALUES (?, ?, ?, ?, ?)",
        (
            row_number(kind, entry_id),
            _plain(title),
            _plain(body),
            extra_words(f"{title} {body}"),
            f"p{project_id}",
        ),
    )


def drop(db: apsw.Connection, kind: Kind, entry_id: int) -> None:
    """An entry that is no more, or is about to be indexed anew."""
    db.execute("DELETE FROM entries_fts WHERE rowid = ?", (row_number(kind, entry_id),))


def observation_body(draft: Draft) -> str:
    """What an observation is found by besides its title."""
    paths = (*(mark.path for mark in draft.files_changed), *draft.files_read)
    return " ".join((draft.subtitle, draft.narrative, *draft.facts, *paths))


def summary_body(draft: SummaryDraft) -> str:
    """What a summary is found by besides the request."""
    told = (draft.investigated, draft.learned, draft.completed, draft.next_steps)
    return " ".join((*told, *draft.files))


def move_project(db: apsw.Connection, source: int, target: int) -> None:
    """Index a project's entries under another; their texts are read again."""
    observations = f"SELECT {rows.OBSERVATION} FROM observations o WHERE o.project_id = ?"
    for row in list(db.execute(observations, (source,))):
        draft = rows.observation(row).draft
        put(db, "observation", row[0], target, title=draft.title, body=observation_body(draft))
    summaries = f"SELECT {rows.SUMMARY} FROM summaries m WHERE m.project_id = ?"
    for row in list(db.execute(summaries, (source,))):
        told = rows.summary(row).draft
        put(db, "summary", row[0], target, title=told.request, body=summary_body(told))
    prompts = "SELECT id, text FROM prompts WHERE project_id = ? AND private = 0"
    for prompt_id, text in list(db.execute(prompts, (source,))):
        put(db, "prompt", prompt_id, target, title=text, body="")


def _plain(text: str) -> str:
    return text[:_MAX_CHARS].replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
