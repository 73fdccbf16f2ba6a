"""Pinned observations in the startup index: first, once, and the last to go."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

from entries import NOW, entry
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_memory import Memory

from memfold.disclose.gather import gather_index, once_each
from memfold.disclose.index import IndexView, render_index
from memfold.disclose.mode import load_mode
from memfold.measure import Unit, length_in
from memfold.records import Entry
from memfold.settings import Settings


def view(
    pinned: list[Entry], others: list[Entry], summaries: list[Entry] | None = None
) -> IndexView:
    return IndexView(
        project="sample",
        now_ms=NOW,
        zone=UTC,
        mode=load_mode("code"),
        observations=tuple(others),
        pinned=tuple(pinned),
        summaries=tuple(summaries or ()),
        totals=(9, 900, 9_000),
    )


def test_pinned_lines_stand_first_oldest_first_and_name_their_day() -> None:
    text = render_index(view([entry(2, age=60), entry(1, age=60 * 48)], [entry(3)])).text
    body = text[text.index("### ") :].split("\n")
    assert body[:5] == [
        "### Pinned",
        "1 Apr 27, 2026 10:00pm ● Title 1",
        "2 Apr 29, 2026 9:00pm ● Title 2",
        "### Apr 29, 2026",
        "3 10:00pm ● Title 3",
    ]


def test_nothing_pinned_has_no_heading() -> None:
    assert "Pinned" not in render_index(view([], [entry(1)])).text


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.text(max_size=200), max_size=20),
    st.lists(st.text(max_size=200), max_size=20),
    st.integers(0, 4),
    st.integers(900, 9_000),
    st.sampled_from(["utf16", "utf8"]),
)
def test_pins_go_last_one_by_one_from_the_oldest(
    pins: list[str], others: list[str], summaries: int, limit: int, unit: Unit
) -> None:
    """spec: never dropped by halving; at least one observation always stays."""
    pinned = [entry(1_000 - at, one, age=100 + at) for at, one in enumerate(pins)]
    rest = [entry(500 - at, one, age=at) for at, one in enumerate(others)]
    asked = [entry(n + 1, "ask", "summary", age=n) for n in range(summaries)]
    rendered = render_index(view(pinned, rest, asked), limit, unit=unit)
    assert length_in(rendered.text, unit) <= limit
    lines = rendered.text.split("\n")
    ids = [
        int(line.split(" ")[0]) for line in lines if line.split(" ")[0].isdigit() and "●" in line
    ]
    kept = [number for number in ids if number > 500]
    assert kept == sorted(kept)
    assert kept == [one.id for one in reversed(pinned[: len(kept)])]
    if len(kept) < len(pinned):
        assert [number for number in ids if number <= 500] == []
        assert not [line for line in lines if line.startswith("S") and line[1:2].isdigit()]
    assert len(kept) >= min(len(pinned), 1)
    assert ids or not (pinned or rest)


def test_a_pinned_title_that_is_alone_too_long_is_shortened() -> None:
    shown = view([entry(1, "w" * 230)], [entry(2)])
    limit = len(render_index(view([entry(1, "w" * 230)], [])).text) - 50
    rendered = render_index(shown, limit)
    assert rendered.dropped[-1] == "title"
    assert len(rendered.text) == limit
    assert "www…" in rendered.text


def test_what_is_pinned_is_listed_once_and_stands_for_its_near_duplicates() -> None:
    pinned = [entry(1, "Fix the parser", age=9)]
    found = [entry(3, "fix the  Parser!"), entry(2, "Other", age=1), *pinned]
    assert [(one.id, one.seen_count) for one in once_each(found, pinned)] == [(1, 2), (2, 1)]


def test_two_pins_that_say_the_same_are_both_kept() -> None:
    pinned = [entry(2, "Fix the parser"), entry(1, "Fix the parser", age=9)]
    assert [one.id for one in once_each(pinned, pinned)] == [2, 1]


def test_a_pin_is_shown_whatever_the_settings_leave_out(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path)
    made = memory.remember(
        {
            "id": "s",
            "at": "2026-04-29 09:00",
            "observations": [{"title": f"number {n}", "minute": n} for n in range(9)],
        }
    )
    memory.store.pin(made[0].id, [memory.project.id], at_ms=1)
    for values in ({"index_observations": 2}, {"index_types": ("decision",)}):
        view = gather_index(
            memory.store,
            Settings({"timezone": "UTC", **values}),
            project="sample",
            project_ids=(memory.project.id,),
            now_ms=memory.clock(),
        )
        assert [one.id for one in view.pinned] == [made[0].id]
        assert made[0].id not in [one.id for one in view.observations]
        assert len(view.observations) == values.get("index_observations", 0)
    memory.store.close()
