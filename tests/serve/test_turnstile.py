"""Never more hooks inside than there is room for, and never nobody when one wants in."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.errors import Busy
from memfold.serve.turnstile import Turnstile

MOST, MOST_BYTES = 4, 100
MOVES = st.lists(st.tuples(st.booleans(), st.integers(0, 150)), max_size=40)


@given(moves=MOVES)
def test_the_bounds_hold_whoever_comes_and_goes(moves: list[tuple[bool, int]]) -> None:
    turnstile = Turnstile(MOST, MOST_BYTES)
    inside: list[tuple[int, ExitStack]] = []
    for comes, size in moves:
        if comes:
            stay = ExitStack()
            fits = len(inside) < MOST and sum(n for n, _ in inside) + size <= MOST_BYTES
            try:
                stay.enter_context(turnstile.entered(size))
            except Busy:
                assert inside, "one alone is always let in"
                assert not fits
            else:
                assert fits or not inside
                inside.append((size, stay))
        elif inside:
            inside.pop(size % len(inside))[1].close()
        assert (turnstile.inside, turnstile.inside_bytes) == (
            len(inside),
            sum(n for n, _ in inside),
        )
        assert turnstile.inside <= MOST
        assert turnstile.inside_bytes <= MOST_BYTES or turnstile.inside == 1
    for _, stay in inside:
        stay.close()


def test_one_that_fails_makes_room_again() -> None:
    turnstile = Turnstile(1, MOST_BYTES)
    with pytest.raises(ZeroDivisionError), turnstile.entered(1):
        raise ZeroDivisionError
    with turnstile.entered(1):
        assert turnstile.inside == 1
