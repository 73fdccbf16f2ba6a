"""Keyword search over entries, on SQLite's FTS5.

Any text is a valid query: it is reduced to words, each quoted, joined by OR. Rank is BM25 with
the title weighted, times a small factor for the kind, times how much of the query is met.
"""

from __future__ import annotations

from collections.abc import Sequence

from memfold.records import Entry, Kind, SearchFilters
from memfold.store.sqlite import full_text
from memfold.store.sqlite.base import Base, marks
from memfold.store.sqlite.filters import conditions
from memfold.store.sqlite.library import ENTRIES, SHOWN, entry
from memfold.store.sqlite.queries import named
from memfold.store.words import asked_words, content_words

SQL = named("search")
NEWEST_MATCHES = 3_000  # a broad query ranks only these
_FREQUENT = 200  # entries that hold a word, beyond which its start is not looked for
_KIND_FACTOR: dict[Kind, float] = {"observation": 1.0, "summary": 0.9, "prompt": 0.7}
_MOST_WORDS = 32
_STARTS_FROM = 5  # letters; shorter words match whole only


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
        narrowed = conditions(filters)
        terms = [self._term(project_ids, word) for word in words]
        match = _match(project_ids, terms)
        newest = self._newest(match, narrowed, NEWEST_MATCHES)
        if not newest:
            return ()
        where, arguments = narrowed
        sql = SQL["ranked"].format(filters=where)
        best = self._read(sql, (match, newest[-1], *arguments, max(80, limit * 4)))
        scores = {full_text.entry_of(row): -score for row, score in best}
        found = [(shown, scores[shown.kind, shown.id]) for shown in self._entries(list(scores))]
        ranked = sorted(found, key=lambda pair: (-_score(pair[0], pair[1], words), -pair[0].at_ms))
        return tuple(shown for shown, _ in ranked[:limit])

    def _term(self, project_ids: Sequence[int] | None, word: str) -> str:
        """The word, and what begins with it where the word itself is found in few entries.

        A start costs a walk over all words that begin so, and a frequent word needs it least.
        """
        whole = f'"{word}"'  # a word holds letters and digits only
        if len(word) < _STARTS_FROM:
            return whole
        few = self._newest(_match(project_ids, [whole]), ("", ()), _FREQUENT)
        return f"{whole} OR {whole} *" if len(few) < _FREQUENT else whole

    def _newest(
        self, match: str, narrowed: tuple[str, tuple[str | int, ...]], limit: int
    ) -> list[int]:
        where, arguments = narrowed
        sql = SQL["newest"].format(filters=where)
        return [row[0] for row in self._read(sql, (match, *arguments, limit))]

    def _entries(self, refs: Sequence[tuple[Kind, int]]) -> list[Entry]:
        found: list[Entry] = []
        for kind, select in ENTRIES.items():
            ids = [entry_id for ref_kind, entry_id in refs if ref_kind == kind]
            sql = f"{select} WHERE o.id IN ({marks(len(ids))}) AND {SHOWN[kind]}"
            found += [entry(row) for row in self._read(sql, ids)]
        return found


def _match(project_ids: Sequence[int] | None, terms: Sequence[str]) -> str:
    match = f"{{title body words}} : ({' OR '.join(terms)})"
    if project_ids is None:
        return match
    owners = " OR ".join(f'"p{project_id}"' for project_id in project_ids)
    return f"project : ({owners}) AND {match}"


def _score(shown: Entry, bm25: float, words: Sequence[str]) -> float:
    title = {word[:_STARTS_FROM] for word in asked_words(shown.title)}
    met = sum(word[:_STARTS_FROM] in title for word in words)
    return bm25 * _KIND_FACTOR[shown.kind] * (1 + met / len(words))
