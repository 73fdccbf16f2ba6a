"""What is open is read without what is closed, and is exactly that. Source: spec of layer 0."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memfold.measure import utf16_units
from memfold.records import WorkRow
from memfold.store.ports import WorkCurrent
from memfold.store.sqlite.store import SqliteStore
from memfold.workstate.fold import fold
from memfold.workstate.lists import MIRRORS, lists_of
from memfold.workstate.section import lines_in, render_section, section
from memfold.workstate.verify import verify

NOW = 1_780_000_000_000
T = TypeVar("T")
_NUMBERS = itertools.count()


class Quick(SqliteStore):
    """Does not wait for the disk: thousands of examples are not there to outlive a power cut."""

    def _write(self, job: Callable[[apsw.Connection], T], *, durable: bool = False) -> T:  # noqa: ARG002
        return super()._write(job)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    opened = Quick.open(tmp_path_factory.mktemp("open") / "m.db")
    yield opened
    opened.close()


_NAMES = ["plan", "b", "TodoWrite", "TaskCreate"]
_fields = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from(["todo", "doing", "done", "Dropped ", "", None]),
        "blocked_by": st.sampled_from(["a", "b", None]),
        "pr": st.sampled_from([1, True, "x", None]),
        "host_session": st.just("s"),
    },
)
_rows = st.builds(
    lambda name, task, fields, at: WorkRow(
        name, {"task": task, **fields} if task else fields or {"k": 1}, NOW + at
    ),
    st.sampled_from(_NAMES),
    st.sampled_from(["", "a", "A", "b", "c"]),
    _fields,
    st.sampled_from([-90_000, -1, 0, 10**9]),  # clocks jump
)
_Step = tuple[int, list[WorkRow]]  # which project, what is appended to it
_steps = st.lists(
    st.tuples(st.integers(0, 1), st.lists(_rows, min_size=1, max_size=3)), min_size=1, max_size=3
)


def _written(store: SqliteStore, steps: list[_Step]) -> tuple[int, int]:
    """Two projects after these appends."""
    one, two = (store.create(f"p{next(_NUMBERS)}", []).id for _ in range(2))
    for which, rows in steps:
        store.append((one, two)[which], rows)
    return one, two


def _from_the_log(store: SqliteStore, projects: tuple[int, ...]) -> list[WorkCurrent]:
    """Values as one log of all projects gives them; the list written last comes first."""
    log = store.log(projects)
    last = {row.list_name: row.id for row in log}
    found: list[WorkCurrent] = []
    for name in sorted(last, key=lambda one: last[one], reverse=True):
        rows = [row for row in log if row.list_name == name]
        at = {str(row.fields.get("task") or ""): row.at_ms for row in rows}
        folded = fold(rows)
        values = {"": folded.state} if "" in at else {}
        values |= folded.items
        found += [WorkCurrent(name, task, of, at[task]) for task, of in values.items()]
    return found


@pytest.mark.timeout(600)  # many examples on a busy machine
@settings(
    max_examples=2_000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(_steps)
def test_whatever_is_written_is_shown_as_one_log_of_all_keys_would_show_it(
    store: SqliteStore, steps: list[_Step]
) -> None:
    """spec: current values are kept in the same transaction as the append; reads cover every
    key this directory has been known by; and a merge changes nothing of it."""
    one, two = projects = _written(store, steps)
    for project in projects:
        assert verify(store, project).differences == []
    expected = render_section(_from_the_log(store, projects), NOW)
    assert section(store, projects, NOW) == expected
    assert render_section(store.current(projects), NOW) == expected
    store.merge([two], one)
    assert verify(store, one).differences == []
    assert store.current([two]) == ()
    assert section(store, [one], NOW) == expected


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["x", "y", "TodoWrite", "update_plan"]),
            st.integers(0, 60),
            st.sampled_from(["todo", "doing", "done"]),
        ),
        min_size=20,
        max_size=120,
    ),
    st.integers(1, 12),
)
def test_the_first_lines_are_there_and_the_rest_is_counted(
    tmp_path_factory: pytest.TempPathFactory,
    items: list[tuple[str, int, str]],
    most: int,
) -> None:
    """A bounded read shows what an unbounded one would, up to its bound."""
    store = Quick.open(tmp_path_factory.mktemp("bounded") / "m.db")
    try:
        where = store.create("app", []).id
        rows = [WorkRow(n, {"task": f"t{t}", "status": s}, NOW) for n, t, s in items]
        store.append(where, rows)
        found = store.open_rows([where], most=most, mirrors=MIRRORS)
        every = [
            (view.name, item.task, item.doing)
            for view in lists_of(store.current([where]))
            for item in view.items.values()
            if not item.closed
        ]
        there = [
            (view.name, item.task, item.doing)
            for view in lists_of(found.rows)
            for item in view.items.values()
            if not item.closed
        ]
        assert len(there) + found.left_out == len(every)
        assert [one for one in every if one in there] == there
        own = [one for one in every if one[0] not in MIRRORS]
        assert set(own[:most]) <= set(there)
        assert set([one for one in own if one[2]][:most]) <= set(there)
    finally:
        store.close()


def test_ten_thousand_open_items_and_two_thousand_lists_are_counted_and_not_read(
    tmp_path: Path,
) -> None:
    """Bad input: the last line's count is true, and what cannot be shown is not fetched."""
    store = SqliteStore.open(tmp_path / "m.db")
    try:
        where = store.create("app", []).id
        rows = [WorkRow("big", {"task": f"item {n}"}, NOW) for n in range(10_000)]
        rows += [WorkRow(f"list {n}", {"task": "one"}, NOW) for n in range(2_000)]
        rows.append(WorkRow("big", {"task": "item 9999", "status": "doing"}, NOW))
        for start in range(0, len(rows), 1_000):
            store.append(where, rows[start : start + 1_000])
        found = store.open_rows([where], most=lines_in(3_000), mirrors=MIRRORS)
        assert len(found.rows) <= 2 * lines_in(3_000)
        text = section(store, [where], NOW)
        lines = text.split("\n")
        assert utf16_units(text) <= 3_000
        assert "[doing] item 9999, updated just now" in lines
        shown = sum(line.startswith("[") for line in lines)
        assert lines[-1].startswith(f"{12_000 - shown:,} more lines: ")
        assert text == render_section(store.current([where]), NOW)
    finally:
        store.close()


