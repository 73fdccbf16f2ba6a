"""What sessions were shown when they began, on SQLite."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import apsw

from memfold.store.ports import MOST_GIVEN
from memfold.store.sqlite.base import Base, to_json
from memfold.store.sqlite.queries import named

SQL = named("given")


class GivenPart(Base):
    """Implements ports.GivenContexts."""

    def given_context(
        self, host: str, session: str, project_ids: Sequence[int], version: int
    ) -> str | None:
        found = self._read(SQL["get"], _asked(host, session, project_ids, version))
        return zlib.decompress(found[0][0]).decode("utf-8") if found else None

    def put_given_context(
        self, host: str, session: str, project_ids: Sequence[int], version: int, text: str
    ) -> None:
        row = _asked(host, session, project_ids, version)
        # zlib, which is loaded anyway: zstandard would cost a cold start 5 ms.
        packed = zlib.compress(text.encode("utf-8", "replace"))

        def job(db: apsw.Connection) -> None:
            db.execute(SQL["drop_old"], row)
            db.execute(SQL["put"], {**row, "text": packed})
            db.execute(SQL["drop_oldest"], {"most": MOST_GIVEN})

        self._write(job)


def _asked(
    host: str, session: str, project_ids: Sequence[int], version: int
) -> dict[str, str | int]:
    return {
        "host": host,
        "session": session,
        "projects": to_json(list(project_ids)),
        "version": version,
    }
