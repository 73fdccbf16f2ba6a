"""The search protocol over a real store. Source: spec of mem_search, "Rules"; ADR-0008."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from sample_memory import SECRET, Memory

from memfold.disclose.details import render_details
from memfold.disclose.mode import load_mode
from memfold.disclose.search.cursor import LIFE_MS, Cursors, Listed, State
from memfold.disclose.search.engine import MemSearch
from memfold.disclose.search.request import Options
from memfold.errors import (
    ExpiredContinuation,
    InvalidContinuation,
    InvalidInput,
    InvalidSelection,
    ResponseTooLarge,
    ScopeChanged,
)
from memfold.measure import tokens, utf8_bytes
from memfold.records import ToolReply
from memfold.store.cursors.memory import MemoryCursors


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    made = Memory.open(tmp_path)
    for number in range(4):
        made.remember(
            {
                "id": f"session-{number}",
                "at": f"2026-04-2{number} 09:00",
                "prompt": f"look at parser number {number}",
                "observations": [
                    {"title": f"Parser {number} reads tabs as blanks", "narrative": "Because."},
                    {"title": f"Parser {number} keeps comments", "facts": ["one", "two"]},
                ],
                "summary": {"request": f"Mend parser {number}", "completed": "Mended"},
            }
        )
    yield made
    made.store.close()


def _search(memory: Memory, **args: Any) -> ToolReply:
    return memory.call("mem_search", args)


def _next(memory: Memory, *ids: object, **more: Any) -> ToolReply:
    return _search(memory, continuation="$", selectedIds=list(ids), **more)


def test_three_steps_lead_to_full_text(memory: Memory) -> None:
    first = _search(memory, query="parser tabs")
    assert first.step == 1
    assert re.search(r"^Continue with: ms_[A-Za-z0-9_-]{24}$", first.text, re.MULTILINE)
    second = _next(memory, 1)
    assert second.step == 2
    assert second.cursor != first.cursor
    third = _next(memory, 1)
    assert (third.step, third.cursor) == (3, "")
    assert [entry.ref for entry in third.entries] == ["1"]
    assert "Narrative: Because." in third.text


def test_a_cursor_may_be_used_again_until_it_expires(memory: Memory) -> None:
    """spec: a cursor lives 15 minutes and may be used again until then."""
    cursor = _search(memory, query="parser").cursor
    memory.clock.pass_ms(LIFE_MS - 1)
    for _ in range(2):
        assert _search(memory, continuation=cursor, selectedIds=[1]).step == 2
    memory.clock.pass_ms(1)
    with pytest.raises(ExpiredContinuation):
        _search(memory, continuation=cursor, selectedIds=[1])


def test_a_clock_that_goes_back_expires_nothing_early(memory: Memory) -> None:
    cursor = _search(memory, query="parser").cursor
    memory.clock.pass_ms(-86_400_000)
    assert _search(memory, continuation=cursor, selectedIds=[1]).step == 2


def test_forged_cut_padded_and_malformed_cursors_get_one_answer(memory: Memory) -> None:
    """spec: unknown, malformed, foreign: invalid_continuation (one answer for all three)."""
    cursor = _search(memory, query="parser").cursor
    swapped = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
    texts = set()
    for wrong in (swapped, cursor[:-1], cursor + "=", cursor + " ", cursor.upper(), "", "ms_", "é"):
        with pytest.raises(InvalidContinuation) as refused:
            _search(memory, continuation=wrong, selectedIds=[1])
        texts.add(str(refused.value))
    foreign = memory.caller(scope="another")
    with pytest.raises(InvalidContinuation) as refused:
        memory.call("mem_search", {"continuation": cursor, "selectedIds": [1]}, foreign)
    assert texts == {str(refused.value)}


def test_the_store_of_cursors_holds_no_cursor(memory: Memory) -> None:
    """spec: the stored record does not contain the cursor."""

    class Shelf(MemoryCursors):
        kept: tuple[bytes, bytes] = (b"", b"")

        def put(self, key: bytes, record: bytes, *, expires_at_ms: int, now_ms: int) -> None:
            self.kept = (key, record)
            super().put(key, record, expires_at_ms=expires_at_ms, now_ms=now_ms)

    memory.cursors = Shelf()
    cursor = _search(memory, query="parser").cursor
    key, record = memory.cursors.kept
    assert len(key) == 32
    assert cursor.encode() not in record
    assert cursor[3:].encode() not in record


def test_a_changed_secret_is_accepted_while_the_older_one_is_named(memory: Memory) -> None:
    """spec: a second, older secret accepted during rotation."""
    cursor = _search(memory, query="parser").cursor
    parts = (memory.store, memory.store, memory.cursors)
    args = {"continuation": cursor, "selectedIds": [1]}
    rotated = MemSearch(*parts, b"new" * 11, memory.clock, older_secret=SECRET)
    assert rotated.call(args, memory.caller()).step == 2
    with pytest.raises(InvalidContinuation):
        MemSearch(*parts, b"new" * 11, memory.clock).call(args, memory.caller())


def test_a_record_of_another_version_is_unknown(memory: Memory) -> None:
    class Odd(MemoryCursors):
        def put(self, key: bytes, record: bytes, *, expires_at_ms: int, now_ms: int) -> None:
            del record
            super().put(key, b"\xc1", expires_at_ms=expires_at_ms, now_ms=now_ms)

    memory.cursors = Odd()
    cursor = _search(memory, query="parser").cursor
    with pytest.raises(InvalidContinuation):
        _search(memory, continuation=cursor, selectedIds=[1])


def test_state_over_48_kib_is_refused() -> None:
    """spec: step state at most 48 KiB."""
    rows = tuple(Listed("observation", n, 1, f"{n}" * 9) for n in range(5_000))
    state = State(step=2, options=Options(query="x"), project_ids=None, listed=rows)
    with pytest.raises(ResponseTooLarge):
        Cursors(MemoryCursors(), SECRET).keep(state, "local", 0)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=State) == state


def test_ids_that_were_not_listed_are_refused_at_each_step(memory: Memory) -> None:
    """spec: IDs not listed by the step before: invalid_selection."""
    shown = {entry.ref for entry in _search(memory, query="tabs", limit=1).entries}
    assert len(shown) == 1
    for ref in ("1", "3", "5", "7"):
        if ref not in shown:
            with pytest.raises(InvalidSelection):
                _next(memory, ref)
    near = _next(memory, *shown, depthBefore=2).entries
    assert "999" not in {entry.ref for entry in near}
    with pytest.raises(InvalidSelection):
        _next(memory, "999")


@pytest.mark.parametrize(
    "other",
    [
        {"query": "other"},
        {"mode": "auto"},
        {"project": "*"},
        {"limit": 3},
        {"maxDetails": 1},
        {"depthBefore": 0},
        {"depthAfter": 0},
        {"types": ["bugfix"]},
        {"since": "7d"},
    ],
)
def test_another_option_with_a_continuation_is_refused(
    memory: Memory, other: dict[str, Any]
) -> None:
    """spec: another `query`, `limit`, `project` or other option: scope_changed."""
    _search(memory, query="parser")
    with pytest.raises(ScopeChanged):
        _next(memory, 1, **other)


def test_the_same_options_may_be_repeated(memory: Memory) -> None:
    """spec: repeating the same value is fine."""
    given: dict[str, Any] = {"query": " parser ", "limit": 5, "maxDetails": 2, "since": "9999d"}
    _search(memory, **given)
    assert _next(memory, 2, **given).step == 2


def test_more_ids_than_max_details_are_refused(memory: Memory) -> None:
    _search(memory, query="parser", maxDetails=1)
    with pytest.raises(InvalidInput, match="maxDetails"):
        _next(memory, 1, 2)
    _next(memory, 1, "1", "[1]")


def test_choosing_nothing_ends_the_search_at_either_step(memory: Memory) -> None:
    """spec: choosing nothing ends the search politely; titles may be the answer."""
    _search(memory, query="parser")
    ended = _next(memory)
    assert (ended.step, ended.entries, ended.cursor) == (1, (), "")
    assert "may be the answer" in ended.text
    _next(memory, 1)
    assert _next(memory).step == 2


def test_what_moved_to_another_project_is_said_to_be_gone(memory: Memory) -> None:
    """spec: a cursor authorises a row; one deleted or moved in between is said to be gone."""
    _search(memory, query="parser tabs")
    other = memory.store.create("other", [])
    memory.store.merge([memory.project.id], other.id)
    reply = _next(memory, 1)
    assert reply.entries == ()
    assert "Gone since they were listed (deleted or moved): 1." in reply.text
    assert reply.cursor == ""


def test_what_is_gone_at_the_last_step_is_left_out(memory: Memory) -> None:
    _search(memory, query="parser tabs")
    _next(memory, 1)
    other = memory.store.create("other", [])
    memory.store.merge([memory.project.id], other.id)
    reply = _next(memory, 1, 2)
    assert reply.entries == ()
    assert "Because" not in reply.text
    assert "1, 2" in reply.text


def test_a_timeline_has_at_most_35_entries_without_repeats(memory: Memory) -> None:
    first = _search(memory, query="parser", maxDetails=5, depthBefore=3, depthAfter=3)
    chosen = [entry.ref for entry in first.entries][:5]
    refs = [entry.ref for entry in _next(memory, *chosen).entries]
    assert len(refs) == len(set(refs)) <= 35
    assert set(chosen) <= set(refs)
    times = [entry.at_ms for entry in _next(memory, *chosen[:0]).entries]
    assert times == sorted(times)


def test_other_projects_are_seen_only_by_name_or_all(memory: Memory) -> None:
    memory.remember(
        {
            "id": "x",
            "at": "2026-04-01 09:00",
            "project": "other",
            "observations": [{"title": "Parser of others"}],
        }
    )
    assert {entry.project for entry in _search(memory, query="parser").entries} == {"sample"}
    assert {e.project for e in _search(memory, query="parser", project="other").entries} == {
        "other"
    }
    every = _search(memory, query="parser", project="*")
    assert {entry.project for entry in every.entries} == {"sample", "other"}
    with pytest.raises(InvalidInput, match="no project 'nope'"):
        _search(memory, query="parser", project="nope")


def test_a_search_of_this_project_is_not_continued_from_another(memory: Memory) -> None:
    cursor = _search(memory, query="parser").cursor
    other = memory.caller(memory.store.create("other", []))
    with pytest.raises(ScopeChanged):
        memory.call("mem_search", {"continuation": cursor, "selectedIds": [1]}, other)


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "*",
        "AND",
        "a AND",
        "-x",
        "title:x",
        "x\0y",
        "😀",
        "NEAR(a b)",
        "(",
        "\ud800",
        "^",
        "漢",
    ],
)
def test_query_syntax_of_the_engine_never_leaks(memory: Memory, query: str) -> None:
    """spec: any 1 to 500 characters are a valid query."""
    for mode in ("guided", "auto"):
        assert _search(memory, query=query, mode=mode).step in (1, 3)


def test_what_a_reply_promises_to_cost_is_not_exceeded(memory: Memory) -> None:
    """spec: each reply says what the next step would cost at most."""
    first = _search(memory, query="parser")
    promised = int(re.findall(r"at most ~([\d,]+)", first.text)[0].replace(",", ""))
    chosen = [entry.ref for entry in first.entries][:3]
    second = _next(memory, *chosen)
    assert tokens(second.text) <= promised
    promised = int(re.findall(r"at most ~([\d,]+)", second.text)[0].replace(",", ""))
    dear = sorted((e for e in second.entries if e.kind != "prompt"), key=lambda e: -e.read_tokens)
    third = _next(memory, *[entry.ref for entry in dear[:3]])
    assert tokens(third.text) <= promised


def test_the_price_of_an_entry_is_that_of_its_details(memory: Memory) -> None:
    """spec: read tokens of an observation: the text that step 3 would return for it."""
    code = load_mode("code")
    entries = [
        *memory.store.recent((1,), "observation", 9),
        *memory.store.recent((1,), "summary", 9),
    ]
    for entry in entries:
        (details,) = memory.store.details([(entry.kind, entry.id, entry.project_id)])
        actual = tokens(render_details(details, code))
        assert abs(actual - entry.read_tokens) <= 6


@pytest.mark.parametrize("char", ["x", "漢", "😀", "é", "\n"])
def test_a_long_detail_is_halved_on_a_character_boundary_and_says_so(
    memory: Memory, char: str
) -> None:
    """spec: at most 8 KiB; a cut one says so and how to get the rest."""
    memory.remember(
        {
            "id": "long",
            "at": "2026-04-30 09:00",
            "observations": [{"title": "Long", "narrative": f"a{char * 20_000}b"}],
        }
    )
    entry = memory.store.recent((1,), "observation", 1)[0]
    (details,) = memory.store.details([(entry.kind, entry.id, entry.project_id)])
    text = render_details(details, load_mode("code"))
    assert utf8_bytes(text) <= 8 * 1024
    assert text.endswith(f'[cut; whole: get_observations ids=["{entry.ref}"]]')
    assert "�" not in text
    assert abs(tokens(text) - entry.read_tokens) <= 6


def test_auto_reads_the_best_and_offers_the_rest(memory: Memory) -> None:
    reply = _search(memory, query="which parser keeps comments, number 2?", mode="auto")
    assert reply.step == 3
    assert reply.entries[0].title == "Parser 2 keeps comments"
    shown = [entry.ref for entry in reply.entries]
    assert len(shown) == len(set(shown))
    rest = next(entry for entry in reply.entries[1:] if entry.kind != "prompt")
    assert _next(memory, rest.ref).entries[0].ref == rest.ref


def test_auto_prefers_different_sessions_when_scores_are_close(memory: Memory) -> None:
    reply = _search(memory, query="parser reads tabs as blanks", mode="auto")
    assert len({entry.session for entry in reply.entries[:3]}) == 3


def test_auto_drops_stop_words_when_no_title_matches(memory: Memory) -> None:
    """spec: if none match, stop words are dropped and the search runs once more."""
    asked: list[str] = []

    class Listening:
        def __getattr__(self, name: str) -> Any:
            return getattr(memory.store, name)

        def search(self, ids: Any, query: str, *more: Any) -> Any:
            asked.append(query)
            found = memory.store.search(ids, query, *more)
            return tuple(replace(entry, title="?") for entry in found)

    listening: Any = Listening()
    search = MemSearch(listening, memory.store, memory.cursors, SECRET, memory.clock)
    search.call({"query": "why was it because", "mode": "auto"}, memory.caller())
    search.call({"query": "why was it mended", "mode": "auto"}, memory.caller())
    assert asked == ["why was it because", "why was it mended", "mended"]


def test_auto_with_only_prompts_leaves_the_choice_to_the_agent(tmp_path: Path) -> None:
    bare = Memory.open(tmp_path / "bare")
    bare.remember({"id": "s", "at": "2026-04-20 09:00", "prompt": "tune the engine"})
    reply = bare.call("mem_search", {"query": "tune the engine", "mode": "auto"})
    assert reply.step == 1
    assert "the choice is yours" in reply.text
    second = bare.call("mem_search", {"continuation": "$", "selectedIds": ["P1"]})
    assert "context only" in second.text
    with pytest.raises(InvalidSelection, match="context only"):
        bare.call("mem_search", {"continuation": "$", "selectedIds": ["P1"]})
    bare.store.close()


def test_the_callers_own_prompts_are_not_shown_back(memory: Memory) -> None:
    """The agent has them in front of it, and its own question would always match itself."""
    before = [one.ref for one in _search(memory, query="parser number", limit=20).entries]
    own = next(ref for ref in before if ref.startswith("P"))
    entry = memory.store.find("prompt", int(own[1:]))
    assert entry is not None
    engine = MemSearch(memory.store, memory.store, MemoryCursors(), SECRET, memory.clock)
    caller = replace(memory.caller(), session=entry.session)
    after = [
        one.ref for one in engine.call({"query": "parser number", "limit": 20}, caller).entries
    ]
    assert [ref for ref in before if ref not in after] == [own]
