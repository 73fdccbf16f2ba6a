"""ports.PinBoard and IndexSource.last_reply on every store."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from stores import STORES, Says, store  # the fixture

from memfold.errors import InvalidInput, MemfoldError, NotFound
from memfold.records import Alias, Draft
from memfold.store.ports import MOST_PINS, Store


def fill(store: Store, name: str, count: int) -> tuple[int, list[int]]:
    """(project id, ids of its observations, oldest first)."""
    where = store.create(name, [Alias("directory", f"/{name}")]).id
    says = Says(f"session-{name}")
    store.ingest(where, [says.prompt("look", 1), says.use("t", 2), says.stop(3)])
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    drafts = [Draft(type="change", title=f"{name} {n}", at_ms=n) for n in range(count)]
    return where, [made.id for made in store.record(turn, drafts, at_ms=4)]


def pins(store: Store, *projects: int, limit: int = 99) -> list[int]:
    return [entry.id for entry in store.pinned(projects, limit)]


def test_pins_are_given_newest_observation_first_as_any_entry(store: Store) -> None:
    where, ids = fill(store, "app", 5)
    assert pins(store, where) == []
    for one in (ids[3], ids[0], ids[4]):
        assert store.pin(one, [where], at_ms=9)
    assert pins(store, where) == [ids[4], ids[3], ids[0]]
    assert pins(store, where, limit=2) == [ids[4], ids[3]]
    assert store.pinned([where], 1)[0] == store.find("observation", ids[4])
    assert pins(store) == []


def test_what_is_so_already_changes_nothing(store: Store) -> None:
    where, ids = fill(store, "app", 1)
    assert store.unpin(ids[0], [where]) is False
    assert store.pin(ids[0], [where], at_ms=9)
    version = store.version([where])
    assert store.pin(ids[0], [where], at_ms=10) is False
    assert store.version([where]) == version
    assert store.unpin(ids[0], [where])
    assert store.version([where]) != version
    assert pins(store, where) == []


def test_a_pin_changes_the_version(store: Store) -> None:
    """What is shown changes with it."""
    where, ids = fill(store, "app", 1)
    before = store.version([where])
    store.pin(ids[0], [where], at_ms=9)
    assert store.version([where]) != before


def test_unknown_and_foreign_observations_are_not_found(store: Store) -> None:
    one, mine = fill(store, "one", 1)
    two, theirs = fill(store, "two", 1)
    for number in (theirs[0], 999, 0):
        with pytest.raises(NotFound):
            store.pin(number, [one], at_ms=9)
        with pytest.raises(NotFound):
            store.unpin(number, [one])
    store.pin(theirs[0], [two], at_ms=9)
    assert pins(store, one) == []
    store.pin(mine[0], [one, two], at_ms=9)
    assert sorted(pins(store, one, two)) == [mine[0], theirs[0]]


def test_more_pins_than_there_may_be_are_refused_however_many_ask_at_once(store: Store) -> None:
    where, ids = fill(store, "app", MOST_PINS + 10)

    def pin(number: int) -> bool:
        try:
            return store.pin(number, [where], at_ms=9)
        except InvalidInput:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(pin, ids)) == MOST_PINS
    left = next(one for one in ids if one not in pins(store, where))
    with pytest.raises(InvalidInput, match=f"{MOST_PINS} observations"):
        store.pin(left, [where], at_ms=9)
    store.unpin(pins(store, where)[0], [where])
    assert store.pin(left, [where], at_ms=9)


def test_pins_move_with_a_merged_project(store: Store) -> None:
    one, _ = fill(store, "one", 1)
    two, theirs = fill(store, "two", 1)
    store.pin(theirs[0], [two], at_ms=9)
    store.merge([two], one)
    assert pins(store, one) == theirs
    assert store.unpin(theirs[0], [one])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 30)), max_size=80))
def test_any_run_of_commands_leaves_what_was_asked_for(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[bool, int]]
) -> None:
    store = STORES["sqlite"](tmp_path_factory.mktemp("pins"))
    where, ids = fill(store, "app", 28)
    kept: set[int] = set()
    for on, number in steps:
        one = ids[number] if number < len(ids) else 900 + number
        try:
            changed = store.pin(one, [where], at_ms=9) if on else store.unpin(one, [where])
        except MemfoldError:
            assert one not in ids or (on and len(kept) == MOST_PINS and one not in kept)
            continue
        assert changed is ((one not in kept) if on else (one in kept))
        (kept.add if on else kept.discard)(one)
    assert pins(store, where) == sorted(kept, reverse=True)
    store.close()


def test_the_last_reply_is_that_of_the_newest_other_session(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    old, new, mute = Says("old"), Says("new"), Says("mute")
    store.ingest(where, [old.prompt("a", 1), old.reply("old first", 2), old.reply("old last", 3)])
    store.ingest(
        where, [new.prompt("b", 10), new.reply("new first", 11), new.reply("new last", 12)]
    )
    store.ingest(where, [mute.prompt("c", 20)])

    def last(session: str, host: str = "h", most: int = 99) -> str:
        return store.last_reply([where], host=host, session=session, most_chars=most)

    assert last("another") == last("mute") == "new last"
    assert last("new") == "old last"
    assert last("new", host="another host") == "new last"
    assert last("", most=3) == "new"
    assert store.last_reply([], host="h", session="", most_chars=9) == ""


def test_the_last_reply_is_the_main_agents_of_any_of_the_projects(store: Store) -> None:
    one = store.create("one", [Alias("directory", "/one")]).id
    two = store.create("two", [Alias("directory", "/two")]).id
    says, later = Says("s1"), Says("s2")
    store.ingest(one, [says.prompt("a", 1), says.reply("main", 2)])
    store.ingest(one, [replace(says.reply("of a subagent", 3), agent="x")])
    assert store.last_reply([one, two], host="h", session="", most_chars=99) == "main"
    store.ingest(two, [later.prompt("b", 10), later.reply("of two", 11)])
    assert store.last_reply([one, two], host="h", session="", most_chars=99) == "of two"
    assert store.last_reply([one], host="h", session="", most_chars=99) == "main"


def test_a_private_turn_leaves_no_last_reply(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    says = Says("s1")
    store.ingest(where, [says.prompt("", 1, private=True), says.reply("hush", 2), says.stop(3)])
    assert store.last_reply([where], host="h", session="", most_chars=99) == ""
