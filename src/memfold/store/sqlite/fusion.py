"""What words find and what is near in meaning, as one list.

A rank says nothing of how far an entry is ahead. So each counts by words as far as it stands out
of all that is looked at, and by meaning as near as it is between the farthest and the nearest: the
one entry that holds a rare name stays first, and where words tell entries hardly apart meaning
decides. Figures: docs/decisions/0014-search-ranks-passages.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import fmean

from memfold.records import Kind

Ref = tuple[Kind, int]

_LOOKED_AT = 100  # the best of each list
_WORDS = 0.3  # what one standard deviation by words counts; the nearest in meaning counts 1
_EQUAL = 1e-9  # of the mean: scores that differ by less are the same but for rounding


def fused(by_words: Mapping[Ref, float], by_meaning: Mapping[Ref, float]) -> dict[Ref, float]:
    """One score for each of the best of both; what words do not find has 0 by words."""
    refs = dict.fromkeys([*_best(by_words), *_best(by_meaning)])
    words = [by_words.get(ref, 0.0) for ref in refs]
    mean = fmean(words)
    spread = math.sqrt(fmean((one - mean) ** 2 for one in words))  # pstdev(), but quicker
    farthest, nearest = min(by_meaning.values()), max(by_meaning.values())
    scores: dict[Ref, float] = {}
    for ref, score in zip(refs, words, strict=True):
        ahead = (score - mean) / spread if spread > _EQUAL * mean else 0.0
        near = by_meaning.get(ref, farthest) - farthest
        scores[ref] = _WORDS * ahead + (near / (nearest - farthest) if near else 0.0)
    return scores


def _best(scores: Mapping[Ref, float]) -> list[Ref]:
    return sorted(scores, key=lambda ref: -scores[ref])[:_LOOKED_AT]
