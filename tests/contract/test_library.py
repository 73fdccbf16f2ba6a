"""ports.Library on every store: found within scope, whatever is asked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import STORES, Says, store  # the fixture

from memfold.records import Alias, Draft, FileMark, SearchFilters, SummaryDraft
from memfold.store.ports import Store


def fill(store: Store, name: str, drafts: list[Draft]) -> int:
    where = store.create(name, [Alias("directory", f"/{name}")]).id
    says = Says(f"session-{name}")
    store.ingest(where, [says.prompt(f"please look at {name}", 1), says.use("t", 2), says.stop(3)])
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    store.record(turn, drafts, at_ms=4)
    return where


DRAFTS = [
    Draft(type="bugfix", title="validateEndpoints ignored a trailing slash", narrative="URLs", at_ms=2_000,
          concepts=("gotcha",), files_changed=(FileMark("internal/validation/validate.go"),)),
    Draft(type="feature", title="Added a version subcommand", facts=("release 0.6.0",), at_ms=3_000),
    Draft(type="discovery", title="請統一資料庫版本", narrative="同步檢查", at_ms=4_000),
]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("validate endpoints", DRAFTS[0].title),
        ("validateEndpoints", DRAFTS[0].title),
        ("internal/validation", DRAFTS[0].title),
        ("why was the trailing slash ignored?", DRAFTS[0].title),
        ("slashes", DRAFTS[0].title),
        ("subcommands for versions", DRAFTS[1].title),
        ("0.6.0", DRAFTS[1].title),
        ("資料庫", DRAFTS[2].title),
        ("同步", DRAFTS[2].title),
    ],
)
def test_questions_find_what_they_mean(store: Store, query: str, title: str) -> None:
    where = fill(store, "app", DRAFTS)
    found = [e.title for e in store.search([where], query, 9) if e.kind == "observation"]
    assert found[:1] == [title]


def told(*narratives: str) -> list[Draft]:
    """Observations that tell these, among two dozen of other matters."""
    other = [f"matter {at} was looked into without end" for at in range(24)]
    return [
        Draft(type="discovery", title=f"Note {at}", narrative=text, at_ms=1_000 + at)
        for at, text in enumerate([*narratives, *other])
    ]


def test_a_name_that_much_holds_does_not_hide_what_is_asked(store: Store) -> None:
    """Words of the question count by themselves: a project's name is in many, and one thing."""
    named = [f"the shop-api was given its part number {at} then" for at in range(5)]
    redis = [f"redis holds carts of kind {at} for a day" for at in range(4)]
    where = fill(store, "shop", told(*named, *redis))
    found = store.search([where], "How is Redis used in the shop-api?", 4)
    assert {one.title for one in found} == {f"Note {at}" for at in range(5, 9)}


def test_a_rare_name_counts_with_all_its_parts(store: Store) -> None:
    called = [f"something is called from main on day {at}" for at in range(2)]
    where = fill(store, "book", told(*called, "rows of order_book were sorted twice"))
    found = store.search([where], "Where is order_book called from main?", 1)
    assert [one.title for one in found] == ["Note 2"]


def test_search_stays_within_its_projects(store: Store) -> None:
    one = fill(store, "one", [Draft(type="change", title="The needle is here", at_ms=1)])
    two = fill(store, "two", [Draft(type="change", title="Another needle", at_ms=1)])
    assert [e.project for e in store.search([one], "needle", 9)] == ["one"]
    assert {e.project for e in store.search([one, two], "needle", 9)} == {"one", "two"}
    assert {e.project for e in store.search(None, "needle", 9)} == {"one", "two"}
    assert store.search([], "needle", 9) == ()
    assert len(store.search(None, "needle", 1)) == 1


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=()), min_size=1, max_size=500))
def test_any_text_is_a_valid_query(query: str) -> None:
    for opened in _shared():
        assert isinstance(opened.search(None, query, 5), tuple)


_OPEN: list[Store] = []


def _shared() -> list[Store]:
    """One filled store of each kind for all examples; the process ends with them."""
    if not _OPEN:
        import tempfile
        from pathlib import Path

        for make in STORES.values():
            opened = make(Path(tempfile.mkdtemp()))
            fill(opened, "app", DRAFTS)
            _OPEN.append(opened)
    return _OPEN


@pytest.mark.parametrize(
    "query", ['"', "*", "AND OR NOT", "a:b", "-x", "NEAR(", "\x00", "()", "😀", "p1"]
)
def test_the_engines_own_syntax_never_leaks(store: Store, query: str) -> None:
    where = fill(store, "app", DRAFTS)
    assert all(e.project_id == where for e in store.search([where], query, 5))


