"""The store on SQLite: one file, every port."""

from __future__ import annotations

from pathlib import Path

from memfold.errors import StoreDamaged
from memfold.store.ports import Embedder
from memfold.store.sqlite import full_text
from memfold.store.sqlite.commits import CommitsPart
from memfold.store.sqlite.connection import connect, translated
from memfold.store.sqlite.copies import CopyingPart, first_line
from memfold.store.sqlite.evidence import EvidencePart
from memfold.store.sqlite.export import TransferPart
from memfold.store.sqlite.forget_again import ForgetAgainPart
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
    CopyingPart,
    ForgetAgainPart,
    TransferPart,
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
        """Schema, what SQLite's quick check finds wrong ('' for nothing), the oldest that waits."""
        (schema,) = self._read("SELECT max(version) FROM schema_migrations")[0]
        (verdict,) = self._read("PRAGMA quick_check(1)")[0]
        if verdict != "ok":
            # Its lines name pages, never what is in them.
            what = first_line(verdict)
            trouble = f"The database {self._path} is damaged: {what}."
            self._writer.condition.note(StoreDamaged(trouble))
            return {"schema": schema, "trouble": trouble, "code": StoreDamaged.code}
        (oldest,) = self._read("SELECT min(at_ms) FROM tool_uses WHERE observed_at_ms IS NULL")[0]
        return {"schema": schema, "trouble": "", "code": "", "oldest_waiting_ms": oldest}

    def close(self) -> None:
        """Finish what was handed over; more writes are refused. May be called twice."""
        self._writer.close()
        self._readers.close()
