"""The words a text is found by: identifiers split, text without blanks in pairs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.store import words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("validateEndpoints", ["validate", "endpoints"]),
        ("internal/validation", ["internal", "validation"]),
        ("snake_case_name", ["snake", "case", "name"]),
        ("kebab-case", ["kebab", "case"]),
        ("std::vector", []),
        ("HTTPServer2", ["http", "server", "2"]),
        ("同步檢查", ["同步", "步檢", "檢查"]),
        ("値", ["値"]),
        ("資料庫 validateUrl", ["validate", "url", "資料", "料庫"]),
        ("plain words only", []),
        ("", []),
    ],
)
def test_parts_of_a_text_are_added(text: str, found: list[str]) -> None:
    assert words.extra_words(text).split() == found


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("validateEndpoints", ["validateendpoints", "validate", "endpoints"]),
        ("a_b.c", ["a", "b", "c"]),
        ('"quoted" AND -not', ["quoted", "and", "not"]),
        ("同步 sync", ["同步", "sync"]),
        ("😀 ***", []),
    ],
)
def test_a_query_is_its_words(query: str, asked: list[str]) -> None:
    assert words.asked_words(query) == asked


def test_stop_words_go_unless_nothing_else_is_left() -> None:
    assert words.content_words("why did the build fail") == ["build", "fail"]
    assert words.content_words("what was it") == ["what", "was", "it"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Redis in the ecommerce-api", [["ecommerce", "api"]]),
        ("where is validateUrl", [["validateurl", "validate", "url"]]),
        ("src/app_main.py", [["src", "app", "main", "py"]]),
        ("an api of the ecommerce-api", []),  # what stands alone counts by itself
        ("the point-of-sale till", [["point", "sale"]]),
        ("Bootstrap 5.3.0", []),
        ("a 30-day trial of log-in", []),
        ("同步 檢查", []),
        ("plain words only", []),
    ],
)
def test_names_of_several_words_are_told_apart(query: str, names: list[list[str]]) -> None:
    assert words.names(query) == names


@given(st.text(max_size=300))
def test_every_word_is_safe_to_quote(text: str) -> None:
    """The engine's syntax cannot leak through a word: it holds letters and digits only."""
    for word in [*words.asked_words(text), *words.extra_words(text).split()]:
        assert '"' not in word
        assert "\x00" not in word
        assert word.strip() == word != ""


@given(st.from_regex(r"[a-z]{3,8}(_[a-z]{3,8}){1,3}", fullmatch=True))
def test_what_is_asked_meets_what_is_stored(name: str) -> None:
    camel = "".join(part.title() for part in name.split("_"))
    assert set(words.asked_words(name)) <= set(words.extra_words(name).split())
    assert set(words.extra_words(camel).split()) <= set(words.asked_words(camel))
