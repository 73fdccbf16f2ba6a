"""ports.Embedder and ports.Meaning: every embedder, and a store that has one or none."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from counting_embedder import CountingEmbedder
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import Says

from memfold.records import Alias, Draft, SearchFilters, SummaryDraft
from memfold.store.embedders.wordllama import WordLlamaEmbedder, installed_embedder
from memfold.store.ports import Embedder, Store
from memfold.store.sqlite.store import SqliteStore

EMBEDDERS: dict[str, Embedder] = {"counting": CountingEmbedder(), "wordllama": WordLlamaEmbedder()}


@pytest.fixture(params=sorted(EMBEDDERS))
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return EMBEDDERS[request.param]


def numbers(vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 4}f", vector)


def alike(embedder: Embedder, one: str, other: str) -> float:
    first, second = (numbers(vector) for vector in embedder.embed([one, other]))
    return sum(a * b for a, b in zip(first, second, strict=True))


def test_the_extra_is_found_where_it_is_installed() -> None:
    assert installed_embedder() is not None


def test_vectors_have_one_length_and_are_the_same_every_time(embedder: Embedder) -> None:
    texts = ["the pool leaks", "", "a" * 50_000, "\x00\ud800", "資料庫 同步", "👩‍💻🔥"]
    vectors = embedder.embed(texts)
    assert len(vectors) == len(texts)
    assert len({len(vector) for vector in vectors}) == 1
    for vector in vectors:
        length = math.sqrt(sum(number * number for number in numbers(vector)))
        assert math.isclose(length, 1, abs_tol=1e-3) or length == 0
    # A text's vector does not depend on its company.
    assert all(
        math.isclose(a, b, abs_tol=1e-3)
        for a, b in zip(numbers(embedder.embed(texts[:1])[0]), numbers(vectors[0]), strict=True)
    )
    assert embedder.embed([]) == []


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=80), min_size=1, max_size=4))
def test_any_text_has_a_vector(texts: list[str]) -> None:
    for embedder in EMBEDDERS.values():
        assert len(embedder.embed(texts)) == len(texts)


def test_texts_about_one_thing_are_nearer(embedder: Embedder) -> None:
    near = alike(embedder, "the database connection pool", "a connection pool of the database")
    assert near > alike(embedder, "the database connection pool", "holiday pictures of my cat")


@pytest.fixture
def store(embedder: Embedder, tmp_path: Path) -> Iterator[Store]:
    opened = SqliteStore.open(tmp_path / "m.db", embedder=embedder)
    yield opened
    opened.close()


def fill(store: Store, name: str, drafts: list[Draft]) -> int:
    where = store.create(name, [Alias("directory", f"/{name}")]).id
    says = Says(name)
    store.ingest(where, [says.prompt("hello", 1), says.use("t", 2), says.stop(3)])
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    store.record(turn, drafts, at_ms=4)
    return where


def embed_all(store: Store) -> int:
    done = 0
    while (now := store.embed_waiting(3)) > 0:
        assert now <= 3
        done += now
    return done


POOL = Draft(type="bugfix", title="Connections are given back when a query raises", at_ms=1)
CATS = Draft(type="change", title="Pictures of cats are cropped", at_ms=2)


def test_every_entry_gets_its_vectors_once(store: Store) -> None:
    fill(store, "app", [POOL, CATS])
    assert embed_all(store) == 3  # the prompt too
    assert store.embed_waiting(10) == 0


def test_meaning_finds_what_no_word_of_the_question_stands_in(tmp_path: Path) -> None:
    question = "photographs of kittens"
    store = SqliteStore.open(tmp_path / "m.db", embedder=EMBEDDERS["wordllama"])
    try:
        where = fill(store, "app", [POOL, CATS])
        assert store.search([where], question, 5) == ()
        embed_all(store)
        assert store.search([where], question, 5)[0].title == CATS.title
        assert store.search([where], "qzxv", 5) == ()
    finally:
        store.close()


def test_meaning_stays_within_projects_and_filters(store: Store) -> None:
    one = fill(store, "one", [POOL])
    fill(store, "two", [CATS, POOL])
    embed_all(store)
    query = "are connections given back when queries raise"
    assert {e.project for e in store.search([one], query, 9)} == {"one"}
    assert {e.project for e in store.search(None, query, 9)} == {"one", "two"}
    only = SearchFilters(types=("change",))
    assert {e.type for e in store.search(None, query, 9, only)} <= {"change"}


def test_what_is_written_anew_is_embedded_anew(store: Store) -> None:
    fill(store, "app", [POOL])
    session = store.session("h", "app")
    assert session is not None
    store.put_summary(session.id, SummaryDraft(request="First", learned="pool"))
    embed_all(store)
    store.put_summary(session.id, SummaryDraft(request="Second", learned="cats"))
    assert embed_all(store) == 1
    assert embed_all(store) == 0


def test_a_merged_project_is_found_under_its_new_one(store: Store) -> None:
    one, two = fill(store, "one", [POOL]), fill(store, "two", [CATS])
    embed_all(store)
    assert store.search([two], "connections given back", 5) == ()
    store.merge([one], two)
    embed_all(store)
    found = store.search([two], "connections given back", 5)
    assert found[0].title == POOL.title


def test_a_private_prompt_has_no_vector(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    says = Says("s")
    store.ingest(where, [says.prompt("secret plans", 1, private=True), says.stop(2)])
    assert embed_all(store) == 0


def test_without_an_embedder_nothing_waits(tmp_path: Path) -> None:
    plain = SqliteStore.open(tmp_path / "plain.db")
    try:
        fill(plain, "app", [POOL])
        assert plain.embed_waiting(10) == 0
        assert plain.search(None, "connections", 5)[0].title == POOL.title
    finally:
        plain.close()


def test_vectors_of_another_model_are_made_again(tmp_path: Path) -> None:
    class Renamed(CountingEmbedder):
        name = "another"

    for embedder in (CountingEmbedder(), Renamed()):
        store = SqliteStore.open(tmp_path / "m.db", embedder=embedder)
        try:
            if embedder.name == CountingEmbedder.name:
                fill(store, "app", [POOL])
            assert embed_all(store) == 2
            assert store.search(None, "connections raises", 5)[0].title == POOL.title
        finally:
            store.close()
