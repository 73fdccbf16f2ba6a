"""Symbols of workspaces in a file of their own: made from the files, and made again from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw

from memfold.store.needs.symbols import FileStamp, FileSymbols, Found, IndexSize, SymbolRow, Within
from memfold.store.sqlite.base import to_json
from memfold.store.sqlite.queries import named
from memfold.store.sqlite.scratch import Scratch

SQL = named("symbols")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
_MOST_QUERY = 200  # characters of a name that is looked for
_AT_ONCE = 50  # names that are fetched together
# How a name may fit, the best first, as far as its index tells without a walk along it.
_WAYS = ("s.key = :key AND s.name = :name", "s.key = :key", "s.key >= :key AND s.key < :after")
_BY_PARTS, _WITHIN, _LETTERS, _TOLD = range(len(_WAYS), len(_WAYS) + 4)


class SqliteSymbols(Scratch):
    """Implements ports.SymbolIndex."""

    def __init__(self, path: Path, made_by: Callable[[], int] = lambda: 0) -> None:
        """``made_by``: as for Scratch; outlines that got better are not kept as they were."""
        tables = ("symbols", "files", "folders", "roots")
        super().__init__(path, SQL["schema"], "SELECT count(*) FROM roots", tables, made_by)

    def files(self, root: str) -> Mapping[str, FileStamp]:
        rows = self._rows("files", root)
        return {path: FileStamp(size, mtime, digest) for path, size, mtime, digest in rows}

    def folders(self, root: str) -> Mapping[str, int]:
        return dict(self._rows("folders", root))

    def put(
        self,
        root: str,
        files: Sequence[FileSymbols],
        gone: Collection[str] = (),
        folders: Mapping[str, int] | None = None,
    ) -> None:
        def job(db: apsw.Connection) -> None:
            db.execute(SQL["new_root"], (root,))
            ((root_id,),) = db.execute(SQL["root"], (root,))
            dropped = [(root_id, path) for path in (*gone, *(one.path for one in files))]
            db.executemany(SQL["drop_file"], dropped)
            for one in files:
                _put_file(db, root_id, one)
            if folders is not None:
                db.execute(SQL["drop_folders"], (root_id,))
                rows = [(root_id, path, mtime_ns) for path, mtime_ns in folders.items()]
                db.executemany(SQL["put_folder"], rows)

        self._in_one(job)

    def restamp(self, root: str, stamps: Mapping[str, FileStamp]) -> None:
        def job(db: apsw.Connection) -> None:
            for (root_id,) in list(db.execute(SQL["root"], (root,))):
                rows = [
                    (one.size, one.mtime_ns, one.digest, root_id, path)
                    for path, one in stamps.items()
                ]
                db.executemany(SQL["restamp"], rows)

        self._in_one(job)

    def named(
        self,
        root: str,
        query: str,
        most: int,
        within: Within = Within(),  # noqa: B008  # frozen
    ) -> tuple[Found, ...]:
        name = query.strip()[:_MOST_QUERY]
        if not name:
            return ()
        asked = {**_asked(name), "under": within.under, "pattern": within.pattern}

        def job(db: apsw.Connection) -> tuple[Found, ...]:
            found: dict[int, Found] = {}
            for (root_id,) in list(db.execute(SQL["root"], (root,))):
                given = {**asked, "root": root_id, "most": most}
                for rank, fits in enumerate(_WAYS):
                    _add(db, found, fits, given, rank)
                    if len(found) >= most:
                        return tuple(found.values())[:most]
                for rank, keys in _ranked(list(db.execute(SQL["likely"], given)), name).items():
                    for start in range(0, len(keys), _AT_ONCE):
                        if len(found) < most:
                            some = to_json(keys[start : start + _AT_ONCE])
                            fits = "s.key IN (SELECT value FROM json_each(:keys))"
                            _add(db, found, fits, {**given, "keys": some}, rank)
            return tuple(found.values())[:most]

        return self._with(job)

    def told_of(self, root: str, text: str, paths: Sequence[str], most: int) -> tuple[Found, ...]:
        given = {"paths": to_json(list(paths)), "text": f"%{_literal(text)}%", "most": most}

        def job(db: apsw.Connection) -> tuple[Found, ...]:
            for (root_id,) in list(db.execute(SQL["root"], (root,))):
                rows = list(db.execute(SQL["told_of"], {**given, "root": root_id}))
                return tuple(_found(row, _TOLD) for row in rows)
            return ()

        return self._with(job)

    def words(self, root: str, within: Within = Within()) -> Sequence[tuple[str, bytes]]:  # noqa: B008
        def job(db: apsw.Connection) -> list[Any]:
            given = {"root": root, "under": within.under, "pattern": within.pattern}
            return list(db.execute(SQL["words"], given))

        return self._with(job)

    def size(self, root: str) -> IndexSize:
        def job(db: apsw.Connection) -> IndexSize:
            for (root_id,) in list(db.execute(SQL["root"], (root,))):
                ((files, symbols),) = db.execute(SQL["size"], {"root": root_id})
                return IndexSize(files, symbols, self._path.stat().st_size)
            return IndexSize(0, 0, 0)

        return self._with(job)

    def _rows(self, query: str, root: str) -> list[Any]:
        def job(db: apsw.Connection) -> list[Any]:
            for (root_id,) in list(db.execute(SQL["root"], (root,))):
                return list(db.execute(SQL[query], (root_id,)))
            return []

        return self._with(job)


def _put_file(db: apsw.Connection, root_id: int, one: FileSymbols) -> None:
    stamp = one.stamp
    row = (root_id, one.path, stamp.size, stamp.mtime_ns, stamp.digest, one.language, one.words)
    db.execute(SQL["put_file"], row)
    file_id = db.last_insert_rowid()
    db.executemany(
        SQL["put_symbol"],
        [
            (
                root_id,
                file_id,
                symbol.name,
                symbol.name.lower(),
                "".join(f" {part.lower()}" for part in _PARTS.findall(symbol.name)),
                symbol.kind,
                symbol.line,
                symbol.end_line,
                symbol.parent,
                symbol.signature,
                symbol.doc,
                int(symbol.exported),
            )
            for symbol in one.symbols
        ],
    )


def _add(
    db: apsw.Connection, found: dict[int, Found], fits: str, given: Mapping[str, Any], rank: int
) -> None:
    for row in db.execute(SQL["named"].format(fits=fits), given):
        found.setdefault(row[-1], _found(row, rank))


def _ranked(likely: Sequence[tuple[str, str]], name: str) -> dict[int, list[str]]:
    """Rank -> names, in the order in which they come."""
    key = name.lower()
    begins = [part.lower() for part in _PARTS.findall(name)]
    ranked: dict[int, list[str]] = {_BY_PARTS: [], _WITHIN: [], _LETTERS: []}
    # A name holds no blank, so a query of several words can only begin its parts.
    letters = None if len(key.split()) > 1 else re.compile(".*?".join(map(re.escape, key)))
    for other, parts in likely:
        if _in_order(begins, parts):
            ranked[_BY_PARTS].append(other)
        elif letters is not None and letters.match(other):
            ranked[_WITHIN if key in other else _LETTERS].append(other)
        elif letters is not None and key in other:
            ranked[_WITHIN].append(other)
    return ranked


def _in_order(begins: Sequence[str], parts: str) -> bool:
    """Whether each begins a part, in that order."""
    at = 0
    for begin in begins:
        at = parts.find(f" {begin}", at) + 1
        if not at:
            return False
    return bool(begins)


def _asked(name: str) -> dict[str, str]:
    key = name.lower()
    letters = [_literal(letter) for letter in key if not letter.isspace()]
    return {
        "name": name,
        "key": key,
        "after": f"{key}\U0010ffff",
        "first": key[:1],
        "letters": f"{'%'.join(letters)}%",
        "part": f" {next(iter(_PARTS.findall(name)), name).lower()}",
    }


def _literal(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _found(row: Sequence[Any], rank: int) -> Found:
    path, name, kind, line, end_line, parent, signature, doc, exported, _ = row
    symbol = SymbolRow(name, kind, line, end_line, parent, signature, doc, bool(exported))
    return Found(path, symbol, rank)
