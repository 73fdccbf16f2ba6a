"""What requests cost: each token is paid for once, and what was sent before is read cheaply."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memfold.evals.read_gate.bill import Cache, Usage

MARK = {"cache_control": {"type": "ephemeral"}}


def text(words: str, *, kept: bool = False) -> dict[str, Any]:
    return {"type": "text", "text": words, **(MARK if kept else {})}


def request(*blocks: dict[str, Any], system: str = "Be brief.") -> dict[str, Any]:
    return {
        "tools": [{"name": "Read", "input_schema": {}}],
        "system": [text(system, kept=True)],
        "messages": [{"role": "user", "content": list(blocks)}],
    }


def test_what_is_sent_again_is_read_from_the_cache() -> None:
    cache = Cache()
    first = cache.charged(request(text("a" * 400, kept=True)), 10)
    second = cache.charged(request(text("a" * 400), text("b" * 40, kept=True)), 10)
    assert (first.read, first.plain) == (0, 0)
    assert (second.read, second.written) == (first.written, 10)


def test_a_session_before_left_tools_and_system_prompt_and_nothing_of_its_messages() -> None:
    cache = Cache()
    asked = request(text("a" * 400, kept=True))
    cache.warmed(asked)
    usage = cache.charged(asked, 0)
    assert (usage.written, usage.plain) == (100, 0)
    assert usage.read > 0


def test_another_system_prompt_is_another_start() -> None:
    cache = Cache()
    cache.charged(request(text("a" * 400, kept=True)), 0)
    usage = cache.charged(request(text("a" * 400, kept=True), system="Be long."), 0)
    assert usage.written > 100


def test_what_no_mark_asks_to_keep_is_plain_and_paid_for_again() -> None:
    cache = Cache()
    for _ in range(2):
        usage = cache.charged(request(text("a" * 400)), 0)
        assert usage.plain == 100


def test_an_hour_costs_more_than_five_minutes() -> None:
    lasting = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    block = {"type": "text", "text": "a" * 400, **lasting}
    usage = Cache().charged(request(block), 0)
    assert usage.written == 0
    assert usage.cost == 2 * usage.written_hour


def test_prices() -> None:
    assert Usage(plain=100, written=100, written_hour=100, read=100, output=100).cost == 935


@given(st.lists(st.tuples(st.text(max_size=50), st.booleans()), max_size=8), st.integers(0, 3))
def test_every_token_is_paid_for_once(parts: list[tuple[str, bool]], times: int) -> None:
    cache = Cache()
    asked = request(*(text(words, kept=kept) for words, kept in parts))
    sizes = {cache.charged(asked, 0).context for _ in range(times + 1)}
    assert len(sizes) == 1
    again = cache.charged(asked, 0)
    assert again.written == again.written_hour == 0
