"""How well a row of the full-text index meets a query: BM25, with what words weigh given by us.

SQLite's own bm25() walks every row of every word to learn how frequent the word is, which takes
seconds for common words in a large store. Here the caller says what each word weighs.
"""

from __future__ import annotations

import math

import apsw

FUNCTION = "memfold_rank"
_TITLE, _BODY, _WORDS = 2.0, 1.0, 0.5  # what a word counts in each column
_K1, _B = 1.2, 0.75  # as in the literature, and in SQLite


def register(connection: apsw.Connection) -> None:
    """Make memfold_rank(entries_fts, weight of each phrase in order ...) known."""
    connection.register_fts5_function(FUNCTION, _rank)


def weight(entries: int, having: int) -> float:
    """What a word weighs that ``having`` of ``entries`` rows have: above 0, more the fewer."""
    return math.log(1 + (max(entries - having, 0) + 0.5) / (having + 0.5))


def _rank(api: apsw.FTS5ExtensionApi, *weights: apsw.SQLiteValue) -> float:
    average = api.column_total_size(-1) / max(api.row_count, 1)
    longer = _K1 * (1 - _B + _B * api.column_size(-1) / max(average, 1))
    score = 0.0
    for phrase, weighs in enumerate(weights):
        if isinstance(weighs, float):  # spelt out: this runs for thousands of rows a search
            title, body, words, _ = api.phrase_locations(phrase)
            met = _TITLE * len(title) + _BODY * len(body) + _WORDS * len(words)
            if met:
                score += weighs * met * (_K1 + 1) / (met + longer)
    return score
