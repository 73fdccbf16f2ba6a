"""What proving the way in needs of a store."""

from __future__ import annotations

from typing import Protocol

MOST_PROBES = 20  # kept; a probe is asked for right after it was sent


class ProbeShelf(Protocol):
    """Probes that arrived. They are no events: nothing is counted or shown of them."""

    def put_probe(self, nonce: str, host: str, *, at_ms: int) -> None:
        """Keep it, and let go of all but the newest."""
        ...

    def probe_from(self, nonce: str) -> str | None:
        """The host that one came from; None where it did not arrive."""
        ...
