"""ports.Library.touched on every store: the newest observations that name files."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from stores import STORES, Says, store  # the fixture

from memfold.records import Alias, Draft, FileMark
from memfold.store.ports import Store


def fill(store: Store, name: str, drafts: list[Draft]) -> int:
    where = store.create(name, [Alias("directory", f"/{name}")]).id
    says = Says(f"session-{name}")
    store.ingest(where, [says.prompt("look", 1), says.use("t", 2), says.stop(3)])
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    store.record(turn, drafts, at_ms=4)
    return where


def draft(number: int, *, read: tuple[str, ...] = (), changed: tuple[str, ...] = ()) -> Draft:
    marks = tuple(FileMark(path, "aa") for path in changed)
    return Draft(
        type="change", title=f"number {number}", at_ms=number, files_read=read, files_changed=marks
    )


def titles(store: Store, where: int, newest: int) -> list[str]:
    return [one.entry.title for one in store.touched([where], newest)]


def test_only_what_names_a_file_is_given_newest_first(store: Store) -> None:
    where = fill(store, "app", [draft(1, read=("a",)), draft(2), draft(3, changed=("b", "/x/c"))])
    newest, oldest = store.touched([where], 9)
    assert newest.entry.title == "number 3"
    assert newest.entry.files == (FileMark("b", "aa"), FileMark("/x/c", "aa"))
    assert newest.files_read == ()
    assert newest.entry.cwd == "/code/app"
    assert oldest.entry == store.recent([where], "observation", 9)[-1]
    assert oldest.files_read == ("a",)


def test_the_bound_counts_what_is_looked_at(store: Store) -> None:
    """A long history without files must not be walked to its end."""
    where = fill(store, "app", [draft(1, read=("a",)), *(draft(n) for n in range(2, 9))])
    assert titles(store, where, 7) == []
    assert titles(store, where, 8) == ["number 1"]
    assert titles(store, where, 0) == []


def test_only_the_projects_that_were_asked_for(store: Store) -> None:
    one = fill(store, "one", [draft(1, read=("a",))])
    two = fill(store, "two", [draft(2, read=("a",))])
    assert titles(store, one, 9) == ["number 1"]
    assert [t.entry.project for t in store.touched([one, two], 9)] == ["two", "one"]
    assert store.touched([], 9) == ()


def test_types_and_concepts_narrow_it(store: Store) -> None:
    drafts = [
        Draft(type="bugfix", title="one", concepts=("gotcha", "pattern"), files_read=("a",)),
        Draft(type="change", title="two", files_read=("a",)),
    ]
    where = fill(store, "app", drafts)
    for found in (
        store.touched([where], 9, types=("bugfix", "decision")),
        store.touched([where], 9, concepts=("gotcha",)),
        store.touched([where], 9, types=("bugfix",), concepts=("pattern", "trade-off")),
    ):
        assert [one.entry.title for one in found] == ["one"]
    assert store.touched([where], 9, types=("change",), concepts=("gotcha",)) == ()


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.text(alphabet=st.characters(exclude_characters="\0"), min_size=1),
        max_size=4,
        unique=True,
    )
)
def test_paths_come_back_as_they_were_given(paths: list[str]) -> None:
    import tempfile
    from pathlib import Path

    for make in STORES.values():
        with tempfile.TemporaryDirectory() as folder:
            opened = make(Path(folder))
            where = fill(opened, "app", [draft(1, read=tuple(paths), changed=("x",))])
            (found,) = opened.touched([where], 1)
            assert list(found.files_read) == paths
            opened.close()
