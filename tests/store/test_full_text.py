"""The full-text index: passages of long texts, rows of their own time, words that all entries have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from stores import Says

from memfold.records import Alias, Draft, SearchFilters, SummaryDraft
from memfold.store.sqlite import full_text, search
from memfold.store.sqlite.store import SqliteStore

FILLER = "The weather was fine and nothing else of note happened on that day.\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(tmp_path / "m.db")
    yield opened
    opened.close()


def record(store: SqliteStore, drafts: list[Draft], name: str = "app") -> int:
    where = store.create(name, [Alias("directory", f"/{name}")]).id
    says = Says(name)
    store.ingest(where, [says.prompt("go", 1), says.use("t", 2), says.stop(3)])
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    store.record(turn, drafts, at_ms=4)
    return where


def rows(path: Path) -> list[int]:
    db = apsw.Connection(str(path))
    found = [row for (row,) in db.execute("SELECT rowid FROM entries_fts ORDER BY rowid")]
    db.close()
    return found


def test_numbers_lead_back_to_their_entry() -> None:
    for kind in full_text.KINDS:
        for entry_id in (1, 2, 7_000_000):
            for passage in (0, 1, 127):
                row = full_text.row_number(kind, entry_id, passage)
                assert full_text.entry_of(row) == (kind, entry_id)
    assert full_text.row_number("prompt", 1, 127) < full_text.row_number("observation", 2)


def test_what_stands_deep_in_a_long_text_is_found_first(store: SqliteStore) -> None:
    scattered = "\n".join(
        f"{FILLER * 12}{word}" for word in ("pool", "leaks", "on", "the", "error", "path")
    )
    deep = FILLER * 120 + "the pool leaks on the error path\n" + FILLER * 30
    where = record(
        store,
        [
            Draft(type="discovery", title="Deep", narrative=deep, at_ms=1),
            Draft(type="discovery", title="Scattered", narrative=scattered, at_ms=2),
        ],
    )
    found = store.search([where], "does the pool leak on an error path?", 5)
    assert [one.title for one in found if one.kind == "observation"] == ["Deep", "Scattered"]


def test_an_entry_is_listed_once_however_many_passages_match(store: SqliteStore) -> None:
    long = "\n".join(f"needle {number} {FILLER * 8}" for number in range(90))
    where = record(store, [Draft(type="change", title="Long", narrative=long, at_ms=1)])
    assert [one.title for one in store.search([where], "needle", 20)] == ["Long"]


def test_a_summary_written_anew_is_found_by_its_new_words_only(
    store: SqliteStore, tmp_path: Path
) -> None:
    where = record(store, [])
    session = store.session("h", "app")
    assert session is not None
    store.put_summary(session.id, SummaryDraft(request="Go", learned=f"zebra\n{FILLER * 40}"))
    before = len(rows(tmp_path / "m.db"))
    store.put_summary(session.id, SummaryDraft(request="Go", learned="giraffe"))
    assert len(rows(tmp_path / "m.db")) < before
    assert store.search([where], "zebra", 5) == ()
    assert [one.kind for one in store.search([where], "giraffe", 5)] == ["summary"]


def test_an_index_of_another_version_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    store = SqliteStore.open(path)
    where = record(store, [Draft(type="change", title="The needle", narrative="x", at_ms=1)])
    session = store.session("h", "app")
    assert session is not None
    store.put_summary(session.id, SummaryDraft(request="Sew it", learned="thread"))
    store.close()
    whole = rows(path)
    db = apsw.Connection(str(path))
    db.execute("INSERT INTO entries_fts (entries_fts) VALUES ('delete-all')")
    db.execute("PRAGMA user_version = 1")
    db.close()
    again = SqliteStore.open(path)
    try:
        assert rows(path) == whole
        for word, kind in (("needle", "observation"), ("thread", "summary"), ("go", "prompt")):
            assert [one.kind for one in again.search([where], word, 5)] == [kind]
    finally:
        again.close()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word is frequent from ten rows on."""
    monkeypatch.setattr(search, "_FREQUENT", 10)
    monkeypatch.setattr(search, "MOST_RANKED", 25)


def crowd(count: int) -> list[Draft]:
    return [
        Draft(type="change", title=f"common word number{n}", narrative="usual text", at_ms=n)
        for n in range(count)
    ]


@pytest.mark.usefixtures("few")
def test_a_rare_word_finds_the_oldest_among_many(store: SqliteStore) -> None:
    oldest = Draft(type="change", title="common word of the heron", at_ms=0)
    where = record(store, [oldest, *crowd(60)])
    for query in ("common word heron", "heron", "the usual heron text", "heron common usual"):
        found = store.search([where], query, 3)
        assert found[0].title == oldest.title, query


@pytest.mark.usefixtures("few")
def test_frequent_words_that_meet_are_better_than_one_alone(store: SqliteStore) -> None:
    both = Draft(type="change", title="amber and violet", at_ms=0)
    drafts = [both]
    for n in range(30):
        drafts.append(Draft(type="change", title=f"amber thing{n}", at_ms=n + 1))
        drafts.append(Draft(type="change", title=f"violet thing{n}", at_ms=n + 1))
    where = record(store, drafts)
    found = store.search([where], "amber violet", 5)
    assert found[0].title == both.title
    assert len(found) == 5


@pytest.mark.usefixtures("few")
def test_filters_hold_for_frequent_words_too(store: SqliteStore) -> None:
    old = Draft(type="decision", title="common word decided", at_ms=0)
    where = record(store, [old, *crowd(60)])
    only = SearchFilters(types=("decision",))
    assert [e.title for e in store.search([where], "common word", 5, only)] == [old.title]


@pytest.mark.usefixtures("few")
def test_other_projects_do_not_make_a_word_frequent(store: SqliteStore) -> None:
    mine = record(store, [Draft(type="change", title="common word here", at_ms=0)], "mine")
    record(store, crowd(60), "theirs")
    assert [e.title for e in store.search([mine], "common word", 5)] == ["common word here"]
    assert len(store.search(None, "common word", 5)) == 5
