"""Copies of everything that is stored: as a database file, and row by row."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class CopyMade:
    """A checked copy."""

    schema: int
    bytes: int


class Copying(Protocol):
    """A copy of the store as it is at one moment."""

    def copy_to(self, target: Path) -> CopyMade:
        """Write all that is stored to one file, checked, whole or not at all.

        Writes go on meanwhile. Raises StoreError when the copy is not sound, StoreFull.
        """
        ...
