"""How well the product's own store and search find the documents that answer a question."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from memfold.errors import InvalidInput
from memfold.evals.datasets import DataSet, Document, Question
from memfold.records import Alias, Entry, Event, PromptGiven
from memfold.store.ports import Store

KS = (1, 3, 5, 10)
_LIMIT = 20  # what one mem_search shows at most

_BATCH = 256

OpenStore = Callable[[Path], Store]


@dataclass(frozen=True, slots=True)
class Score:
    """Means over all questions: figures from 0 to 1."""

    recall: Mapping[int, float]  # share of a question's documents among the first k
    hit: Mapping[int, float]  # any of them among the first k
    mrr: float  # 1 / rank of the first, 0 beyond the twentieth
    ms_per_query: float

    def measure(self, name: str) -> float:
        """A figure by its usual name: ``R@5``, ``Hit@1``, ``MRR``."""
        kind, _, k = name.partition("@")
        return self.mrr if kind == "MRR" else (self.recall if kind == "R" else self.hit)[int(k)]


def measured(data: DataSet, open_store: OpenStore) -> Score:
    """Store every document as an entry of its scope's project, ask every question."""
    with tempfile.TemporaryDirectory(prefix="memfold-eval-") as folder:
        store = open_store(Path(folder) / "memfold.db")
        try:
            projects, ids = _fill(store, data.documents)
            while store.embed_waiting(_BATCH):
                pass
            started = time.perf_counter()
            found = [_ask(store, projects, ids, question) for question in data.questions]
            took_ms = (time.perf_counter() - started) * 1000
        finally:
            store.close()
    return _score(data.questions, found, took_ms)


def _fill(
    store: Store, documents: Sequence[Document]
) -> tuple[Mapping[str, int], Mapping[int, str]]:
    """(scope -> project, moment -> document): each document gets a moment of its own, by date."""
    dated = sorted(enumerate(documents), key=lambda pair: (_day_ms(pair[1]), pair[0]))
    moments: dict[int, Document] = {}
    at_ms = 0
    for _, document in dated:
        at_ms = max(at_ms + 1, _day_ms(document))
        moments[at_ms] = document
    projects: dict[str, int] = {}
    for scope, run in groupby(moments.items(), key=lambda pair: pair[1].scope):
        if scope not in projects:
            name = scope or "documents"
            projects[scope] = store.create(name, [Alias("directory", f"/{name}")]).id
        events: list[Event] = [
            PromptGiven(
                host="eval",
                # Turns of one scope and day are one talk; a document without scope is one itself.
                session=f"{scope} {document.date}" if scope else document.id,
                at_ms=at,
                text=document.text,
                prompt_key=document.id,
            )
            for at, document in run
        ]
        store.ingest(projects[scope], events)
    return projects, {at: document.id for at, document in moments.items()}


def _ask(
    store: Store, projects: Mapping[str, int], ids: Mapping[int, str], question: Question
) -> list[str]:
    within = [projects[question.scope]] if question.scope in projects else None
    found: Sequence[Entry] = store.search(within, question.query, _LIMIT)
    return [ids[entry.at_ms] for entry in found]


def _score(questions: Sequence[Question], found: Sequence[Sequence[str]], took_ms: float) -> Score:
    if not questions:
        raise InvalidInput("There is no query to measure by.")
    pairs = [(set(one.gold), ids) for one, ids in zip(questions, found, strict=True)]
    count = len(pairs)
    ranks = [next((at for at, one in enumerate(ids, 1) if one in gold), 0) for gold, ids in pairs]
    return Score(
        recall={
            k: sum(len(gold & set(ids[:k])) / len(gold) for gold, ids in pairs) / count for k in KS
        },
        hit={k: sum(0 < rank <= k for rank in ranks) / count for k in KS},
        mrr=sum(1 / rank for rank in ranks if rank) / count,
        ms_per_query=took_ms / count,
    )


def _day_ms(document: Document) -> int:
    if not document.date:
        return 0
    try:
        at = datetime.fromisoformat(document.date)
    except ValueError as error:
        raise InvalidInput(
            f"The document {document.id!r} has the date {document.date[:40]!r}.",
            "Give an ISO 8601 date such as 2026-04-30.",
        ) from error
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(int(at.timestamp() * 1000), 0)
