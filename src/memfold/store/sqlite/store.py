"""The store on SQLite: one file, every port."""

from __future__ import annotations

from pathlib import Path

from memfold.store.ports import Embedder
from memfold.store.sqlite import full_text
from memfold.store.sqlite.commits import CommitsPart
from memfold.store.sqlite.connection import connect, translated
from memfold.store.sqlite.evidence import EvidencePart
from memfold.store.sqlite.forgetting import ForgettingPart
from memfold.store.sqlite.gate import GatePart
from memfold.store.sqlite.given import GivenPart
from memfold.store.sqlite.library import LibraryPart
from memfold.store.sqlite.migrate import migrate
from memfold.store.sqlite.model import ModelPart
from memfold.store.sqlite.observer import ObserverPart
from memfold.store.sqlite.pins import PinsPart
from memfold.store.sqlite.plans import PlansPart
from memfold.store.sqlite.probes import ProbesPart
from memfold.store.sqlite.projects import ProjectsPart
from memfold.store.sqlite.retention import RetentionPart
from memfold.store.sqlite.rewriting import RewritingPart
from memfold.store.sqlite.search import SearchPart
from memfold.store.sqlite.takeover import TakeoverPart
from memfold.store.sqlite.work import WorkPart, fold_missing
from memfold.store.sqlite.work_open import WorkOpenPart
from memfold.store.sqlite.writer import Writer


class SqliteStore(
    ProjectsPart,
    TakeoverPart,
    EvidencePart,
    ObserverPart,
    CommitsPart,
    LibraryPart,
    PinsPart,
    GivenPart,
    SearchPart,
    RetentionPart,
    ForgettingPart,
    WorkPart,
    WorkOpenPart,
    PlansPart,
    ModelPart,
    RewritingPart,
    GatePart,
    ProbesPart,
):
    """Implements ports.Store. Safe to use from any thread."""

    @classmethod
    def open(
        cls, path: Path, *, evidence_max_bytes: int = 1_048_576, embedder: Embedder | None = None
    ) -> SqliteStore:
        """The store in ``path``, made or migrated. Raises StoreTooNew, StoreFull, StoreError.

        With an ``embedder``, search goes by meaning too.
        """
        connection = connect(path)
        try:
            with translated(path):
                migrate(connection, path)
                full_text.bring_up_to_date(connection)
                fold_missing(connection)
        except BaseException:
            connection.close()
            raise
        store = cls(path, Writer(connection, path), evidence_max_bytes)
        store.embedder = embedder
        return store

    def health(self) -> dict[str, object]:
        """Schema version, and what SQLite's quick check finds wrong ('' for nothing)."""
        (schema,) = self._read("SELECT max(version) FROM schema_migrations")[0]
        (verdict,) = self._read("PRAGMA quick_check(1)")[0]
        return {"schema": schema, "trouble": "" if verdict == "ok" else str(verdict)}

    def close(self) -> None:
        """Finish what was handed over; more writes are refused. May be called twice."""
        self._writer.close()
        self._readers.close()
