"""Why a parse was ended before its end."""

from __future__ import annotations


class TooSlow(Exception):
    """It took longer than it may."""


class TooDeep(Exception):
    """It nests deeper than ``levels``."""

    def __init__(self, levels: int) -> None:
        super().__init__(f"more than {levels:,} levels")
        self.levels = levels
