"""Keyword search over entries, on SQLite's FTS5.

Any text is a valid query: it is reduced to words, each quoted, joined by OR. Rank is BM25 with
the title weighted, times a small factor for the kind, times how much of the query is met.
"""

from __future__ import annotations

from collections.abc import Sequence

from memfold.records import Entry, Kind, SearchFilters
from memfold.store.sqlite import full_text, rows
from memfold.store.sqlite.base import Base, marks
from memfold.store.sqlite.library import ENTRIES, SHOWN, entry
from memfold.store.words import asked_words, content_words

NEWEST_MATCHES = 5_000  # a broad query ranks only these
_KIND_FACTOR: dict[Kind, float] = {"observation": 1.0, "summary": 0.9, "prompt": 0.7}
_MOST_WORDS = 32
_PREFIX_FROM = 5  # letters; shorter words match whole, longer ones as a start too


class SearchPart(Base):
    """Implements ports.Library.search."""

    def search(
        self,
        project_ids: Sequence[int] | None,
        query: str,
        limit: int,
        filters: SearchFilters = SearchFilters(),  # noqa: B008  # frozen, so shared safely
    ) -> tuple[Entry, ...]:
        words = content_words(query)[:_MOST_WORDS]
        if not words or (project_ids is not None and not project_ids):
            return ()
        any_word = " OR ".join(_term(word) for word in words)
        match = f"{{title body words}} : ({any_word})"
        if project_ids is not None:
            owners = " OR ".join(f'"p{project_id}"' for project_id in project_ids)
            match = f"project : ({owners}) AND {match}"
        wide = 400 if filters != SearchFilters() else max(80, limit * 4)
        scores = {
            full_text.entry_of(row): -score
            for row, score in self._read(_RANKED, (match, match, NEWEST_MATCHES, wide))
        }
        found = [
            (shown, scores[shown.kind, shown.id])
            for shown in self._entries(list(scores))
            if self._passes(shown, filters)
        ]
        ranked = sorted(found, key=lambda pair: (-_score(pair[0], pair[1], words), -pair[0].at_ms))
        return tuple(shown for shown, _ in ranked[:limit])

    def _entries(self, refs: Sequence[tuple[Kind, int]]) -> list[Entry]:
        found: list[Entry] = []
        for kind, select in ENTRIES.items():
            ids = [entry_id for ref_kind, entry_id in refs if ref_kind == kind]
            sql = f"{select} WHERE o.id IN ({marks(len(ids))}) AND {SHOWN[kind]}"
            found += [entry(row) for row in self._read(sql, ids)]
        return found

    def _passes(self, shown: Entry, filters: SearchFilters) -> bool:
        if filters.since_ms is not None and shown.at_ms < filters.since_ms:
            return False
        if filters.until_ms is not None and shown.at_ms > filters.until_ms:
            return False
        if not (filters.types or filters.concepts or filters.files):
            return True
        if shown.kind != "observation" or (filters.types and shown.type not in filters.types):
            return False
        if not (filters.concepts or filters.files):
            return True
        sql = f"SELECT {rows.OBSERVATION} FROM observations o WHERE o.id = ?"
        draft = rows.observation(self._read(sql, (shown.id,))[0]).draft
        paths = [mark.path for mark in draft.files_changed] + list(draft.files_read)
        return (not filters.concepts or bool(set(filters.concepts) & set(draft.concepts))) and (
            not filters.files or any(part in path for part in filters.files for path in paths)
        )


def _term(word: str) -> str:
    quoted = '"' + word.replace('"', "") + '"'
    return f"{quoted} OR {quoted} *" if len(word) >= _PREFIX_FROM else quoted


def _score(shown: Entry, bm25: float, words: Sequence[str]) -> float:
    title = {word[:_PREFIX_FROM] for word in asked_words(shown.title)}
    met = sum(word[:_PREFIX_FROM] in title for word in words)
    return bm25 * _KIND_FACTOR[shown.kind] * (1 + met / len(words))


_RANKED = """
SELECT rowid, bm25(entries_fts, 4.0, 1.0, 1.5, 0.0) AS score FROM entries_fts
 WHERE entries_fts MATCH ? AND rowid >= (SELECT coalesce(min(rowid), 0) FROM (
   SELECT rowid FROM entries_fts WHERE entries_fts MATCH ? ORDER BY rowid DESC LIMIT ?))
 ORDER BY score LIMIT ?
"""
