"""Arguments of mem_search. Source: spec of mem_search, "Input" and "Rules"."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.disclose.search.dates import moment_ms
from memfold.disclose.search.request import Continue, Options, parse
from memfold.errors import InvalidInput

NOW = 1_777_500_000_000
DAY = 86_400_000


def _options(**args: Any) -> Options:
    parsed = parse(args, NOW)
    assert isinstance(parsed, Options)
    return parsed


def test_a_query_alone_has_the_defaults_of_the_spec() -> None:
    one = _options(query="  why  ")
    assert (one.query, one.mode, one.project) == ("why", "guided", "")
    assert (one.limit, one.max_details, one.depth_before, one.depth_after) == (20, 3, 2, 2)


@given(st.text(min_size=1, max_size=250).filter(lambda text: text.strip() != ""))
def test_any_text_of_1_to_500_characters_is_a_query(text: str) -> None:
    assert _options(query=text).query


@pytest.mark.parametrize(
    ("args", "named"),
    [
        ({}, "`query` is missing"),
        ({"query": None}, "`query` is missing"),
        ({"query": 3}, "`query` must be a text"),
        ({"query": " \n "}, "`query` is 0"),
        ({"query": "x" * 501}, "`query` is 501"),
        ({"query": "漢" * 342}, "1026 bytes"),
        ({"query": "x", "querry": 1}, "`querry`"),
        ({"query": "x", "mode": "fast"}, "`mode`"),
        ({"query": "x", "mode": True}, "`mode` is true"),
        ({"query": "x", "limit": 0}, "`limit` is 0"),
        ({"query": "x", "limit": 21}, "`limit` is 21"),
        ({"query": "x", "limit": "5"}, "`limit` must be"),
        ({"query": "x", "limit": True}, "not true"),
        ({"query": "x", "limit": 2.5}, "`limit` must be"),
        ({"query": "x", "maxDetails": 6}, "`maxDetails` is 6"),
        ({"query": "x", "depthBefore": 4}, "`depthBefore` is 4"),
        ({"query": "x", "depthAfter": -1}, "`depthAfter` is -1"),
        ({"query": "x", "project": ""}, "`project`"),
        ({"query": "x", "project": 4}, "`project`"),
        ({"query": "x", "project": "p" * 257}, "`project` is 257"),
        ({"query": "x", "types": "bugfix"}, "`types` must be a list"),
        ({"query": "x", "types": [1]}, "`types[0]`"),
        ({"query": "x", "files": ["a"] * 21}, "`files` holds 21"),
        ({"query": "x", "since": "yesterday"}, "`since`"),
        ({"query": "x", "until": "2026-13-01"}, "`until`"),
        ({"query": "x", "since": "2026-04-30", "until": "2026-04-29"}, "later"),
        ({"query": "x", "selectedIds": [1]}, "without `continuation`"),
        ({"continuation": "ms_x"}, "needs `selectedIds`"),
        ({"continuation": 5, "selectedIds": []}, "`continuation` must"),
        ({"continuation": "c", "selectedIds": "41"}, "must be a list"),
        ({"continuation": "c", "selectedIds": [1.5]}, "1.5"),
        ({"continuation": "c", "selectedIds": [True]}, "true"),
        ({"continuation": "c", "selectedIds": [1, 2, 3, 4, 5, 6]}, "holds 6"),
        ({"continuation": "c", "selectedIds": [1], "limit": "x"}, "`limit`"),
    ],
)
def test_a_refusal_names_the_argument(args: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse(args, NOW)
    assert named in refused.value.message


def test_ids_are_understood_however_an_agent_writes_them() -> None:
    parsed = parse({"continuation": "c", "selectedIds": [41, "s7", "[P12]", "#41", "?"]}, NOW)
    assert isinstance(parsed, Continue)
    assert parsed.selected == ("41", "S7", "P12", "?")


def test_dates_are_iso_or_an_age() -> None:
    assert moment_ms("7d", "since", NOW) == NOW - 7 * DAY
    assert moment_ms("2W", "since", NOW) == NOW - 14 * DAY
    assert moment_ms("1970-01-02", "since", NOW) == DAY
    assert moment_ms("1970-01-02", "until", NOW, end=True) == 2 * DAY - 1
    assert moment_ms("1970-01-01T01:00+01:00", "since", NOW) == 0
    with pytest.raises(InvalidInput):
        moment_ms("9999999d", "since", NOW)


def test_filters_are_frozen_with_the_query() -> None:
    one = _options(query="x", types=["bugfix"], files=["a.py"], since="7d", until="2026-05-01")
    assert one.filters.types == ("bugfix",)
    assert one.filters.files == ("a.py",)
    assert one.filters.since_ms == NOW - 7 * DAY
    assert one.value("maxDetails") == 3
