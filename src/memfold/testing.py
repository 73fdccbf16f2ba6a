"""Fakes of slow ports, for our own tests and for those of others."""

from __future__ import annotations


class FakeClock:
    """Unix ms that stand still until they are moved."""

    def __init__(self, now_ms: int = 1_780_000_000_000) -> None:
        self.now_ms = now_ms

    def __call__(self) -> int:
        return self.now_ms

    def pass_ms(self, ms: int) -> None:
        """Move on, or with a negative number back as a corrected clock does."""
        self.now_ms += ms
