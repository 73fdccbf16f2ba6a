"""ObserverDesk.note on every store: written down, found, and met again."""

from __future__ import annotations

from msgspec.structs import replace
from stores import Says, store  # the fixture

from memfold.records import Alias, Draft
from memfold.store.ports import Store

FACT = Draft(
    type="decision",
    title="Retries stop at three",
    narrative="The upstream blocks us after that",
    at_ms=5_000,
    observer="note/1",
    read_tokens=30,
)


def test_a_note_is_listed_found_and_counted(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    before = store.version([where])
    noted = store.note(where, "note", "today", FACT)
    assert (noted.project_id, noted.draft.title, noted.draft.at_ms) == (where, FACT.title, 5_000)
    assert [one.id for one in store.recent([where], "observation", 5)] == [noted.id]
    assert [one.id for one in store.search([where], "upstream retries", 5)] == [noted.id]
    assert store.totals([where]) == (1, 30, 0)
    assert store.version([where]) != before


def test_the_same_note_strengthens_and_another_text_is_another(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    first = store.note(where, "note", "today", FACT)
    again = store.note(where, "note", "tomorrow", FACT)
    assert (again.id, again.seen_count) == (first.id, 2)
    other = replace(FACT, narrative="And they cost money")
    assert store.note(where, "note", "today", other).id != first.id
    assert store.totals([where])[0] == 2


def test_a_note_goes_under_the_session_that_wrote_it(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    says = Says("s1")
    store.ingest(where, [says.prompt("hello", 1)])
    known = store.session("h", "s1")
    assert known is not None
    assert store.note(where, "h", "s1", FACT).session_id == known.id
    fresh = store.note(where, "h", "s2", Draft(type="change", title="Other", at_ms=1))
    made = store.session("h", "s2")
    assert made is not None
    assert made.id == fresh.session_id
    later = Says("s2")
    store.ingest(where, [later.prompt("later", 9)])
    heard = store.session("h", "s2")
    assert heard is not None
    assert (heard.id, heard.last_at_ms) == (made.id, 9_000)