def test_a_list_written_while_the_clock_was_wrong_keeps_its_place(store: SqliteStore) -> None:
    """The order is that of the writes, whatever a clock said."""
    where = store.create(f"p{next(_NUMBERS)}", []).id
    year = 365 * 24 * 3_600_000
    for name, at in (("future", NOW + year), ("past", 5), ("now", NOW)):
        store.append(where, [WorkRow(name, {"task": f"t {name}"}, at)])
    lines = section(store, [where], NOW).split("\n")[2:]
    assert [line for line in lines if line.startswith("#")] == ["### now", "### past", "### future"]
    assert "[todo] t future, updated just now" in lines
    assert any(line.endswith(" days ago") for line in lines if "t past" in line)


def test_an_item_waits_for_one_that_another_key_holds(store: SqliteStore) -> None:
    one, two = (store.create(f"p{next(_NUMBERS)}", []).id for _ in range(2))
    store.append(one, [WorkRow("plan", {"task": "test"}, NOW)])
    store.append(two, [WorkRow("plan", {"task": "deploy", "blocked_by": "test"}, NOW)])
    assert "[waiting] deploy" in section(store, [one, two], NOW)
    assert "[todo] deploy" in section(store, [two], NOW)
    store.append(two, [WorkRow("plan", {"task": "test", "status": "done"}, NOW)])
    text = section(store, [one, two], NOW)
    assert "[todo] deploy" in text
    assert "] test," not in text
