"""The full-text index over entries: one row for each passage of an observation, summary or prompt.

A row's number holds the entry's id, its kind and the passage, so that newer entries have greater
numbers. The title stands in every row of its entry, and the project is a word of the row, so that
matches of one project are found without ranking those of others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apsw

from memfold.records import Draft, Kind, SummaryDraft
from memfold.store.passages import MOST_PASSAGES, passages
from memfold.store.sqlite import rows
from memfold.store.words import extra_words

VERSION = 2  # of what rows hold: a file with another one is indexed anew when it is opened
KINDS: tuple[Kind, ...] = ("observation", "summary", "prompt")
TABLES: dict[Kind, str] = {
    "observation": "observations",
    "summary": "summaries",
    "prompt": "prompts",
}
SPAN = MOST_PASSAGES  # row numbers from one entry to the next
_TITLE_CHARS = 240
_PROMPT_TITLE_CHARS = 120
_BATCH = 500
_INSERT = "INSERT INTO entries_fts (rowid, title, body, words, project) VALUES (?, ?, ?, ?, ?)"


def entry_number(kind: Kind, entry_id: int) -> int:
    return entry_id * 4 + KINDS.index(kind)


def row_number(kind: Kind, entry_id: int, passage: int = 0) -> int:
    return entry_number(kind, entry_id) * SPAN + passage


def entry_of(row: int) -> tuple[Kind, int]:
    number = row // SPAN
    return KINDS[number % 4], number // 4


def put(
    db: apsw.Connection, kind: Kind, entry_id: int, project_id: int, *, title: str, body: str
) -> None:
    """Index an entry, or index it anew."""
    drop(db, kind, entry_id)
    heading, found = texts(title, body)
    heading_words = extra_words(heading)
    for at, passage in enumerate(found):
        words = f"{heading_words} {extra_words(passage)}"
        row = row_number(kind, entry_id, at)
        db.execute(_INSERT, (row, heading, passage, words, f"p{project_id}"))


def put_prompt(db: apsw.Connection, prompt_id: int, project_id: int, text: str) -> None:
    """Index a prompt under its first line."""
    put(db, "prompt", prompt_id, project_id, title=prompt_title(text), body=text)


def drop(db: apsw.Connection, kind: Kind, entry_id: int) -> None:
    """An entry that is no more, or is about to be indexed anew; its vector goes with it."""
    span = (row_number(kind, entry_id), row_number(kind, entry_id, MOST_PASSAGES - 1))
    db.execute("DELETE FROM entries_fts WHERE rowid BETWEEN ? AND ?", span)
    db.execute("DELETE FROM entry_vectors WHERE entry = ?", (entry_number(kind, entry_id),))


def texts(title: str, body: str) -> tuple[str, list[str]]:
    """(title, passages) as they are indexed."""
    return _plain(title[:_TITLE_CHARS]), [_plain(passage) for passage in passages(body)]


def observation_body(draft: Draft) -> str:
    """What an observation is found by besides its title."""
    paths = (*(mark.path for mark in draft.files_changed), *draft.files_read)
    return "\n".join((draft.subtitle, draft.narrative, *draft.facts, " ".join(paths)))


def summary_body(draft: SummaryDraft) -> str:
    """What a summary is found by besides the request."""
    told = (draft.investigated, draft.learned, draft.completed, draft.next_steps)
    return "\n".join((*told, " ".join(draft.files)))


def prompt_title(text: str) -> str:
    """The start of the first line that says something."""
    return text.strip()[:_PROMPT_TITLE_CHARS].partition("\n")[0]


def contents(
    db: apsw.Connection, kind: Kind, where: str, arguments: Sequence[Any]
) -> Iterator[tuple[int, int, str, str]]:
    """(id, project id, title, body) of the entries of a kind that ``where`` picks."""
    if kind == "observation":
        sql = f"SELECT {rows.OBSERVATION} FROM observations o WHERE {where}"
        for row in db.execute(sql, arguments):
            draft = rows.observation(row).draft
            yield row[0], row[2], draft.title, observation_body(draft)
    elif kind == "summary":
        sql = f"SELECT {rows.SUMMARY} FROM summaries o WHERE {where}"
        for row in db.execute(sql, arguments):
            told = rows.summary(row).draft
            yield row[0], row[2], told.request, summary_body(told)
    else:
        sql = f"SELECT o.id, o.project_id, o.text FROM prompts o WHERE o.private = 0 AND {where}"
        for prompt_id, project_id, text in db.execute(sql, arguments):
            yield prompt_id, project_id, prompt_title(text), text


def move_project(db: apsw.Connection, source: int, target: int) -> None:
    """Index a project's entries under another; their texts are read again."""
    for kind in KINDS:
        for entry_id, _, title, body in list(contents(db, kind, "o.project_id = ?", (source,))):
            put(db, kind, entry_id, target, title=title, body=body)


def bring_up_to_date(db: apsw.Connection) -> bool:
    """Index everything anew where the file was written by another version of this module.

    In one transaction. True when that was done.
    """
    ((version,),) = db.execute("PRAGMA user_version")
    if version == VERSION:
        return False
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("INSERT INTO entries_fts (entries_fts) VALUES ('delete-all')")
        for kind in KINDS:
            ((last,),) = db.execute(f"SELECT coalesce(max(id), 0) FROM {TABLES[kind]}")
            for start in range(0, last + 1, _BATCH):
                span = (start, start + _BATCH - 1)
                found = list(contents(db, kind, "o.id BETWEEN ? AND ?", span))
                for entry_id, project_id, title, body in found:
                    put(db, kind, entry_id, project_id, title=title, body=body)
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    return True


def _plain(text: str) -> str:
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
