"""`memfold eval retrieval` counts what search finds: R@k, Hit@k and MRR as they are defined."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memfold.errors import InvalidInput
from memfold.evals.datasets import DataSet, Document, Question, from_file, public_sets
from memfold.evals.retrieval import measured
from memfold.store.sqlite.store import SqliteStore


def a_set(*questions: Question) -> DataSet:
    texts = {
        "a": "the pool leaks on the error path",
        "b": "the pool was made smaller, pool pool pool",
        "c": "uploads retry with a new connection",
        "d": "a walrus is a marine mammal",
    }
    documents = tuple(Document(name, text) for name, text in texts.items())
    return DataSet("small", documents, questions, {})


def test_figures_are_means_over_the_questions() -> None:
    score = measured(
        a_set(
            Question("walrus mammal", ("d",)),  # found first
            Question("pool error path", ("a", "c")),  # one of two can be found by words
            Question("quaternion", ("b",)),  # nothing to find
        ),
        SqliteStore.open,
    )
    assert score.measure("Hit@1") == pytest.approx(2 / 3)
    assert score.measure("R@1") == pytest.approx((1 + 0.5) / 3)
    assert score.measure("R@10") == pytest.approx((1 + 0.5) / 3)
    assert score.measure("MRR") == pytest.approx(2 / 3)
    assert score.ms_per_query > 0


def test_a_scope_bounds_what_is_found() -> None:
    documents = (
        Document("x", "the pool leaks", scope="one"),
        Document("y", "the pool", None, "two"),
    )
    inside = DataSet("scoped", documents, (Question("pool", ("x",), "one"),), {})
    outside = DataSet("scoped", documents, (Question("pool", ("x",), "two"),), {})
    assert measured(inside, SqliteStore.open).measure("Hit@1") == 1
    assert measured(outside, SqliteStore.open).measure("Hit@10") == 0


def test_of_two_alike_the_later_one_is_found_first() -> None:
    """A memory says what holds now: a document's date counts where words do not decide."""
    documents = tuple(
        Document(name, "the pool has eight connections", date)
        for name, date in (("new", "2026-05-01"), ("old", "2026-04-01"))
    )
    data = DataSet("dated", documents, (Question("pool connections", ("new",)),), {})
    assert measured(data, SqliteStore.open).measure("Hit@1") == 1


def test_a_set_without_queries_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no query"):
        measured(a_set(), SqliteStore.open)


GOOD: dict[str, Any] = {
    "documents": [{"id": "a", "date": "2026-04-30", "text": "the pool leaks"}],
    "queries": [{"query": "pool", "gold": ["a"]}],
}


def _written(folder: Path, value: Any) -> Path:
    file = folder / "set.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return file


def test_a_file_of_ones_own_is_read(tmp_path: Path) -> None:
    data = from_file(_written(tmp_path, GOOD))
    assert [document.id for document in data.documents] == ["a"]
    assert data.questions == (Question("pool", ("a",)),)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("{", "no set of documents"),
        ({"documents": []}, "queries"),
        ({**GOOD, "documents": GOOD["documents"] * 2}, "same id"),
        ({**GOOD, "queries": [{"query": "pool", "gold": ["b"]}]}, "'b', which is no document"),
        ({**GOOD, "queries": [{"query": "pool", "gold": []}]}, "has no gold id"),
        ({**GOOD, "documents": [{"id": "a", "text": 7}]}, "no set of documents"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_what_is_wrong(
    value: Any, says: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match=says) as refused:
        from_file(_written(tmp_path, value))
    assert str(tmp_path) in str(refused.value)


def test_a_date_that_is_none_is_named(tmp_path: Path) -> None:
    value = {**GOOD, "documents": [{"id": "a", "date": "yesterday", "text": "the pool"}]}
    with pytest.raises(InvalidInput, match="'a' has the date 'yesterday'"):
        measured(from_file(_written(tmp_path, value)), SqliteStore.open)


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"none\.json"):
        from_file(tmp_path / "none.json")
    with pytest.raises(InvalidInput, match="--bench"):
        next(public_sets(tmp_path))
