"""What the rooms need of a store, one small Protocol a need.

Methods block until done; a method that writes returns after the commit. All are safe to call
from any thread. Domain words only: no SQL and no driver types cross these lines. Failures are
``errors.StoreError`` and its children. ``tests/contract`` runs the same promises on every store.
"""

from __future__ import annotations

from typing import Protocol

from memfold.store.needs.capture import (
    EvidenceLog,
    ObserverDesk,
    ProjectBook,
    ProjectCount,
    StoreCount,
)
from memfold.store.needs.forgetting import ForgetCount, Forgetting, Scope
from memfold.store.needs.gate import Decision, DecisionCount, GateLog
from memfold.store.needs.history import CommitBook, CommitLooked, CommitsTaken
from memfold.store.needs.keeping import Copying, CopyMade
from memfold.store.needs.library import (
    MOST_GIVEN,
    MOST_PINS,
    CursorHit,
    CursorStore,
    Embedder,
    GivenContexts,
    IndexSource,
    Library,
    Meaning,
    PinBoard,
    Touched,
)
from memfold.store.needs.model import Known, ModelCall, ModelDesk, Rewrite, Rewriting, Spent
from memfold.store.needs.probes import MOST_PROBES, ProbeShelf
from memfold.store.needs.retention import ProjectShare, Retention, RetentionCount
from memfold.store.needs.takeover import OtherKind, OtherSession, TakenOver, Takeover
from memfold.store.needs.transfer import ImportCount, ImportRun, Transfer
from memfold.store.needs.work import NewPlans, PlanCall, PlanLog, WorkCurrent, WorkLog, WorkOpen

__all__ = [
    "MOST_GIVEN",
    "MOST_PINS",
    "MOST_PROBES",
    "CommitBook",
    "CommitLooked",
    "CommitsTaken",
    "CopyMade",
    "Copying",
    "CursorHit",
    "CursorStore",
    "Decision",
    "DecisionCount",
    "Embedder",
    "EvidenceLog",
    "ForgetCount",
    "Forgetting",
    "GateLog",
    "GivenContexts",
    "ImportCount",
    "ImportRun",
    "IndexSource",
    "Known",
    "Library",
    "Meaning",
    "ModelCall",
    "ModelDesk",
    "NewPlans",
    "ObserverDesk",
    "OtherKind",
    "OtherSession",
    "PinBoard",
    "PlanCall",
    "PlanLog",
    "ProbeShelf",
    "ProjectBook",
    "ProjectCount",
    "ProjectShare",
    "Retention",
    "RetentionCount",
    "Rewrite",
    "Rewriting",
    "Scope",
    "Spent",
    "Store",
    "StoreCount",
    "TakenOver",
    "Takeover",
    "Touched",
    "Transfer",
    "WorkCurrent",
    "WorkLog",
    "WorkOpen",
]


class Store(
    ProjectBook,
    EvidenceLog,
    ObserverDesk,
    CommitBook,
    Takeover,
    IndexSource,
    GivenContexts,
    Retention,
    Forgetting,
    WorkLog,
    PlanLog,
    Meaning,
    ModelDesk,
    Rewriting,
    GateLog,
    ProbeShelf,
    Copying,
    Transfer,
    Protocol,
):
    """Everything a single store offers; rooms ask for the small ports above."""

    def close(self) -> None: ...
