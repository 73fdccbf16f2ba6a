"""What is said when a call fails: the contract's own words, or one neutral sentence."""

from __future__ import annotations

from memfold.errors import MemfoldError

NEUTRAL = "internal - memfold could not answer this call. The cause is in memfold's log; go on."


def failure_text(error: MemfoldError) -> str:
    """``code - message next_step``: clients and agents rely on the code coming first."""
    return f"{error.code} - {error.message} {error.next_step}".rstrip()
