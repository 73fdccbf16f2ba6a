"""What words find and what is near in meaning, as one list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.store.sqlite.fusion import Ref, fused

SCORES = st.dictionaries(
    st.tuples(st.just("observation"), st.integers(1, 150)),
    st.integers(0, 50_000).map(lambda score: score / 1_000),
    max_size=150,
)


def ref(number: int) -> Ref:
    return "observation", number


def in_order(scores: dict[Ref, float]) -> list[int]:
    return [number for _, number in sorted(scores, key=lambda one: -scores[one])]


@pytest.mark.parametrize(
    "words", [{1: 3.0}, {1: 9.0, 2: 3.0, 3: 2.9, 4: 2.8, 5: 2.8}, {1: 1.0, 120: 0.1}]
)
def test_what_stands_far_out_by_words_is_first_however_far_in_meaning(
    words: dict[int, float],
) -> None:
    meaning = {ref(number): 1.7 - number / 100 for number in range(2, 102)}
    found = fused({ref(number): score for number, score in words.items()}, meaning)
    assert in_order(found)[0] == 1


def test_meaning_decides_where_words_tell_entries_hardly_apart() -> None:
    words = {ref(number): float(number) for number in range(1, 11)}
    assert in_order(fused(words, {ref(9): 1.5, ref(8): 1.0, ref(10): 0.9}))[0] == 9
    assert in_order(fused(words, {ref(1): 1.5, ref(10): 1.4, ref(9): 0.9}))[0] == 10


def test_a_difference_by_rounding_is_none() -> None:
    words = {ref(1): 0.1 + 0.2, ref(2): 0.3, ref(3): 0.3}
    assert in_order(fused(words, {ref(1): 0.98, ref(2): 1.0, ref(3): 0.0})) == [2, 1, 3]


def test_meaning_alone_orders_by_nearness() -> None:
    assert in_order(fused({}, {ref(1): 0.2, ref(2): 0.9, ref(3): 0.5})) == [2, 3, 1]


@given(SCORES, SCORES.filter(bool))
def test_the_best_of_each_list_is_there_with_a_finite_score(
    words: dict[Ref, float], meaning: dict[Ref, float]
) -> None:
    scores = fused(words, meaning)
    assert scores.keys() <= words.keys() | meaning.keys()
    assert all(-1e3 < score < 1e3 for score in scores.values())
    for given_ in (words, meaning):
        if given_:
            assert max(given_, key=lambda one: given_[one]) in scores


@given(SCORES.filter(lambda scores: len(scores) > 1), st.floats(0.5, 40))
def test_only_how_scores_differ_matters_not_their_scale(words: dict[Ref, float], by: float) -> None:
    """A long question scores higher everywhere; that moves nothing."""
    meaning = {one: 1 + number / 200 for number, one in enumerate(words)}
    once = fused(words, meaning)
    again = fused({one: score * by for one, score in words.items()}, meaning)
    assert once.keys() == again.keys()
    assert all(abs(once[one] - again[one]) < 1e-6 for one in once)
