"""Everything that is stored, row by row, out of one store and into another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Line = tuple[str, dict[str, Any]]  # table, values


@dataclass(slots=True)
class ImportCount:
    """What became of the rows of an export, a count a table."""

    new: dict[str, int] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)  # were there already
    forgotten: dict[str, int] = field(default_factory=dict)  # or learned from what was
    retired: dict[str, int] = field(default_factory=dict)
    renumbered: dict[str, int] = field(default_factory=dict)  # new, under another id
    lists: dict[str, str] = field(default_factory=dict)  # a list -> its name here


class ImportRun(Protocol):
    """One export being taken in; rows come in the order in which they were exported."""

    @property
    def count(self) -> ImportCount: ...

    def take(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Store what is not there, in one transaction. Raises InvalidInput, StoreError."""
        ...

    def finish(self) -> None:
        """Put in order what is made from rows. Nothing is missing after this."""
        ...


class Transfer(Protocol):
    """Rows are known again by what they are, not by their number here."""

    def export_lines(self) -> Iterator[Line]:
        """Every row as it was at one moment, those first that others name. Raises StoreError."""
        ...

    def count_lines(self) -> int:
        """About how many there are."""
        ...

    def schema(self) -> int:
        """The schema whose columns the lines have."""
        ...

    def import_run(self) -> ImportRun:
        """A run over one export; a run over the same export again changes nothing."""
        ...
