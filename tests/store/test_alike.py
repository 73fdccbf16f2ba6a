"""Two texts about one matter, and the later of them found first. Source: ADR-0014."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_memory import Memory

from memfold.store.alike import about_the_same

DECIDED = "Connection pool holds eight connections; sixteen made the database wait on locks."
AMENDED = "Connection pool holds twelve connections since the database has more memory."
APART = "Upload progress counts bytes, as the last part is shorter than the others."


def test_an_amendment_is_about_the_same_and_another_matter_is_not() -> None:
    assert about_the_same(DECIDED, AMENDED)
    assert about_the_same("連線池保留八個連線", "連線池改為保留十二個連線")
    assert not about_the_same(DECIDED, APART)
    assert not about_the_same("登入測試失敗", "上傳進度以位元組計算")


@given(st.text(max_size=300), st.text(max_size=300))
def test_it_does_not_depend_on_the_order(one: str, other: str) -> None:
    assert about_the_same(one, other) is about_the_same(other, one)


def test_texts_without_words_are_about_nothing() -> None:
    assert not about_the_same("", "")
    assert not about_the_same("!?", "!?")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    made = Memory.open(tmp_path)
    yield made
    made.store.close()


def _remember(memory: Memory, session: str, day: int, *titles: str) -> None:
    memory.remember(
        {
            "id": session,
            "at": f"2026-04-{day} 09:00",
            "prompt": "go",
            "observations": [{"title": title, "type": "decision"} for title in titles],
        }
    )


def _found(memory: Memory, query: str) -> list[str]:
    return [one.title for one in memory.store.search([memory.project.id], query, 5)]


OLD = "Pool holds eight connections because of locks"
NEW = "Pool holds twelve connections, no more locks"


@pytest.mark.parametrize("order", [((1, OLD), (2, NEW)), ((1, NEW), (2, OLD))])
def test_what_was_decided_last_comes_first(
    memory: Memory, order: tuple[tuple[int, str], ...]
) -> None:
    for number, title in order:
        _remember(memory, f"s{number}", 20 + number, title)
    assert _found(memory, "pool connections locks") == [order[1][1], order[0][1]]


def test_a_better_match_stays_first(memory: Memory) -> None:
    _remember(memory, "s1", 21, "Pool of eight connections leaks on the error path")
    _remember(memory, "s2", 22, "Pool of connections was renamed")
    assert _found(memory, "pool leaks on the error path")[0].startswith("Pool of eight")


def test_another_matter_does_not_come_first_for_being_later(memory: Memory) -> None:
    """Both have the word once and are as long; the row of the better one is older."""
    _remember(memory, "s1", 21, "Walrus feeding plan was approved by both keepers yesterday")
    _remember(memory, "s2", 22, "Compiler warnings about walrus operator usage were silenced")
    first = _found(memory, "walrus feeding")
    assert first[0].startswith("Walrus feeding")
