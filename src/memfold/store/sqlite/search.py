"""Keyword search over entries, on SQLite's FTS5.

Any text is a valid query: it is reduced to words, each quoted. A word that few rows have picks
its rows, however old; a word that many have counts for those, and picks only the newest. So the
cost is bounded by what is ranked, not by what is stored. An entry is as good as its best passage.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from memfold.records import Entry, Kind, SearchFilters
from memfold.store.alike import about_the_same
from memfold.store.sqlite import full_text, ranking
from memfold.store.sqlite.base import marks
from memfold.store.sqlite.filters import Conditions, conditions
from memfold.store.sqlite.fusion import Ref, fused
from memfold.store.sqlite.library import ENTRIES, SHOWN, entry
from memfold.store.sqlite.queries import named
from memfold.store.sqlite.vectors import VectorPart
from memfold.store.words import content_words, names

SQL = named("search")
MOST_RANKED = 2_000  # rows that rare words may pick together
_FREQUENT = 1_000  # rows that hold a word, from which on it is frequent
_KIND_FACTOR: dict[Kind, float] = {"observation": 1.0, "summary": 0.9, "prompt": 0.7}
_MOST_WORDS = 32
_NEARLY_AS_GOOD = 0.92  # of the best score
_MOST_LOOKED_AT = 3  # entries of which the latest may be put first
_STARTS_FROM = 5  # letters; shorter words match whole only
_COMMON = 0.1  # share of the newest rows that hold a name, above which it tells little


@dataclass(frozen=True, slots=True)
class _Term:
    word: str
    phrase: str  # of the full-text query
    newest: Sequence[int] = ()  # rows that have it
    having: int = 0  # how many do; estimated from _FREQUENT on

    @property
    def frequent(self) -> bool:
        return self.having >= _FREQUENT


class SearchPart(VectorPart):
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
        asked = _Query(self, project_ids, words, names(query), narrowed)
        by_words = _best(asked.ranked(limit))
        by_meaning = _best(self.nearest(project_ids, query, narrowed, alone=not by_words))
        scores = fused(by_words, by_meaning) if by_meaning else by_words
        first = sorted(scores, key=lambda ref: -scores[ref])[: max(80, limit * 4)]
        found = self._entries(first)
        found.sort(key=lambda one: (-scores[one.kind, one.id], -one.at_ms, -one.id))
        return tuple(self._latest_word_first(found, by_words)[:limit])

    def newest_of_all(self, limit: int) -> list[int]:
        return [row[0] for row in self._read(SQL["newest_of_all"], (limit,))]

    def newest_rows(self, match: str, narrowed: Conditions, limit: int) -> list[int]:
        where, arguments = narrowed
        sql = SQL["newest"].format(filters=where)
        return [row[0] for row in self._read(sql, (match, *arguments, limit))]

    def ranked_rows(
        self, match: str, weights: Sequence[float | None], narrowed: Conditions, limit: int
    ) -> list[tuple[int, float]]:
        where, arguments = narrowed
        sql = SQL["ranked"].format(filters=where, weights=marks(len(weights)))
        return self._read(sql, (*weights, match, *arguments, limit))

    def _latest_word_first(self, found: list[Entry], by_words: Mapping[Ref, float]) -> list[Entry]:
        """The same list, a later entry before the best where it says what holds now.

        That is one of another session, nearly as good by words, about the same matter.
        """
        if not found:
            return found
        best = found[0]
        least = _NEARLY_AS_GOOD * by_words.get((best.kind, best.id), math.inf)
        later = [
            one
            for one in found[1:_MOST_LOOKED_AT]
            if by_words.get((one.kind, one.id), 0.0) >= least
            and one.session != best.session
            and one.at_ms > best.at_ms
        ]
        for one in sorted(later, key=lambda entry: -entry.at_ms):
            if about_the_same(self._text_of(best), self._text_of(one)):
                return [one, *(other for other in found if other is not one)]
        return found

    def _text_of(self, shown: Entry) -> str:
        with self._readers.connection() as db:
            found = full_text.contents(db, shown.kind, "o.id = ?", (shown.id,))
            return "\n".join(f"{title}\n{body}" for _, _, title, body in found)

    def _entries(self, refs: Sequence[tuple[Kind, int]]) -> list[Entry]:
        found: list[Entry] = []
        for kind, select in ENTRIES.items():
            ids = [entry_id for ref_kind, entry_id in refs if ref_kind == kind]
            sql = f"{select} WHERE o.id IN ({marks(len(ids))}) AND {SHOWN[kind]}"
            found += [entry(row) for row in self._read(sql, ids)]
        return found


class _Query:
    """The words of one search, how frequent each is, and the rows they pick."""

    def __init__(
        self,
        store: SearchPart,
        project_ids: Sequence[int] | None,
        words: Sequence[str],
        called: Sequence[Sequence[str]],
        narrowed: Conditions,
    ) -> None:
        self._store = store
        self._owners = [f'project : "p{one}"' for one in project_ids or ()]
        self._narrowed = narrowed
        self._terms = [term for word in words if (term := self._term(word)).having]
        self._shares = {
            part: 1 / len(parts) for parts in called if self._common(parts) for part in parts
        }

    def ranked(self, limit: int) -> list[tuple[int, float]]:
        """(row, rank) of every row worth looking at, in no order; a row may come twice."""
        rare, frequent = self._split()
        rows: list[tuple[int, float]] = []
        if rare:
            rows += self._ranked(rare, [*rare, *frequent] if frequent else [], MOST_RANKED)
        if frequent and len(rows) < MOST_RANKED:
            if len(frequent) > 1:
                rows += self._ranked(frequent, [], _FREQUENT, joined="AND")
            if len(rows) < max(80, limit * 4):
                rows += self._ranked(frequent, [], _FREQUENT)
        return rows

    def _split(self) -> tuple[list[_Term], list[_Term]]:
        """The rarest words that together pick at most MOST_RANKED rows, and the others."""
        rare: list[_Term] = []
        room = MOST_RANKED
        for term in sorted(self._terms, key=lambda one: one.having):
            if term.frequent or term.having > room:
                break
            room -= term.having
            rare.append(term)
        return rare, [term for term in self._terms if term not in rare]

    def _ranked(
        self, picking: Sequence[_Term], counting: Sequence[_Term], limit: int, joined: str = "OR"
    ) -> list[tuple[int, float]]:
        """Rows that ``picking`` finds, ranked by ``counting``, or by ``picking`` where empty."""
        match = self._match(picking, joined)
        none: list[float | None] = [None] * len(self._owners)
        if counting:
            match += f" AND {_columns(counting, 'OR')}"
            none += [None] * len(picking)
        weights = [self._weight(term) for term in counting or picking]
        return self._store.ranked_rows(match, [*none, *weights], self._narrowed, limit)

    def _match(self, terms: Sequence[_Term], joined: str) -> str:
        matched = _columns(terms, joined)
        return f"({' OR '.join(self._owners)}) AND {matched}" if self._owners else matched

    def _term(self, word: str) -> _Term:
        """The word; where it is found nowhere, whatever begins with it."""
        whole = f'"{word}"'  # a word holds letters and digits only
        found = self._counted(_Term(word, whole))
        if found.having or len(word) < _STARTS_FROM:
            return found
        return self._counted(_Term(word, f"{whole} *"))

    def _counted(self, term: _Term) -> _Term:
        match = self._match([term], "OR")
        newest = self._store.newest_rows(match, ("", ()), _FREQUENT)
        return replace(term, newest=newest, having=_estimate(newest))

    def _weight(self, term: _Term) -> float:
        return self._shares.get(term.word, 1.0) * ranking.weight(self._entries, term.having)

    def _common(self, parts: Sequence[str]) -> bool:
        """Whether so many rows hold all parts of a name that together they count as one word.

        A project's own name is in the question, but hardly in what was done there: counted in
        full it hides what is asked about.
        """
        having = [term.newest for term in self._terms if term.word in parts]
        if len(having) < len(parts):
            return False
        return len(set(self._newest).intersection(*having)) > _COMMON * len(self._newest)

    @cached_property
    def _newest(self) -> list[int]:
        """The newest rows of the projects asked."""
        if not self._owners:
            return self._store.newest_of_all(_FREQUENT)
        return self._store.newest_rows(" OR ".join(self._owners), ("", ()), _FREQUENT)

    @cached_property
    def _entries(self) -> int:
        """Rows of the projects asked, estimated."""
        return _estimate(self._newest)


def _best(rows: Sequence[tuple[int, float]]) -> dict[Ref, float]:
    """Each entry with its best passage's score, weighed by its kind."""
    best: dict[Ref, float] = {}
    for row, score in rows:
        ref = full_text.entry_of(row)
        best[ref] = max(best.get(ref, 0.0), score * _KIND_FACTOR[ref[0]])
    return best


def _columns(terms: Sequence[_Term], joined: str) -> str:
    return f"{{title body words}} : ({f' {joined} '.join(term.phrase for term in terms)})"


def _estimate(newest: Sequence[int]) -> int:
    """How many rows match, from the newest of them: exact below _FREQUENT.

    Rows are numbered by age, so their density among the newest is taken for that of all.
    """
    if len(newest) < _FREQUENT:
        return len(newest)
    share = (newest[0] - newest[-1]) / max(newest[0], 1)
    return max(round(_FREQUENT / max(share, 1e-9)), _FREQUENT)
