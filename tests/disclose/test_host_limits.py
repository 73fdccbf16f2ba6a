"""Every host's own limit, in the host's own unit. Source: spec of layer 1, "The hard limit"."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest
from entries import NOW, entry
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_memory import Memory

from memfold.disclose.context import session_context
from memfold.disclose.index import IndexView, render_body, render_index
from memfold.disclose.mode import load_mode
from memfold.display import CONTEXT_CLOSE, CONTEXT_OPEN
from memfold.hosts.limits import HOST_LIMITS, STRICTEST, session_start_limit
from memfold.measure import Unit, cut_to, length_in, utf8_bytes, utf16_units
from memfold.records import WorkRow
from memfold.serve.context import ContextDesk
from memfold.settings import Settings
from memfold.workstate.section import section

UNITS = st.sampled_from(["utf16", "utf8"])
WIDE = "漢字の題名 😀 á́ é " * 12


def view(titles: list[str]) -> IndexView:
    return IndexView(
        project="sample",
        now_ms=NOW,
        zone=UTC,
        mode=load_mode("code"),
        observations=tuple(entry(n + 1, one, age=n) for n, one in enumerate(titles)),
        totals=(len(titles), 100, 1_000),
    )


@given(
    st.text(alphabet=st.characters(exclude_categories=()), max_size=80), UNITS, st.integers(-3, 200)
)
def test_a_cut_is_the_longest_start_that_fits(text: str, unit: Unit, most: int) -> None:
    start = cut_to(text, most, unit)
    assert text.startswith(start)
    assert length_in(start, unit) <= max(most, 0)
    if start != text:
        assert length_in(text[: len(start) + 1], unit) > most


@given(st.text(), st.text(), UNITS)
def test_sizes_add_up(one: str, other: str, unit: Unit) -> None:
    assert length_in(one + other, unit) == length_in(one, unit) + length_in(other, unit)


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_no_text_has_fewer_bytes_than_units(text: str) -> None:
    """Why the stricter default holds for a host of either unit."""
    assert utf8_bytes(text) >= utf16_units(text)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.one_of(st.text(max_size=300), st.just(WIDE)), min_size=1, max_size=60),
    st.integers(0, 10_000),
    UNITS,
)
def test_no_index_is_over_its_limit_in_either_unit(
    titles: list[str], limit: int, unit: Unit
) -> None:
    rendered = render_index(view(titles), limit, unit=unit)
    assert length_in(rendered.text, unit) <= limit
    if limit > 1_200:
        whole = session_context("## Work state\nx", view(titles), limit, unit=unit).text
        assert length_in(whole, unit) <= limit
        assert whole.startswith(CONTEXT_OPEN + "\n")
        assert whole.endswith("\n" + CONTEXT_CLOSE)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.one_of(st.text(max_size=200), st.just(WIDE)), min_size=1, max_size=40),
    st.integers(0, 9_000),
    st.integers(0, 9_000),
    UNITS,
)
def test_a_body_says_for_which_rooms_it_is_the_same(
    titles: list[str], made_for: int, asked: int, unit: Unit
) -> None:
    """What a prepared index is kept for, so that a hit and a live render cannot differ."""
    shown = view(titles)
    body = render_body(shown, made_for, unit=unit)
    assert body.least_room <= made_for < body.below_room
    if body.least_room <= asked < body.below_room:
        assert render_body(shown, asked, unit=unit).text == body.text


def test_a_title_alone_is_shortened_in_the_hosts_unit() -> None:
    shown = view(["漢" * 200])
    whole = length_in(render_index(shown, 9_999, unit="utf8").text, "utf8")
    rendered = render_index(shown, whole - 40, unit="utf8")
    assert rendered.dropped == ("title",)
    assert whole - 46 <= length_in(rendered.text, "utf8") <= whole - 40


@pytest.mark.parametrize("host", [*HOST_LIMITS, "cursor", "", "no-such-host"])
def test_what_a_session_is_shown_is_within_its_hosts_limit(host: str, tmp_path: Path) -> None:
    """spec: the limit belongs to the host adapter; 3,000 of it are for work state."""
    memory = Memory.open(tmp_path)
    for number in range(6):
        notes = [{"title": f"{number}/{at} {WIDE}", "minute": at} for at in range(12)]
        memory.remember({"id": f"s{number}", "at": "2026-04-29 09:00", "observations": notes})
    rows = [WorkRow("plan", {"task": f"{at} {WIDE}"}, at_ms=at) for at in range(80)]
    memory.store.append(memory.project.id, rows)
    desk = ContextDesk(
        memory.store,
        Settings({"timezone": "UTC"}),
        memory.clock,
        mode=lambda: load_mode("code"),
        limit=session_start_limit,
    )
    limit = session_start_limit(host)
    ids = (memory.project.id,)
    text = desk.text(memory.caller(host=host), "sample")
    assert length_in(text, limit.unit) <= limit.most == 10_000
    assert length_in(text, limit.unit) > 8_000, "the room is used"
    work = section(memory.store, ids, memory.clock(), unit=limit.unit)
    assert work in text
    assert length_in(work, limit.unit) <= 3_000
    memory.store.close()


def test_only_measured_hosts_get_more_than_the_strictest() -> None:
    assert session_start_limit("claude-code").unit == "utf16"
    assert session_start_limit("codex").unit == "utf8"
    assert session_start_limit("gemini-cli") == session_start_limit("qwen-code")
    assert session_start_limit("anything else") == STRICTEST.budget()
