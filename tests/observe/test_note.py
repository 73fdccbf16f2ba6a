"""Notes: every limit is refused by name, whatever is given gives a Draft or one clear refusal."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.errors import InvalidInput
from memfold.observe.note import MAX_TITLE_CHARS, note_of

TYPES = ("bugfix", "discovery", "decision")
CONCEPTS = ("gotcha", "pattern", "trade-off", "what-changed")


def note(**args: Any) -> Any:
    return note_of({"title": "A fact", **args}, TYPES, CONCEPTS, 5)


def test_a_note_is_an_observation_of_its_own() -> None:
    draft = note(title="  Two\nlines  become one ", text=" why \n", concepts=["gotcha", "gotcha"],
                 files=["src/a.py"])  # fmt: skip
    assert draft.title == "Two lines become one"
    assert (draft.type, draft.narrative, draft.concepts) == ("discovery", "why", ("gotcha",))
    assert (draft.files_read, draft.at_ms, draft.observer) == (("src/a.py",), 5, "note/1")


def test_without_discoveries_the_first_type_is_meant() -> None:
    assert note_of({"title": "x"}, ("finding", "source"), (), 0).type == "finding"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"title": " \u202e "}, "`title` is 0 characters"),
        ({"title": "x" * 10_000}, "`title` is 10,000 characters"),
        ({"text": "x" * 4_001}, "`text` is 4,001 characters"),
        ({"type": "idea"}, "`type` is 'idea'. This mode has bugfix"),
        ({"concepts": ["idea"]}, "`concepts` is 'idea'"),
        ({"concepts": list(CONCEPTS)}, "`concepts` holds 4"),
        ({"files": [""]}, "`files` holds a text of 0"),
        ({"files": ["x"] * 21}, "`files` holds 21"),
    ],
)
def test_a_refusal_names_the_field_and_the_limit(args: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        note(**args)
    assert said in str(refused.value)


@settings(max_examples=300, deadline=None)
@given(
    st.text(alphabet=st.characters(exclude_categories=()), max_size=200),
    st.text(max_size=100),
    st.lists(st.text(max_size=30), max_size=4),
)
def test_any_text_is_a_note_or_refused(title: str, text: str, files: list[str]) -> None:
    try:
        draft = note(title=title, text=text, files=files)
    except InvalidInput:
        return
    assert 1 <= len(draft.title) <= MAX_TITLE_CHARS
    assert len(draft.title.splitlines()) == 1
