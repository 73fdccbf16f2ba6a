"""Every row of the store as lines, from one moment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import apsw

from memfold.store.needs.transfer import ImportRun, Line
from memfold.store.sqlite.base import Base, unpacked_text
from memfold.store.sqlite.queries import named
from memfold.store.sqlite.schema import schema_version
from memfold.store.sqlite.tables import MIRRORED, SUPERSEDED, TABLES, Table
from memfold.store.sqlite.taking_in import Run

SQL = named("transfer")


class TransferPart(Base):
    """Implements ports.Transfer."""

    def export_lines(self) -> Iterator[Line]:
        with self._readers.connection() as db:
            db.execute("BEGIN")
            try:
                for table in TABLES:
                    yield from _lines(db, table)
                    if table.name == "observations":
                        for older, newer in db.execute(SQL["superseded"]):
                            yield SUPERSEDED, {"id": older, "by": newer}
                for (last,) in db.execute(SQL["mirrored"]):
                    yield MIRRORED, {"id": last}
            finally:
                db.execute("ROLLBACK")

    def count_lines(self) -> int:
        return sum(self._read(f"SELECT count(*) FROM {table.name}")[0][0] for table in TABLES)

    def schema(self) -> int:
        with self._readers.connection() as db:
            return schema_version(db)

    def import_run(self) -> ImportRun:
        return Run(self._write)


def columns_of(db: apsw.Connection, table: Table) -> dict[str, str]:
    """Column -> type of those that a line has."""
    found = db.execute(SQL["columns"], (table.name,))
    return {name: kind for name, kind in found if name not in table.drop}


def _lines(db: apsw.Connection, table: Table) -> Iterator[Line]:
    columns = columns_of(db, table)
    wanted = [*columns, "codec"] if table.name == "tool_uses" else list(columns)
    if table.name == "projects":
        sql = SQL["projects"].format(columns=", ".join(f"p.{name}" for name in wanted))
    else:
        sql = f"SELECT {', '.join(wanted)} FROM {table.name} ORDER BY {table.order}"
    for row in db.execute(sql):
        values: dict[str, Any] = dict(zip(wanted, row, strict=True))
        if table.name == "tool_uses":
            codec = values.pop("codec")
            for name in ("input", "response"):
                values[name] = unpacked_text(codec, values[name])
        elif table.name == "projects":
            values["aliases"] = [list(pair) for pair in db.execute(SQL["aliases"], (values["id"],))]
        elif table.name == "observations":
            values["evidence"] = [one for (one,) in db.execute(SQL["evidence"], (values["id"],))]
        yield (
            table.name,
            {name: v.hex() if isinstance(v, bytes) else v for name, v in values.items()},
        )
