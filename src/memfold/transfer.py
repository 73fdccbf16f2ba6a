"""`memfold export` and `memfold import memfold`: everything as lines of JSON in one file.

First line: ``["memfold", {"format": 1, "schema": N}]``; then a line a row, ``["prompts", {...}]``;
last ``["end", {"lines": N}]``. Compressed with zstd. The same memory gives the same bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import zstandard

from memfold.errors import InvalidInput, StoreFull, StoreTooNew
from memfold.store.needs.transfer import Transfer

FORMAT = 1
LINE_BYTES = 512 * 1024 * 1024  # longer than anything that memfold stores
_LEVEL = 3
_BATCH_LINES = 500
_BATCH_BYTES = 8_000_000
_TOLD_LINES = 2_000
_MAGIC = b"\x28\xb5\x2f\xfd"


def export_to(store: Transfer, target: Path) -> Iterator[dict[str, Any]]:
    """Progress ``{"done", "total"}``, then ``{"result"}``. The file is whole or not there.

    Raises InvalidInput, StoreError, StoreFull.
    """
    if target.is_dir():
        raise InvalidInput(f"{target} is a directory.", "Name a new file.")
    if target.exists():
        raise InvalidInput(f"{target} is there already.", "Name another file, or remove it first.")
    if not target.parent.is_dir():
        raise InvalidInput(f"{target.parent} is not a directory.", "Make it, or name another.")
    beside = target.with_name(f"{target.name}.{os.getpid()}.part")
    lines, total = 0, store.count_lines()
    kinds: dict[str, int] = {}
    try:
        with beside.open("xb") as raw:
            beside.chmod(0o600)
            packer = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
            with packer.stream_writer(raw, closefd=False) as file:
                _write(file, "memfold", {"format": FORMAT, "schema": store.schema()})
                for table, values in store.export_lines():
                    _write(file, table, values)
                    kinds[table] = kinds.get(table, 0) + 1
                    lines += 1
                    if lines % _TOLD_LINES == 0:
                        yield {"done": lines, "total": max(total, lines)}
                _write(file, "end", {"lines": lines})
            raw.flush()
            os.fsync(raw.fileno())
        beside.replace(target)
    except OSError as error:
        raise StoreFull(
            f"{target} cannot be written: {error.strerror or error}.",
            "Free some space, or name a file elsewhere.",
        ) from error
    finally:
        beside.unlink(missing_ok=True)
    yield {"result": {"path": str(target), "lines": lines, "tables": kinds,
                      "bytes": target.stat().st_size}}  # fmt: skip


def import_from(
    store: Transfer, source: Path, quiet: Callable[[], AbstractContextManager[None]]
) -> Iterator[dict[str, Any]]:
    """Progress in bytes read, then ``{"result"}``: what was new, known, forgotten, renumbered.

    What is there is not taken twice; a run that was broken off goes on when it is run again.
    ``quiet``: nothing is observed meanwhile. Raises InvalidInput, StoreError.
    """
    if not source.is_file():
        raise InvalidInput(f"{source} is not there.", "Name a file that `memfold export` wrote.")
    size = source.stat().st_size
    run = store.import_run()
    with source.open("rb") as raw, quiet():
        numbered = _lines(raw, store.schema())
        batch: list[Mapping[str, Any]] = []
        held = 0
        for name, values, length in numbered:
            batch.append({name: values})
            held += length
            if len(batch) >= _BATCH_LINES or held >= _BATCH_BYTES:
                run.take(batch)
                batch, held = [], 0
                yield {"done": raw.tell(), "total": size}
        run.take(batch)
        run.finish()
    yield {"result": asdict(run.count)}


def _write(file: IO[bytes], name: str, values: Mapping[str, Any]) -> None:
    line = json.dumps([name, values], ensure_ascii=False, separators=(",", ":"))
    file.write(line.encode("utf-8") + b"\n")


def _lines(raw: IO[bytes], schema: int) -> Iterator[tuple[str, dict[str, Any], int]]:
    """(table, values, bytes of the line). Raises InvalidInput, StoreTooNew."""
    count, ended = 0, False
    for number, line in enumerate(_raw_lines(raw), 1):
        try:
            given = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _broken(f"Line {number:,} is not one of an export") from error
        if not _is_line(given) or ended:
            raise _broken(f"Line {number:,} is not one of an export")
        name, values = given
        if number == 1:
            _check_head(name, values, schema)
        elif name == "end":
            ended = values.get("lines") == count
            if not ended:
                raise _broken(f"{count:,} lines are there, {values.get('lines')} were written")
        else:
            count += 1
            yield name, values, len(line)
    if not ended:
        raise _broken("The file ends too early")


def _is_line(given: object) -> bool:
    return (
        isinstance(given, list)
        and len(given) == 2
        and isinstance(given[0], str)
        and isinstance(given[1], dict)
    )


def _raw_lines(raw: IO[bytes]) -> Iterator[bytes]:
    start = raw.read(4)
    raw.seek(0)
    packed = start == _MAGIC
    file: Any = zstandard.ZstdDecompressor().stream_reader(raw) if packed else raw
    rest = b""
    try:
        while part := file.read(1 << 20):
            *whole, rest = (rest + part).split(b"\n")
            yield from whole
            if len(rest) > LINE_BYTES:
                raise _broken("A line is too long")
    except zstandard.ZstdError as error:
        raise _broken("The file is damaged") from error
    if rest:
        yield rest


def _check_head(name: str, values: Mapping[str, Any], schema: int) -> None:
    if name != "memfold" or not isinstance(values.get("schema"), int):
        raise InvalidInput(
            "The file is no export of memfold.", "Name a file that `memfold export` wrote."
        )
    if values.get("format") != FORMAT or values["schema"] > schema:
        raise StoreTooNew(
            f"The export was written by a newer memfold (schema {values['schema']}; "
            f"this one knows up to {schema}).",
            "Upgrade memfold, then import it.",
        )


def _broken(message: str) -> InvalidInput:
    return InvalidInput(f"{message}.", "What came before is kept; export again where it came from.")
