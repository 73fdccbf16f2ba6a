"""What can still be read of a damaged database, in a new one.

SQLite's own recovery is no part of the library we use. So: a new database of the same schema, and
each table's rows by number, around the pages that cannot be read. What is made from rows (index,
current values, vectors) is made again.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from memfold.errors import StoreDamaged
from memfold.store.sqlite.base import new_uid
from memfold.store.sqlite.connection import connect, translated
from memfold.store.sqlite.migrate import run_up_to
from memfold.store.sqlite.queries import named
from memfold.store.sqlite.schema import newest_schema, schema_version

log = logging.getLogger(__name__)
SQL = named("recovery")
_MADE = ("entries_fts", "entry_vectors", "work_state_current", "schema_migrations", "sqlite_")
_ROW = bytes((6, 1, 6, 0, 0, 0, 0, 0))  # number 1, five times NULL; no page may be without a row
_BEYOND = 50_000  # ids looked for where nothing tells how many there are
_BAD = (apsw.CorruptError, apsw.NotADBError, apsw.IOError)


@dataclass(slots=True)
class Recovered:
    """What was kept."""

    rows: dict[str, int] = field(default_factory=dict)
    unreadable: dict[str, int] = field(default_factory=dict)  # places where rows were, by table
    placeholders: dict[str, int] = field(default_factory=dict)  # for rows that others name
    tables_lost: list[str] = field(default_factory=list)  # nothing tells where their rows are


def recover(damaged: Path, target: Path) -> Recovered:
    """Make ``target`` of what can be read. Raises StoreDamaged where nothing can, StoreFull."""
    found = Recovered()
    with translated(target):
        old = _opened(damaged, target)
        try:
            new = connect(target)
            try:
                run_up_to(new, target, _schema(old))
                new.execute("PRAGMA foreign_keys=OFF")
                new.execute("BEGIN IMMEDIATE")
                for table in [name for (name,) in new.execute(SQL["tables"])]:
                    if table.startswith(_MADE):
                        continue
                    if _is_there(old, table):
                        _copy(old, new, table, found)
                    else:
                        found.tables_lost.append(table)
                _mend(new, found)
                new.execute("COMMIT")
            finally:
                new.close()
        finally:
            old.close()
    return found


def _opened(damaged: Path, target: Path) -> apsw.Connection:
    connection = apsw.Connection(str(damaged))
    try:
        if _lists_its_tables(connection):
            return connection
        connection.close()
        # SQLite reads the list of tables up to a page that it cannot read. In a copy whose empty
        # pages are those of a table it reads on.
        copy = target.with_name("patched.db")
        shutil.copyfile(damaged, copy)
        for ending in ("-wal", "-journal"):
            if Path(f"{damaged}{ending}").exists():
                shutil.copyfile(f"{damaged}{ending}", f"{copy}{ending}")
        _patch(copy)
        connection = apsw.Connection(str(copy))
        if _lists_its_tables(connection):
            return connection
    except _BAD:
        log.warning("the first page of the database cannot be read")
    connection.close()
    raise StoreDamaged(
        f"Nothing in {damaged} can be read: its first page is damaged.",
        "Put a backup in its place: `memfold restore FILE`; some may be in the backups folder.",
    )


def _lists_its_tables(connection: apsw.Connection) -> bool:
    connection.execute("PRAGMA writable_schema=ON")  # what can be read of the list is enough
    next(connection.execute("PRAGMA schema_version"))
    try:
        list(connection.execute("SELECT name, sql FROM sqlite_schema"))
    except apsw.CorruptError:
        return False
    return True


def _patch(copy: Path) -> None:
    """Pages of zeros become table pages with a row that no table of ours takes."""
    with copy.open("r+b") as file:
        head = file.read(100)
        size = int.from_bytes(head[16:18], "big")
        size = 65_536 if size == 1 else size
        if head[:15] != b"SQLite format 3" or size < 512:
            return
        zeros, page = bytes(size), 1
        file.seek(size)
        while len(body := file.read(size)) == size:
            page += 1
            if body == zeros:
                file.seek((page - 1) * size)
                at = (size - len(_ROW)).to_bytes(2, "big")
                leaf = b"\x0d\0\0\0\1" + at + b"\0" + at  # of a table, with one row there
                file.write(leaf + bytes(size - len(leaf) - len(_ROW)) + _ROW)


def _schema(old: apsw.Connection) -> int:
    try:
        return schema_version(old) or newest_schema()
    except (*_BAD, apsw.SQLError):
        return newest_schema()


def _is_there(old: apsw.Connection, table: str) -> bool:
    try:
        list(old.execute(f"SELECT 1 FROM {table} LIMIT 0"))
    except apsw.SQLError:
        return False
    except _BAD:
        return True
    return True


def _copy(old: apsw.Connection, new: apsw.Connection, table: str, found: Recovered) -> None:
    info = [tuple(row) for row in new.execute(SQL["columns"], (table,))]
    columns = [name for name, _ in info]
    key = [name for name, place in sorted(info, key=lambda pair: pair[1]) if place]
    ((without_rowid,),) = new.execute(SQL["without_rowid"], (table,))
    into = (
        f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) "
        f"VALUES ({', '.join('?' * len(columns))})"
    )
    found.unreadable[table] = 0
    source = _by_key(old, table, columns, key) if without_rowid else _by_rowid(old, table, columns)
    kept = 0
    for row in source:
        if row is None:
            found.unreadable[table] += 1
            continue
        try:
            new.execute(into, row)
        except (apsw.ConstraintError, apsw.MismatchError):
            found.unreadable[table] += 1  # bytes that are no row of ours
        else:
            kept += new.changes()
    if kept:
        found.rows[table] = kept
    if not found.unreadable[table]:
        del found.unreadable[table]


def _by_rowid(old: apsw.Connection, table: str, columns: list[str]) -> Iterator[Any]:
    """Rows in order; None for a place that cannot be read."""
    sql = (
        f"SELECT rowid, {', '.join(columns)} FROM {table} NOT INDEXED "
        "WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
    )
    spans = [(-(1 << 62), _last_rowid(old, table))]
    while spans:
        low, high = spans.pop()
        last = low - 1
        try:
            for rowid, *row in old.execute(sql, (low, high)):
                yield row
                last = rowid
        except _BAD:
            low = max(last + 1, 1)
            if low >= high:
                yield None
                continue
            middle = (low + high) // 2
            spans += [(middle + 1, high), (low, middle)]  # the lower one first


def _last_rowid(old: apsw.Connection, table: str) -> int:
    """The greatest row number that anything tells of."""
    asked = [(f"SELECT max(rowid) FROM {table} NOT INDEXED", ())]
    try:
        for (index,) in list(old.execute(SQL["indexes"], (table,))):
            asked.append((f"SELECT max(rowid) FROM {table} INDEXED BY {index}", ()))
    except (*_BAD, apsw.SQLError):
        log.warning("the indexes of %s are not known", table)
    known = []
    for sql, given in asked:
        try:
            known += [row[0] for row in old.execute(sql, given) if row[0] is not None]
        except (*_BAD, apsw.SQLError):  # also an index that holds some of the rows only
            continue
    if known:
        return int(max(known))
    try:
        for (last,) in old.execute(SQL["last_given"], (table,)):
            return int(last)
    except (*_BAD, apsw.SQLError):
        log.warning("how many rows %s had is not known", table)
    return _BEYOND


def _by_key(old: apsw.Connection, table: str, columns: list[str], key: list[str]) -> Iterator[Any]:
    """Rows from both ends up to what cannot be read; None for that."""
    forth = ", ".join(key)
    back = ", ".join(f"{name} DESC" for name in key)
    listed = ", ".join(columns)
    try:
        yield from (
            list(row) for row in old.execute(f"SELECT {listed} FROM {table} ORDER BY {forth}")
        )
    except _BAD:
        yield None
        try:
            for row in old.execute(f"SELECT {listed} FROM {table} ORDER BY {back}"):
                yield list(row)
        except _BAD:
            return  # told already


def _mend(new: apsw.Connection, found: Recovered) -> None:
    """Rows that are named by others and were lost get a placeholder; the rest is made again."""
    for name in ("turns", "sessions", "projects"):
        missing = list(new.execute(SQL[f"missing_{name}"]))
        for row in missing:
            given = dict(zip(("id", "a", "b", "c"), row, strict=False))
            new.execute(SQL[f"placeholder_{name}"], {**given, "uid": new_uid()})
        if missing:
            found.placeholders[name] = len(missing)
    for name in ("superseded", "commits", "merged"):  # a row is good without these
        new.execute(SQL[f"unlink_{name}"])
    # Whatever else names what is lost, such as evidence, goes with it.
    while broken := list(new.execute("PRAGMA foreign_key_check")):
        for table, rowid, _, _ in broken:
            if rowid is not None:
                new.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))
                found.rows[table] = found.rows.get(table, 1) - 1
        for table in {row[0] for row in broken if row[1] is None}:
            _drop_orphans(new, table)
    new.execute("PRAGMA user_version = 0")  # the full-text index is made anew
    new.execute(SQL["fold_again"])


def _drop_orphans(new: apsw.Connection, table: str) -> None:
    for parent, column in list(new.execute(SQL["parents"], (table,))):
        new.execute(
            f"DELETE FROM {table} WHERE {column} IS NOT NULL "
            f"AND NOT EXISTS (SELECT 1 FROM {parent} WHERE id = {table}.{column})"
        )
