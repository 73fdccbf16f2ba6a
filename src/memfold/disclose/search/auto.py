"""Mode ``auto``: which of the matching entries are worth reading. No model, pure.

Entries are ranked by how many of the question's telling words their titles have, then their
texts; a word that few candidates have counts more. Different sessions are preferred when their
scores are close, because one question is often met in several.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memfold.disclose.search.words import stems, telling
from memfold.records import Details, Entry

MAX_OTHERS = 5  # further titles that the reply shows
_IN_TEXT = 0.5  # a word met in the text only, against one in the title
_ORDER = 0.15  # what the store's own order adds for its first; half for its second, and so on
_CLOSE = 0.7  # another session is taken at this share of the best that is left
_WORTH = 0.4  # of the best score: below it an entry is not read unasked
_FEW_WORDS = 1 / 3  # of the telling words: below it nothing is good enough
_REQUEST = 0.8  # a summary names the whole session: a little less telling than one finding


@dataclass(frozen=True, slots=True)
class Scored:
    entry: Entry
    score: float
    share: float  # of the question's telling words that it has at all
    in_title: int  # telling words in the title


def scored(query: str, entries: Sequence[Entry], texts: Mapping[str, str]) -> list[Scored]:
    """Best first. ``entries`` in the store's order; ``texts``: ref -> full text where known."""
    words = telling(query)
    titles = [stems(entry.title) & words for entry in entries]
    bodies = [stems(texts.get(entry.ref, "")) & words for entry in entries]
    weight = {
        word: math.log(1 + len(entries) / (0.5 + sum(word in t or word in b for t, b in both)))
        for both in [list(zip(titles, bodies, strict=True))]
        for word in words
    }
    whole = sum(weight.values()) or 1.0
    rows = []
    for at, entry in enumerate(entries):
        title, body = titles[at], bodies[at] - titles[at]
        score = sum(weight[w] for w in title) + _IN_TEXT * sum(weight[w] for w in body)
        score = score / whole + _ORDER / (1 + at)
        if entry.kind == "summary":
            score *= _REQUEST
        share = len(title | body) / max(len(words), 1)
        rows.append(Scored(entry, score, share, len(title)))
    # Stable: equal scores keep the store's order.
    return sorted(rows, key=lambda row: -row.score)


def worth_reading(rows: Sequence[Scored], most: int) -> list[Scored]:
    """At most ``most`` entries to read in full, best first; empty when nothing is good enough."""
    left = [row for row in rows if row.entry.kind != "prompt"]
    if not left or left[0].share < _FEW_WORDS:
        return []
    best = left[0].score
    chosen: list[Scored] = []
    while left and len(chosen) < most and left[0].score >= _WORTH * best:
        met = {row.entry.session for row in chosen}
        near = [row for row in left if row.score >= _CLOSE * left[0].score]
        pick = next((row for row in near if row.entry.session not in met), left[0])
        chosen.append(pick)
        left.remove(pick)
    return sorted(chosen, key=lambda row: -row.score)


def text_of(details: Details) -> str:
    """All words of an entry, for matching."""
    if details.observation is not None:
        draft = details.observation.draft
        paths = [*draft.files_read, *(mark.path for mark in draft.files_changed)]
        return " ".join([draft.subtitle, draft.narrative, *draft.facts, *paths])
    if details.summary is not None:
        summary = details.summary.draft
        said = (summary.investigated, summary.learned, summary.completed, summary.next_steps)
        return " ".join([summary.request, *said, *summary.files])
    return details.prompt.text if details.prompt is not None else ""
