"""Modes as data. Source: spec of layer 1, "Symbols and types"; docs/decisions/0011."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC
from typing import Any

import pytest
from entries import NOW, entry
from hypothesis import given
from hypothesis import strategies as st

from memfold.disclose.index import IndexView, render_index
from memfold.disclose.mode import (
    MAX_CHAIN,
    NEUTRAL_SYMBOL,
    OWN_SIGNS,
    Mode,
    joined,
    load_mode,
    shipped_ids,
)
from memfold.disclose.mode_file import (
    MAX_CONCEPTS,
    MAX_FILE_BYTES,
    MAX_INSTRUCTIONS_CHARS,
    MAX_LABEL_CHARS,
    MAX_NAME_CHARS,
    MAX_SENTENCE_CHARS,
    MAX_TYPES,
    ModeFile,
    parsed,
)
from memfold.errors import InvalidInput
from memfold.measure import utf16_units

# Symbols enough for the fullest mode: arrows, none of them one of ours.
SYMBOLS = [chr(0x2190 + number) for number in range(MAX_TYPES + 6)]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def type_(name: str = "ruling", symbol: str = "¶", **more: Any) -> dict[str, Any]:
    return {"id": name, "symbol": symbol, "label": name, "sentence": "A court ruled.", **more}


def concept(name: str = "precedent", **more: Any) -> dict[str, Any]:
    return {"id": name, "sentence": "What courts said before.", **more}


def law(**more: Any) -> dict[str, Any]:
    """A mode as it should be, with ``more`` on top."""
    return {"id": "law", "name": "Law", "types": [type_()], "concepts": [concept()], **more}


def read(value: Any) -> ModeFile:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return parsed(body, "modes/law.json", OWN_SIGNS)


def refusal(value: Any) -> str:
    with pytest.raises(InvalidInput) as refused:
        joined([read(value)])
    said = str(refused.value)
    assert said.startswith("modes/law.json: ")
    assert "\n" not in said
    assert len(said) < 600
    return said


# --- one file ----------------------------------------------------------------------------------


def test_a_mode_is_read_as_it_is_written() -> None:
    written = law(language="de-CH", observer={"instructions": "Write down rulings.\n"})
    mode = joined([read(written)])
    assert (mode.id, mode.name, mode.language) == ("law", "Law", "de-CH")
    assert [(one.id, one.symbol, one.label) for one in mode.types] == [("ruling", "¶", "ruling")]
    assert mode.types[0].sentence == "A court ruled."
    assert [one.id for one in mode.concepts] == ["precedent"]
    assert mode.instructions == "Write down rulings."
    assert mode.extends == ()


def test_a_byte_order_mark_is_read_past() -> None:
    assert read(b"\xef\xbb\xbf" + json.dumps(law()).encode()).id == "law"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (b"", ["not JSON: line 1, column 1"]),
        (b'{"id": "law",\n "name" "Law"}', ["line 2, column 9"]),
        (b'{"id": "\xff"}', ["byte 8 is not UTF-8", "Save it as UTF-8"]),
        (b"[" * 5_000, ["nested too deeply"]),
        (b'{"id": ' + b"7" * 5_000 + b"}", ["too long"]),
        (b'{"id": "law", "id": "lab"}', ["the key 'id' stands twice"]),
        (b" " * (MAX_FILE_BYTES + 1), ["over 64 KiB"]),
        ([], ["the file is a list", "It takes an object with id, name"]),
        (7, ["the file is 7"]),
        ({"name": "Law"}, ["`id` is missing"]),
        ({"id": "law"}, ["`name` is missing"]),
        (law(type=[]), ["unknown key 'type'", "Did you mean `types`?"]),
        (law(qqq=1), ["unknown key 'qqq'", "There are id, name, extends"]),
        (law(id="Law"), ["`id` is 'Law'", "1 to 40 of a-z"]),
        (law(id="../law"), ["`id` is '../law'"]),
        (law(id="law\n"), ["`id` is 'law\\n'"]),
        (law(id="l" * 41), ["`id` is"]),
        (law(id=None), ["`id` is null"]),
        (law(name=""), ["`name` is empty", "1 to 60"]),
        (law(name=" \n\u200b"), ["`name` is empty"]),
        (law(name="n" * 61), ["`name` has 61 characters", "1 to 60"]),
        (law(name=True), ["`name` is true"]),
        (law(language="english please"), ["`language` is 'english please'", "pt-BR"]),
        (law(extends=["code"]), ["`extends` is a list"]),
        (law(observer="x"), ["`observer` is 'x'", "object with instructions"]),
        (law(observer={"instruction": ""}), ["Did you mean `instructions`?"]),
        (law(observer={"instructions": 1}), ["`observer.instructions` is 1", "8,000"]),
        (law(observer={"instructions": "i" * 8_001}), ["has 8,001 characters", "8,000"]),
        (law(types={}), ["`types` is an object", "a list"]),
        (law(types=[]), ["the mode has no types", "Give `types`"]),
        (law(types=["x"]), ["`types[0]` is 'x'", "id, symbol, label, sentence"]),
        (law(types=[{"id": "a"}]), ["`types[0].symbol` is missing"]),
        (law(types=[type_(sentense="")]), ["Did you mean `sentence`?"]),
        (law(types=[type_(), type_(symbol="◇")]), ["`types[1].id` is 'ruling'", "there already"]),
        (law(types=[type_(), type_("b")]), ["`types[1].symbol` is ¶, which ruling has"]),
        (law(types=[type_(label="l" * 33)]), ["`types[0].label` has 33", "1 to 32"]),
        (law(types=[type_(sentence="s" * 241)]), ["`types[0].sentence` has 241", "1 to 240"]),
        (law(concepts=[concept(symbol="x")]), ["`concepts[0]` has an unknown key 'symbol'"]),
        (law(concepts=[concept(), concept()]), ["`concepts[1].id` is 'precedent'"]),
        (law(drop=["ruling"]), ["extends none"]),
        (law(drop="ruling", extends="code"), ["`drop` is 'ruling'", "a list"]),
        (law(drop=["a", "a"], extends="code"), ["`drop[1]` is 'a'"]),
    ],
)
def test_every_refusal_names_the_file_the_key_and_what_would_be_right(
    value: Any, words: Sequence[str]
) -> None:
    said = refusal(value)
    assert [word for word in words if word not in said] == [], said


@pytest.mark.parametrize(
    ("symbol", "words"),
    [
        ("", "is empty"),
        ("ab", "is 2 characters"),
        ("⚖\ufe0f", "2 characters. It takes one visible character"),
        ("🎯", "(U+1F3AF), outside the Basic Multilingual Plane"),
        ("\u0301", "(U+0301), a combining mark"),
        ("\u00a0", "a blank"),
        ("\u2800", "a blank"),
        ("\u3164", "a blank"),
        ("\x07", "a control or unassigned character"),
        ("\u202e", "a control"),
        ("\ud800", "'\\ud800' (U+D800), a control or unassigned"),
        ("\uffff", "a control or unassigned"),
        ("\ue000", "a control or unassigned"),
        (5, "is 5"),
        *((sign, "which memfold uses for") for sign in OWN_SIGNS),
    ],
)
def test_a_symbol_is_one_visible_character_that_memfold_does_not_use(
    symbol: Any, words: str
) -> None:
    said = refusal(law(types=[type_(symbol=symbol)]))
    assert "`types[0].symbol`" in said
    assert words in said


@given(st.characters())
def test_a_symbol_that_is_accepted_is_seen_and_takes_one_unit(symbol: str) -> None:
    """Source: spec, "all in the Basic Multilingual Plane"."""
    try:
        mode = joined([read(law(types=[type_(symbol=symbol)]))])
    except InvalidInput:
        fine = unicodedata.category(symbol)[0] in "LNPS" and ord(symbol) < 0x10000
        assert not fine or symbol in [*OWN_SIGNS, *"\u2800\u3164\u115f\u1160\uffa0"]
    else:
        assert utf16_units(mode.symbol("ruling")) == 1
        assert symbol.isprintable()
        assert symbol.strip() == symbol


@given(
    types=st.integers(0, MAX_TYPES + 3),
    concepts=st.integers(0, MAX_CONCEPTS + 3),
    name=st.integers(0, MAX_NAME_CHARS + 3),
    label=st.integers(0, MAX_LABEL_CHARS + 3),
    sentence=st.integers(0, MAX_SENTENCE_CHARS + 3),
    instructions=st.integers(MAX_INSTRUCTIONS_CHARS - 3, MAX_INSTRUCTIONS_CHARS + 3),
)
def test_a_mode_is_accepted_within_its_limits_and_only_there(
    *, types: int, concepts: int, name: int, label: int, sentence: int, instructions: int
) -> None:
    kinds = [type_(f"t{n}", SYMBOLS[n], label="l" * label) for n in range(types)]
    ideas = [concept(f"c{n}", sentence="s" * sentence) for n in range(concepts)]
    value = law(types=kinds, concepts=ideas, name="n" * name)
    value["observer"] = {"instructions": "i" * instructions}
    within = (
        1 <= types <= MAX_TYPES
        and concepts <= MAX_CONCEPTS
        and 1 <= name <= MAX_NAME_CHARS
        and 1 <= label <= MAX_LABEL_CHARS
        and (1 <= sentence <= MAX_SENTENCE_CHARS or not concepts)
        and instructions <= MAX_INSTRUCTIONS_CHARS
    )
    try:
        mode = joined([read(value)])
    except InvalidInput:
        assert not within
    else:
        assert within
        assert (len(mode.types), len(mode.concepts)) == (types, concepts)


@given(st.one_of(json_values, st.dictionaries(st.sampled_from(sorted(law())), json_values)))
def test_any_json_is_a_mode_or_one_refusal(value: Any) -> None:
    _mode_or_refusal(json.dumps(value).encode())


@given(st.binary() | st.binary().map(lambda tail: json.dumps(law()).encode()[:-5] + tail))
def test_any_bytes_are_a_mode_or_one_refusal(body: bytes) -> None:
    _mode_or_refusal(body)


@st.composite
def nearly(draw: st.DrawFn) -> Any:
    """A right mode in which one value, at any depth, is another."""
    value = law(extends="code", drop=["refactor"], language="en", observer={"instructions": "x"})
    at: Any = value
    while True:
        keys: list[Any] = sorted(at) if isinstance(at, dict) else list(range(len(at)))
        key = draw(st.sampled_from(keys))
        if not isinstance(at[key], dict | list) or draw(st.booleans()):
            at[key] = draw(json_values)
            return value
        at = at[key]


@given(nearly())
def test_one_value_changed_is_a_mode_or_one_refusal(value: Any) -> None:
    _mode_or_refusal(json.dumps(value).encode())


def _mode_or_refusal(body: bytes) -> None:
    found: Mode | InvalidInput
    try:
        found = joined([parsed(body, "modes/law.json", OWN_SIGNS)])
    except InvalidInput as error:
        found = error
    if isinstance(found, Mode):
        assert found.types
        said = "".join([found.name, *(one.label + one.sentence for one in found.types)])
    else:
        said = str(found)
        assert said.startswith("modes/law.json: ")
        assert found.next_step
    assert re.sub("[\u200c\u200d]", "", said).isprintable(), "joiners are kept for their scripts"


# --- shipped modes -----------------------------------------------------------------------------


def test_code_is_the_default_and_research_is_there() -> None:
    assert shipped_ids() == ("code", "research")


@pytest.mark.parametrize("mode_id", shipped_ids())
def test_a_shipped_mode_keeps_the_rules_for_all(mode_id: str) -> None:
    mode = load_mode(mode_id)
    assert mode.id == mode_id
    assert mode.instructions
    assert mode.language == "en"
    assert len({one.symbol for one in mode.types}) == len(mode.types)
    assert all(utf16_units(one.symbol) == 1 for one in mode.types)
    sentences = [*(one.sentence for one in mode.types), *(one.sentence for one in mode.concepts)]
    assert all(sentence.endswith(".") for sentence in sentences)


def test_the_symbols_of_code_are_those_of_the_spec() -> None:
    symbols = {one.symbol: one.id for one in load_mode("code").types}
    assert symbols == {
        "●": "bugfix",
        "◆": "feature",
        "↻": "refactor",
        "✓": "change",
        "○": "discovery",
        "⚖": "decision",
        "⚠": "security_alert",
        "⚷": "security_note",
        "⊘": "sensitive",
    }


def test_research_says_discovery_anew_and_keeps_what_the_built_in_observer_files_under() -> None:
    research, code = load_mode("research"), load_mode("code")
    assert research.extends == ("code",)
    assert research.types[0].id == "question"
    kept = {one.id for one in code.types} - {"refactor"}
    assert kept < {one.id for one in research.types}
    assert research.symbol("refactor") == NEUTRAL_SYMBOL
    assert next(one for one in research.types if one.id == "discovery").origin == "research"
    assert research.symbol("bugfix") == code.symbol("bugfix")
    assert "pattern" not in {one.id for one in research.concepts}


# --- names in filters --------------------------------------------------------------------------


@given(st.lists(st.text(max_size=12) | st.sampled_from(["security alert", "Bugfix"]), max_size=8))
def test_no_name_is_lost_from_a_filter(names: list[str]) -> None:
    """spec: an observation of another mode is never invisible."""
    for ids in (load_mode("code").type_ids(names), load_mode("code").concept_ids(names)):
        assert set(names) <= set(ids)


def test_a_type_is_meant_by_its_label_too() -> None:
    code = load_mode("code")
    assert code.type_ids(["security alert"]) == ("security alert", "security_alert")
    assert code.type_ids(["BUGFIX", "bugfix"]) == ("BUGFIX", "bugfix")
    assert code.concept_ids(["Trade off"]) == ("Trade off", "trade-off")
    assert code.type_ids(["ruling"]) == ("ruling",)


# --- the index ---------------------------------------------------------------------------------


def _fullest(letter: str) -> Mode:
    kinds = [type_(f"t{n}", SYMBOLS[n], label=letter * MAX_LABEL_CHARS) for n in range(MAX_TYPES)]
    return joined([read(law(types=kinds, name=letter * MAX_NAME_CHARS))])


@given(letter=st.sampled_from("x中🎯"), count=st.integers(1, 60))
def test_the_fullest_mode_leaves_room_for_entries_and_the_footer(letter: str, count: int) -> None:
    """Its legend is the longest there can be: 7,000 units still hold ten entries with titles."""
    rows = [entry(n, "t" * 200, age=n, type_="t0") for n in range(count)]
    view = IndexView(
        project="sample", now_ms=NOW, zone=UTC, mode=_fullest(letter), observations=tuple(rows)
    )
    text = render_index(view, 7_000).text
    assert utf16_units(text) <= 7_000
    assert text.count(f" {SYMBOLS[0]} t") >= min(count, 10)
    assert "mem_search before you investigate" in text.splitlines()[-1]


def test_a_chain_is_as_long_as_a_mode_may_be_deep() -> None:
    files = [read(law(id=f"m{n}", extends=f"m{n + 1}", types=[])) for n in range(MAX_CHAIN - 1)]
    assert joined([*files, read(law())]).types[0].id == "ruling"
