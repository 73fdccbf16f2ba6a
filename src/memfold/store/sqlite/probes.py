"""Probes that arrived, on SQLite."""

from __future__ import annotations

import apsw

from memfold.store.ports import MOST_PROBES
from memfold.store.sqlite.base import Base
from memfold.store.sqlite.queries import named

SQL = named("probes")


class ProbesPart(Base):
    """Implements ports.ProbeShelf."""

    def put_probe(self, nonce: str, host: str, *, at_ms: int) -> None:
        def job(db: apsw.Connection) -> None:
            db.execute(SQL["put"], {"nonce": nonce, "host": host, "at": at_ms})
            db.execute(SQL["drop_old"], {"most": MOST_PROBES})

        self._write(job)

    def probe_from(self, nonce: str) -> str | None:
        found = self._read(SQL["get"], (nonce,))
        return str(found[0][0]) if found else None