@pytest.mark.parametrize(
    ("filters", "titles"),
    [
        (SearchFilters(types=("bugfix",)), {0}),
        (SearchFilters(concepts=("gotcha",)), {0}),
        (SearchFilters(files=("validation/",)), {0}),
        (SearchFilters(since_ms=2_500), {1, 2}),
        (SearchFilters(until_ms=2_500), {0}),
    ],
)
def test_filters_narrow_what_is_found(
    store: Store,
    filters: SearchFilters,
    titles: set[int],
) -> None:
    where = fill(store, "app", DRAFTS)
    query = "validateEndpoints version 統一 subcommand"
    found = {e.title for e in store.search([where], query, 9, filters) if e.kind == "observation"}
    assert found == {DRAFTS[at].title for at in titles}


def test_a_filter_finds_what_ranks_below_hundreds(store: Store) -> None:
    """It holds before the best are chosen, not after."""
    many = [Draft(type="change", title=f"needle {n}", at_ms=n) for n in range(600)]
    rare = Draft(type="bugfix", title="one of the many and long titles with a needle somewhere",
                 narrative="word " * 400, at_ms=5, files_read=("src/pool.py",))  # fmt: skip
    where = fill(store, "app", [rare, *many])
    for filters in (SearchFilters(types=("bugfix",)), SearchFilters(files=("pool",))):
        assert [e.title for e in store.search([where], "needle", 5, filters)] == [rare.title]


def test_a_summary_is_found_by_the_files_it_names(store: Store) -> None:
    where = fill(store, "app", DRAFTS)
    store.put_summary(1, SummaryDraft(request="Sort the shelf", files=("src/shelf.py",), at_ms=5))
    found = store.search([where], "sort shelf", 5, SearchFilters(files=("shelf.py",)))
    assert [e.ref for e in found] == ["S1"]


def test_the_start_of_a_rare_word_is_enough_beside_frequent_ones(store: Store) -> None:
    many = [Draft(type="change", title=f"error {n}", at_ms=n) for n in range(300)]
    wanted = Draft(type="change", title="Wrote the configuration page", at_ms=1)
    where = fill(store, "app", [wanted, *many])
    assert store.search([where], "config error", 5)[0].title == wanted.title


def test_an_observation_stands_above_a_prompt_that_says_the_same(store: Store) -> None:
    where = fill(store, "app", [Draft(type="change", title="please look at app", at_ms=1_000)])
    assert [e.kind for e in store.search([where], "look app", 5)] == ["observation", "prompt"]


def test_recent_entries_come_newest_first(store: Store) -> None:
    where = fill(store, "app", DRAFTS)
    entries = store.recent([where], "observation", 2)
    assert [e.title for e in entries] == [DRAFTS[2].title, DRAFTS[1].title]
    assert [e.type for e in store.recent([where], "observation", 9, types=("bugfix",))] == [
        "bugfix"
    ]
    assert len(store.recent([where], "observation", 9, concepts=("gotcha",))) == 1
    assert [e.ref for e in store.recent([where], "prompt", 9)] == ["P1"]


def test_neighbours_are_those_of_the_project_in_time(store: Store) -> None:
    where = fill(store, "app", DRAFTS)
    fill(store, "other", [Draft(type="change", title="Not mine", at_ms=2_500)])
    middle = next(e for e in store.recent([where], "observation", 9) if e.at_ms == 3_000)
    around = store.around(middle, 2, 3)
    assert [e.at_ms for e in around] == [1_000, 2_000, 3_000, 4_000]
    assert [e.ref for e in store.around(middle, 0, 0)] == [middle.ref]


def test_details_need_the_right_project_and_kind(store: Store) -> None:
    where = fill(store, "app", DRAFTS)
    entry = store.recent([where], "observation", 1)[0]
    assert len(store.details([("observation", entry.id, where)])) == 1
    assert store.details([("observation", entry.id, where + 1)]) == ()
    assert store.details([("summary", entry.id, where)]) == ()
    (prompt,) = store.details([("prompt", 1, where)])
    assert prompt.prompt is not None
    assert store.find("observation", 999) is None


def test_evidence_is_shown_to_its_project_only(store: Store) -> None:
    where = fill(store, "app", DRAFTS)
    assert len(store.tool_uses([1, 999], [where])) == 1
    assert store.tool_uses([1], [where + 1]) == ()
    entry = store.recent([where], "observation", 1)[0]
    assert store.evidence_of([entry.id], [where + 1]) == ()


def test_the_version_moves_when_what_is_shown_does(store: Store) -> None:
    where = fill(store, "app", DRAFTS)
    before = store.version([where])
    assert store.version([where]) == before
    store.rename(where, "shop")
    assert store.version([where]) > before
