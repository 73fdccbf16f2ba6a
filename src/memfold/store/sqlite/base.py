"""What every part of the store uses: a connection to read by, the writer, and row helpers."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import apsw

from memfold.store.sqlite.connection import Readers
from memfold.store.sqlite.writer import Writer

T = TypeVar("T")
COMPRESS_FROM_BYTES = 4_096


class Base:
    """Reads borrow a connection; writes go through the one writer."""

    def __init__(self, path: Path, writer: Writer, evidence_max_bytes: int) -> None:
        self._path = path
        self._writer = writer
        self._evidence_max_bytes = evidence_max_bytes
        self._readers = Readers(path, writer.condition)

    def trouble(self) -> str:
        """Why nothing can be written now; empty where it can."""
        wrong = self._writer.condition.trouble
        return str(wrong) if wrong is not None else ""

    def _read(self, sql: str, arguments: Sequence[Any] | dict[str, Any] = ()) -> list[Any]:
        given = arguments if isinstance(arguments, dict) else tuple(arguments)
        with self._readers.connection() as connection:
            return list(connection.execute(sql, given))

    def _write(self, job: Callable[[apsw.Connection], T], *, durable: bool = False) -> T:
        return self._writer.run(job, durable=durable)


def new_uid(now_ms: int | None = None) -> str:
    """A time-ordered id, unique across machines: 12 hex digits of ms, 20 of chance."""
    stamp = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    return f"{stamp & 0xFFFFFFFFFFFF:012x}{os.urandom(10).hex()}"


def to_json(value: Any) -> str:
    """Compact JSON; a lone surrogate is kept as an escape, so that UTF-8 can carry it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def packed(texts: Sequence[str]) -> tuple[str, list[bytes]]:
    """(codec, blobs): compressed where the texts together are large."""
    raw = [text.encode("utf-8") for text in texts]
    if sum(map(len, raw)) < COMPRESS_FROM_BYTES:
        return "json", raw
    import zstandard  # late: 5 ms of a cold start, needed for large values alone

    compressor = zstandard.ZstdCompressor(level=3)
    return "zstd", [compressor.compress(part) for part in raw]


def unpacked(codec: str, blob: bytes) -> Any:
    """The JSON value of a stored blob."""
    return json.loads(unpacked_text(codec, blob))


def unpacked_text(codec: str, blob: bytes) -> str:
    """The JSON text of a stored blob."""
    if codec == "zstd":
        import zstandard  # late: as above

        blob = zstandard.decompress(blob)
    return blob.decode("utf-8")


def marks(count: int) -> str:
    """``?,?,?`` for a list of values."""
    return ",".join("?" * count)
