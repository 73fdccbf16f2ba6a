"""ports.GivenContexts on every store: what a session was shown when it began."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from stores import STORES, Says, store  # the fixture

from memfold.records import Alias, Draft
from memfold.store.ports import MOST_GIVEN, Store


def test_it_comes_back_to_its_session_for_the_same_memory_alone(store: Store) -> None:
    store.put_given_context("h", "s", [1, 2], 7, "the text")
    assert store.given_context("h", "s", [1, 2], 7) == "the text"
    assert store.given_context("other", "s", [1, 2], 7) is None
    assert store.given_context("h", "other", [1, 2], 7) is None
    assert store.given_context("h", "s", [1], 7) is None
    assert store.given_context("h", "s", [1, 2], 8) is None


def test_the_latest_stands(store: Store) -> None:
    store.put_given_context("h", "s", [1], 7, "one")
    store.put_given_context("h", "s", [1], 7, "two")
    assert store.given_context("h", "s", [1], 7) == "two"
    store.put_given_context("h", "s", [1], 8, "three")
    assert store.given_context("h", "s", [1], 7) is None
    assert store.given_context("h", "s", [1], 8) == "three"


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=500))
def test_any_text_comes_back_byte_for_byte(text: str) -> None:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        store = STORES["sqlite"](Path(folder))
        store.put_given_context("h", "s", [1], 7, text)
        assert store.given_context("h", "s", [1], 7) == text
        store.close()


def test_the_newest_sessions_are_kept(store: Store) -> None:
    for number in range(MOST_GIVEN + 3):
        store.put_given_context("h", f"s{number}", [1], 7, f"text {number}")
    kept = [n for n in range(MOST_GIVEN + 3) if store.given_context("h", f"s{n}", [1], 7)]
    assert kept == list(range(3, MOST_GIVEN + 3))
    store.put_given_context("h", "s3", [1], 7, "again")
    store.put_given_context("h", "new", [1], 7, "new")
    assert store.given_context("h", "s3", [1], 7) == "again"
    assert store.given_context("h", "s4", [1], 7) is None


def test_no_text_outlives_a_private_turn_that_it_may_tell_of(store: Store) -> None:
    """A prompt that is heard of late turns out to be private: its turn keeps nothing."""
    where = store.create("app", [Alias("directory", "/app")]).id
    says = Says("s1")
    store.ingest(where, [says.use("t", 5), says.stop(6)])
    turn = store.next_turn(idle_before_ms=1 << 60)
    assert turn is not None
    draft = Draft(type="change", title="hush", evidence=(turn.steps[0].id,), at_ms=5_000)
    store.record(turn, [draft], at_ms=6_000)
    version = store.version([where])
    store.put_given_context("h", "s2", [where], version, "tells of hush")
    store.put_given_context("h", "s3", [where, 99], version, "too")
    store.ingest(where, [says.prompt("", 1, private=True)])
    assert store.recent([where], "observation", 9) == ()
    assert store.given_context("h", "s2", [where], version) is None
    assert store.given_context("h", "s3", [where, 99], version) is None
