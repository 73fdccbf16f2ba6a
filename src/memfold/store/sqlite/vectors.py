"""Entries by meaning: vectors made in the background, and an exact search among the newest.

An entry's vector is the mean of its passages', and what all entries have in common is taken off
before vectors are compared: both raised what is found on every public set we measured
(docs/decisions/0014-search-ranks-passages.md). All vectors of up to MOST_HELD entries are compared
in memory, which takes a few milliseconds and needs no index that could lag behind.
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
from memfold.store.sqlite.library import SHOWN
from memfold.store.sqlite.queries import named
from memfold.store.sqlite.writer import Writer

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

SQL = named("vectors")
MOST_HELD = 50_000  # entries in memory: 50 MB at 256 numbers each
NEAREST = 100  # entries that are joined with what the words find
ALIKE = 0.2  # cosine below which two texts have nothing to do with each other


@dataclass(frozen=True, slots=True)
class _Held:
    """Vectors in memory, newest last, and what of the table they stand for."""

    last_id: int
    stored: int  # rows in the table then
    entries: NDArray[numpy.int64]
    projects: NDArray[numpy.int64]
    vectors: NDArray[numpy.float32]
    common: NDArray[numpy.float32]  # their mean


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
            sql = SQL["waiting"].format(table=full_text.TABLES[kind], shown=SHOWN[kind], kind=at)
            given = {"model": self.embedder.name, "limit": limit - done}
            ids = [row[0] for row in self._read(sql, given)]
            if ids:
                self._embed(self.embedder, kind, ids)
            done += len(ids)
        return done

    def _embed(self, embedder: Embedder, kind: Kind, ids: Sequence[int]) -> None:
        where = f"o.id IN ({marks(len(ids))})"
        with self._readers.connection() as db:
            found = list(full_text.contents(db, kind, where, ids))
        rows = []
        for entry_id, project_id, title, body in found:
            vector = _mean(embedder.embed(_texts(title, body)))
            rows.append((full_text.entry_number(kind, entry_id), project_id, vector))

        def job(db: apsw.Connection) -> None:
            # What was changed or deleted meanwhile waits for its turn again, or for ever.
            now = {one[0]: one for one in full_text.contents(db, kind, where, ids)}
            for one, (entry, project_id, vector) in zip(found, rows, strict=True):
                if now.get(one[0]) == one:
                    db.execute(SQL["put"], (entry, project_id, embedder.name, vector))

        self._write(job)

    def nearest(
        self,
        project_ids: Sequence[int] | None,
        query: str,
        narrowed: Conditions,
        *,
        alone: bool = False,
    ) -> list[tuple[int, float]]:
        """(first row, score) of the entries nearest to the query in meaning, best first.

        ``alone``: no word was found, so that only what is really alike is worth showing.
        """
        if self.embedder is None:
            return []
        held = self._hold(self.embedder)
        if held is None:
            return []
        import numpy  # late: with the extra alone

        asked = numpy.frombuffer(self.embedder.embed([query])[0], dtype="<f4")
        may = numpy.ones(len(held.entries), dtype=bool)
        if project_ids is not None:
            may = numpy.isin(held.projects, list(project_ids))
        if alone:
            lengths = numpy.linalg.norm(held.vectors, axis=1)
            may &= held.vectors @ asked >= ALIKE * lengths
        at = numpy.flatnonzero(may)
        apart = asked - held.common
        scores = (held.vectors[at] - held.common) @ apart + 1  # above 0, in the same order
        best = numpy.argsort(-scores, kind="stable")[:NEAREST]
        found = [
            (int(held.entries[at[one]]) * full_text.SPAN, max(float(scores[one]), 0.0))
            for one in best
        ]
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
        with self._holding:
            ((stored, last_id),) = self._read(SQL["state"], (embedder.name,))
            held = self._held
            if held is None or (held.stored, held.last_id) != (stored, last_id):
                self._held = self._loaded(embedder.name, held, stored, last_id)
            return self._held

    def _loaded(self, model: str, held: _Held | None, stored: int, last_id: int) -> _Held | None:
        import numpy  # late: as above

        since = held.last_id if held is not None else 0
        rows: list[Any] = self._read(SQL["newer"], (model, since, MOST_HELD))
        if held is not None and held.stored + len(rows) != stored:
            held, rows = None, self._read(SQL["newer"], (model, 0, MOST_HELD))
        if not rows:
            return held
        rows.reverse()
        entries = numpy.array([row[1] for row in rows], dtype=numpy.int64)
        projects = numpy.array([row[2] for row in rows], dtype=numpy.int64)
        vectors: NDArray[numpy.float32] = numpy.frombuffer(
            b"".join(row[3] for row in rows), dtype="<f4"
        ).reshape(len(rows), -1)
        if held is not None:
            entries = numpy.concatenate((held.entries, entries))[-MOST_HELD:]
            projects = numpy.concatenate((held.projects, projects))[-MOST_HELD:]
            vectors = numpy.concatenate((held.vectors, vectors))[-MOST_HELD:]
        return _Held(last_id, stored, entries, projects, vectors, vectors.mean(axis=0))


def _texts(title: str, body: str) -> list[str]:
    """The passages of an entry as they are embedded: each with the title above it."""
    heading, passages = full_text.texts(title, body)
    return [
        passage if passage.startswith(heading) else f"{heading}\n{passage}" for passage in passages
    ]


def _mean(vectors: Sequence[bytes]) -> bytes:
    import numpy  # late: as above

    whole = numpy.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)
    return bytes(whole.mean(axis=0).astype("<f4").tobytes())
