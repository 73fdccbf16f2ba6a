"""Passages by meaning: vectors made in the background, and an exact search among the newest.

All vectors of up to MOST_HELD passages are compared with the question's, in memory. That takes a
few milliseconds and needs no index that could lag behind or leave something out.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from memfold.records import Kind
from memfold.store.ports import Embedder
from memfold.store.sqlite import full_text
from memfold.store.sqlite.base import Base, marks
from memfold.store.sqlite.filters import Conditions
from memfold.store.sqlite.queries import named
from memfold.store.sqlite.writer import Writer

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

SQL = named("vectors")
MOST_HELD = 50_000  # passages in memory: 50 MB at 256 numbers each
NEAREST = 1_000  # passages that may be joined with the keyword search's
ALIKE = 0.25  # cosine below which two texts have nothing to do with each other


@dataclass(frozen=True, slots=True)
class _Held:
    """Vectors in memory, newest last, and what of the table they stand for."""

    model: str
    last_id: int
    stored: int  # rows in the table then
    passages: NDArray[numpy.int64]
    projects: NDArray[numpy.int64]
    vectors: NDArray[numpy.float32]


class VectorPart(Base):
    """Implements ports.Meaning."""

    def __init__(self, path: Path, writer: Writer, evidence_max_bytes: int) -> None:
        super().__init__(path, writer, evidence_max_bytes)
        self.embedder: Embedder | None = None
        self._held: _Held | None = None
        self._holding = threading.Lock()

    def embed_waiting(self, limit: int) -> int:
        if self.embedder is None:
            return 0
        done = 0
        for at, kind in enumerate(full_text.KINDS):
            sql = SQL["waiting"].format(table=full_text.TABLES[kind], shown=_SHOWN[kind], kind=at)
            given = {"model": self.embedder.name, "limit": limit - done, "span": full_text.SPAN}
            ids = [row[0] for row in self._read(sql, given)]
            if ids:
                self._embed(self.embedder, kind, ids)
            done += len(ids)
        return done

    def _embed(self, embedder: Embedder, kind: Kind, ids: Sequence[int]) -> None:
        where = f"o.id IN ({marks(len(ids))})"
        with self._readers.connection() as db:
            found = list(full_text.contents(db, kind, where, ids))
        rows: list[tuple[int, int, str]] = []
        for entry_id, project_id, title, body in found:
            heading, passages = full_text.texts(title, body)
            for at, passage in enumerate(passages):
                text = passage if passage.startswith(heading) else f"{heading}\n{passage}"
                rows.append((full_text.row_number(kind, entry_id, at), project_id, text))
        vectors = embedder.embed([text for _, _, text in rows])

        def job(db: apsw.Connection) -> None:
            # What was changed or deleted meanwhile waits for its turn again, or for ever.
            same = {one[0]: one for one in full_text.contents(db, kind, where, ids)}
            good = {one[0] for one in found if same.get(one[0]) == one}
            for (row, project_id, _), vector in zip(rows, vectors, strict=True):
                if full_text.entry_of(row)[1] in good:
                    db.execute(SQL["put"], (row, project_id, embedder.name, vector))

        self._write(job)

    def nearest(
        self, project_ids: Sequence[int] | None, query: str, narrowed: Conditions
    ) -> list[tuple[int, float]]:
        """(row, cosine) of passages that mean something like the query, best first."""
        if self.embedder is None or not query.strip():
            return []
        import numpy  # late: with the extra alone

        held = self._hold(self.embedder)
        if held is None:
            return []
        asked = numpy.frombuffer(self.embedder.embed([query])[0], dtype="<f4")
        scores = held.vectors @ asked
        if project_ids is not None:
            scores = numpy.where(numpy.isin(held.projects, list(project_ids)), scores, -1.0)
        few = min(NEAREST, len(scores))
        best = numpy.argpartition(-scores, few - 1)[:few]
        best = best[numpy.argsort(-scores[best], kind="stable")]
        found = [(int(held.passages[at]), float(scores[at])) for at in best if scores[at] >= ALIKE]
        return self._passing(found, narrowed)

    def _passing(
        self, found: Sequence[tuple[int, float]], narrowed: Conditions
    ) -> list[tuple[int, float]]:
        where, arguments = narrowed
        if not where:
            return list(found)
        sql = SQL["passing"].format(rows=marks(len(found)), filters=where)
        passing = {row[0] for row in self._read(sql, (*(row for row, _ in found), *arguments))}
        return [pair for pair in found if pair[0] in passing]

    def _hold(self, embedder: Embedder) -> _Held | None:
        """The vectors as stored now: what is new is added, after a deletion all are read anew."""
        import numpy  # late: as above

        with self._holding:
            ((stored, last_id),) = self._read(SQL["state"], (embedder.name,))
            held = self._held
            if held is not None and held.model != embedder.name:
                held = None
            if held is not None and (held.stored, held.last_id) == (stored, last_id):
                return held
            since = held.last_id if held is not None else 0
            rows: list[Any] = self._read(SQL["newer"], (embedder.name, since, MOST_HELD))
            if held is not None and held.stored + len(rows) != stored:
                held, rows = None, self._read(SQL["newer"], (embedder.name, 0, MOST_HELD))
            if not rows and held is None:
                self._held = None
                return None
            rows.reverse()
            parts = _Held(
                embedder.name,
                last_id,
                stored,
                numpy.array([row[1] for row in rows], dtype=numpy.int64),
                numpy.array([row[2] for row in rows], dtype=numpy.int64),
                numpy.frombuffer(b"".join(row[3] for row in rows), dtype="<f4").reshape(
                    len(rows), -1
                ),
            )
            self._held = _joined(held, parts) if held is not None else parts
            return self._held


def _joined(held: _Held, more: _Held) -> _Held:
    if not len(more.passages):
        return _Held(
            held.model, more.last_id, more.stored, held.passages, held.projects, held.vectors
        )
    import numpy  # late: as above

    return _Held(
        held.model,
        more.last_id,
        more.stored,
        numpy.concatenate((held.passages, more.passages))[-MOST_HELD:],
        numpy.concatenate((held.projects, more.projects))[-MOST_HELD:],
        numpy.concatenate((held.vectors, more.vectors))[-MOST_HELD:],
    )


_SHOWN: dict[Kind, str] = {"observation": "1", "summary": "1", "prompt": "o.private = 0"}
