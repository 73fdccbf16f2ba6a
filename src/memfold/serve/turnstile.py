"""How many hooks may be inside at once: more are sent away, and keep their events in the spool.

Each one inside holds its payload, and several times that while it is read as JSON. Without a bound
two hundred sessions could bring gigabytes in a second; with it the disk takes what memory cannot.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memfold.errors import Busy

MOST = 256  # hooks at once
MOST_BYTES = 64 * 1024 * 1024  # of their payloads; a larger one is let in when nobody is inside


class Turnstile:
    """Counts who is inside. For one thread: the event loop's."""

    def __init__(self, most: int = MOST, most_bytes: int = MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self.inside = 0
        self.inside_bytes = 0

    @contextmanager
    def entered(self, size_bytes: int) -> Iterator[None]:
        """Inside, with a payload of this size. Raises Busy where there is no room."""
        full = self.inside >= self._most or self.inside_bytes + size_bytes > self._most_bytes
        if full and self.inside:
            raise Busy("memfold is taking in as much as it can hold.")
        self.inside += 1
        self.inside_bytes += size_bytes
        try:
            yield
        finally:
            self.inside -= 1
            self.inside_bytes -= size_bytes
