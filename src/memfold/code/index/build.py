"""An index brought up to date with its tree: what changed is read and parsed again, no more."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from memfold.code.index import words
from memfold.code.index.tree import IGNORE, Look, look
from memfold.store.needs.symbols import FileStamp, FileSymbols, SymbolIndex, SymbolRow

MOST_BYTES = 1024 * 1024  # of a file that is parsed
_AT_ONCE = 100  # files of one transaction
_TICK_NS = 2_000_000_000  # a file written twice within one tick of its clock looks the same
_BINARY = b"\0"


@dataclass(frozen=True, slots=True)
class Parsers:
    """How files are read, given by whoever knows languages."""

    wanted: Callable[[str], bool]  # whether a path is kept at all
    language: Callable[[str], str]  # of a path; '' for none
    symbols: Callable[[str, bytes], Sequence[SymbolRow]]  # of a path's bytes; never raises
    text: Callable[[bytes], str]


@dataclass(frozen=True, slots=True)
class Progress:
    """Of the files that changed since the last look."""

    done: int
    total: int
    files: int = 0  # in the tree
    left_out: int = 0  # for there are too many

    @property
    def is_whole(self) -> bool:
        return self.done == self.total


def refresh(index: SymbolIndex, root: str, parsers: Parsers) -> Generator[Progress, None, None]:
    """Bring the index of ``root`` up to date in steps; may be left after any of them."""
    known = index.files(root)
    folders = index.folders(root)
    now = look(root, known, folders, parsers.wanted)
    total = len(now.changed)
    if now.is_same:
        if now.folders != folders:
            index.put(root, (), folders=now.folders)
        yield _progress(now, 0)
        return
    index.put(root, (), gone=now.gone)
    paths = sorted(now.changed)
    for start in range(0, total, _AT_ONCE):
        batch = paths[start : start + _AT_ONCE]
        touched: dict[str, FileStamp] = {}
        anew: list[FileSymbols] = []
        for path in batch:
            data, stamp = _read(os.path.join(root, path))
            earlier = known.get(path)
            if earlier is not None and stamp.digest and earlier.digest == stamp.digest:
                touched[path] = stamp
            else:
                anew.append(_parsed(root, path, data, stamp, parsers))
        index.restamp(root, touched)
        index.put(root, anew)
        if start + _AT_ONCE < total:
            yield _progress(now, start + _AT_ONCE)
    index.put(root, (), folders=now.folders)
    yield _progress(now, total)


def _progress(now: Look, done: int) -> Progress:
    return Progress(done, len(now.changed), now.files, now.left_out)


def _parsed(root: str, path: str, data: bytes, stamp: FileStamp, parsers: Parsers) -> FileSymbols:
    language = parsers.language(path)
    if not data or path.endswith(IGNORE) or _BINARY in data[:8_192]:
        return FileSymbols(path, stamp, language)
    symbols = parsers.symbols(os.path.join(root, path), data) if language else ()
    bits = words.packed(words.words_of(parsers.text(data)))
    return FileSymbols(path, stamp, language, bits, symbols)


def _read(path: str) -> tuple[bytes, FileStamp]:
    """(bytes, stamp); nothing of a file that is too large or cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            now = os.fstat(file.fileno())
            fits = stat.S_ISREG(now.st_mode) and now.st_size <= MOST_BYTES
            data = file.read(MOST_BYTES) if fits else b""
    except OSError:
        return b"", FileStamp(0, 0)  # looked at again next time
    digest = hashlib.blake2b(data, digest_size=16).digest()
    settled = time.time_ns() - now.st_mtime_ns > _TICK_NS
    return data, FileStamp(now.st_size, now.st_mtime_ns if settled else 0, digest)
