"""Why a parse is ended before its end, or not begun."""

from __future__ import annotations

from itertools import accumulate

# Of brackets open within each other. A grammar that has met an error looks at all that is open
# again, in one step that nothing can end: 9 KB of `%w(` took Rust's 10 s, and all threads waited.
MOST_OPEN = 1_000
_OPEN, _CLOSE = b"([{", b")]}"
_OTHERS = bytes(set(range(256)) - set(_OPEN + _CLOSE))
_ALIKE = bytes.maketrans(_OPEN + _CLOSE, b"((()))")  # which kind closes which is not asked
_LOOKS = 20  # after so many, what is left is counted one by one


class TooSlow(Exception):
    """It took longer than it may."""


class TooDeep(Exception):
    """It nests deeper than ``levels``."""

    def __init__(self, levels: int) -> None:
        super().__init__(f"more than {levels:,} levels")
        self.levels = levels


def check_brackets(source: bytes) -> None:
    """Raises TooDeep. Brackets in strings and comments count as if they were code."""
    brackets = left = source.translate(_ALIKE, _OTHERS)
    for taken in range(_LOOKS):  # each look takes one level at most from the deepest place
        if left.count(b"(") + taken <= MOST_OPEN:
            return
        left = left.replace(b"()", b"")
    steps = [1 if one == ord("(") else -1 for one in brackets]
    depths = list(accumulate(steps))
    lowest = accumulate(depths, min, initial=0)  # what closes more than is open closes nothing
    if max(depth - low for depth, low in zip(depths, lowest, strict=False)) > MOST_OPEN:
        raise TooDeep(MOST_OPEN)
