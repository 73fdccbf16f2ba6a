"""The symbols of workspaces. All of it can be made again from the files themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


@dataclass(frozen=True, slots=True)
class SymbolRow:
    """One definition in a file."""

    name: str
    kind: str
    line: int
    end_line: int
    parent: str = ""  # names of what it stands in, joined by dots
    signature: str = ""
    doc: str = ""  # first line
    exported: bool = False


class FileStamp(NamedTuple):  # made by the thousand
    """What tells that a file is as it was."""

    size: int
    mtime_ns: int
    digest: bytes = b""  # of its bytes


@dataclass(frozen=True, slots=True)
class FileSymbols:
    """What is kept of one file."""

    path: str  # below the root
    stamp: FileStamp
    language: str = ""
    words: bytes = b""  # which words stand in it: see code/index/words.py
    symbols: Sequence[SymbolRow] = ()


@dataclass(frozen=True, slots=True)
class Within:
    """Which files are meant; empty for all."""

    under: str = ""  # a file or folder below the root
    pattern: str = ""  # of shell: *.py, src/*_test.go; without a slash it is a file's name


@dataclass(frozen=True, slots=True)
class Found:
    """A symbol and where it stands; ``rank`` 0 is the best."""

    path: str
    symbol: SymbolRow
    rank: int


@dataclass(frozen=True, slots=True)
class IndexSize:
    files: int
    symbols: int
    bytes_on_disk: int


class SymbolIndex(Protocol):
    """Symbols by workspace root. Safe to use from any thread."""

    def files(self, root: str) -> Mapping[str, FileStamp]:
        """Every file that is known below the root."""
        ...

    def folders(self, root: str) -> Mapping[str, int]:
        """Every folder that was looked into -> its mtime (ns) then."""
        ...

    def put(
        self,
        root: str,
        files: Sequence[FileSymbols],
        gone: Collection[str] = (),
        folders: Mapping[str, int] | None = None,
    ) -> None:
        """Keep these files' symbols in place of what was known of them, in one transaction.

        ``gone``: paths of files that are no more. ``folders``: all there are now, where given.
        """
        ...

    def restamp(self, root: str, stamps: Mapping[str, FileStamp]) -> None:
        """These files were touched and hold what they held."""
        ...

    def named(
        self,
        root: str,
        query: str,
        most: int,
        within: Within = Within(),  # frozen
    ) -> tuple[Found, ...]:
        """Symbols by name, best first: equal, beginning so, by its parts, within, in that order
        of letters.
        """
        ...

    def told_of(self, root: str, text: str, paths: Sequence[str], most: int) -> tuple[Found, ...]:
        """Symbols of these files whose signature or doc holds the text."""
        ...

    def words(self, root: str, within: Within = Within()) -> Sequence[tuple[str, bytes]]:
        """(path, words) of every file, by path."""
        ...

    def size(self, root: str) -> IndexSize: ...

    def clear(self) -> None:
        """Nothing is kept, and no byte of it is left."""
        ...

    def close(self) -> None: ...
