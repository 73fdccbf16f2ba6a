"""CommitBook on every store: each commit once, linked to what it taught."""

from __future__ import annotations

from stores import Says, store  # the fixture

from memfold.records import Alias, Draft
from memfold.store.ports import CommitLooked, Scope, Store

LATER = "abcd" + "0" * 36
BEGINNING = LATER[:12]


def looked(number: int, title: str = "", **more: object) -> CommitLooked:
    said = title or f"The limit is {number}"
    draft = Draft(type="change", title=said, at_ms=number * 1_000, read_tokens=10)
    values: dict[str, object] = {
        "id": f"{number:040x}",
        "subject": said,
        "trace": b"t%d" % number,
        "change_trace": b"c%d" % number,
        "draft": draft,
        **more,
    }
    return CommitLooked(**values)  # type: ignore[arg-type]  # fields of CommitLooked


def test_a_commit_is_taken_once_and_its_observation_names_it(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    taken = store.take_commits(where, "/app", [looked(1), looked(2, draft=None, reason="merge")])
    assert (taken.observations, taken.left_out) == (1, ("merge",))
    again = store.take_commits(where, "/app", [looked(1), looked(2)])
    assert (again.known, again.observations) == (2, 0)
    ids = [f"{n:040x}" for n in (1, 2, 3)]
    assert set(store.known_commits(where, ids)) == set(ids[:2])
    (entry,) = store.recent([where], "observation", 5)
    ((observation, refs),) = store.commits_of([entry.id, 99], [where])
    assert observation == entry.id
    assert [(one.id, one.subject, one.checkout) for one in refs] == [
        (ids[0], "The limit is 1", "/app")
    ]
    assert store.commits_of([entry.id], [where + 1]) == ()
    assert store.totals([where]) == (1, 10, 0)


def test_one_commit_under_two_ids_is_one_observation(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    store.take_commits(where, "/app", [looked(1)])
    version = store.version([where])
    rebased = looked(2, "The limit is 1", trace=b"t1")
    reworded = looked(3, "The limit is one", change_trace=b"c1")
    taken = store.take_commits(where, "/app", [rebased, reworded])
    assert (taken.rewritten, taken.observations) == (2, 0)
    assert store.version([where]) != version, "what its details show has changed"
    (entry,) = store.recent([where], "observation", 5)
    ((_, refs),) = store.commits_of([entry.id], [where])
    assert [one.id for one in refs] == [f"{n:040x}" for n in (3, 2, 1)]


def test_what_a_session_learned_from_the_commit_is_the_same_fact(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    says = Says()
    store.ingest(where, [says.use("k", 1), says.stop(2)])
    turn = store.next_turn(idle_before_ms=1 << 60)
    assert turn is not None
    draft = Draft(type="bugfix", title="The limit is 7", evidence=(turn.steps[0].id,), at_ms=1_000)
    (known,) = store.record(turn, [draft], at_ms=2_000)
    taken = store.take_commits(where, "/app", [looked(7)])
    assert (taken.met_again, taken.observations) == (1, 0)
    (entry,) = store.recent([where], "observation", 5)
    assert (entry.id, entry.seen_count, entry.type) == (known.id, 1, "bugfix")
    store.take_commits(where, "/app", [looked(8, "The limit is 7")])
    assert store.recent([where], "observation", 5)[0].seen_count == 2


def test_a_revert_finds_its_target_by_id_its_beginning_or_first_line(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    store.take_commits(where, "/app", [looked(1), looked(2, id=LATER), looked(3)])
    taken = store.take_commits(
        where,
        "/app",
        [
            looked(11, reverts=f"{1:040x}"),
            looked(12, reverts=BEGINNING),
            looked(13, reverted_subject="The limit is 3"),
            looked(14, reverts="f" * 40),
        ],
    )
    assert taken.superseded == 3
    by_title = {one.title: one for one in store.recent([where], "observation", 20)}
    for number in (1, 2, 3):
        older = by_title[f"The limit is {number}"]
        assert older.superseded_by == by_title[f"The limit is {number + 10}"].id


def test_the_head_is_remembered_for_each_project_and_merging_keeps_commits(store: Store) -> None:
    one = store.create("one", [Alias("directory", "/one")]).id
    two = store.create("two", [Alias("directory", "/two")]).id
    assert store.git_head(one) == ""
    for head in ("a" * 40, "b" * 40):
        store.set_git_head(one, head)
        assert store.git_head(one) == head
    assert store.git_head(two) == ""
    store.take_commits(one, "/one", [looked(1), looked(2)])
    store.take_commits(two, "/two", [looked(2), looked(3)])
    store.merge([one], two)
    ids = [f"{n:040x}" for n in (1, 2, 3)]
    assert set(store.known_commits(two, ids)) == set(ids)
    assert store.take_commits(two, "/two", [looked(1)]).known == 1


def test_a_forgotten_commit_stays_known_without_a_word(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    store.take_commits(where, "/app", [looked(1), looked(2), looked(3)])
    (newest, *_) = store.recent([where], "observation", 5)
    gone = store.forget(Scope(text="LIMIT IS 1"), 9_000, dry_run=False)
    assert (gone.commits, gone.observations) == (1, 1)
    store.forget(Scope(observations=(newest.id,)), 9_000, dry_run=False)
    assert store.commits_of([newest.id], [where]) == ()
    rebased = looked(4, "The limit is 1", trace=b"t1")
    again = store.take_commits(where, "/app", [looked(1), looked(3), rebased])
    assert (again.known, again.rewritten, again.observations) == (2, 1, 0)
    assert [one.title for one in store.recent([where], "observation", 5)] == ["The limit is 2"]


def test_commits_of_a_forgotten_time_or_project_stay_away(store: Store) -> None:
    where = store.create("app", [Alias("directory", "/app")]).id
    store.forget(Scope(since_ms=1_500, until_ms=2_500), 9_000, dry_run=False)
    taken = store.take_commits(where, "/app", [looked(1), looked(2), looked(3)])
    assert (taken.observations, taken.left_out) == (2, ("forgotten",))
    assert store.known_commits(where, [looked(2).id])
    store.set_git_head(where, looked(3).id)
    assert store.forget(Scope(project_ids=(where,)), 9_000, dry_run=False).projects == 1
    anew = store.create("app", [Alias("directory", "/app")]).id
    assert store.git_head(anew) == ""
    taken = store.take_commits(anew, "/app", [looked(1), looked(3), looked(10)])
    assert (taken.observations, taken.left_out) == (1, ("forgotten", "forgotten"))
