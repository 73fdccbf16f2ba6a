"""Pages of ``get_tool_uses``: bounded, whole characters, and together the whole, byte for byte."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sample_memory import Memory

from memfold.disclose.evidence import MAX_BYTES, MIN_BYTES, render_tool_use
from memfold.errors import InvalidInput, NotFound

MORE = re.compile(r"\n\[[\d,]+ bytes left; next page: the same ids, offset=(\d+)\]$")
MARK = "  …"
# Lines of every length, characters of one to four bytes, what separates lines and what imitates us.
PIECES = st.sampled_from(
    ["\n", "\n\n", " ", "a", "é", "漢", "😀", "\u2028", "\r\n", "\t", "x" * 300, "漢" * 100,
     "[12 bytes left; next page: the same ids, offset=3]", "## 9 Bash", "  …", "y\n" * 40]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=2_000)
VALUES = st.recursive(
    TEXTS | st.none() | st.integers() | st.booleans(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)


def pages(memory: Memory, args: dict[str, Any], most: int) -> list[tuple[int, str]]:
    """(offset, text) of each page, as an agent walks through them."""
    found, offset = [], 0
    while True:
        text = memory.call("get_tool_uses", {**args, "max_bytes": most, "offset": offset}).text
        found.append((offset, text))
        more = MORE.search(text)
        if more is None:
            return found
        assert int(more[1]) > offset, "a page that shows nothing"
        offset = int(more[1])


def joined(found: list[tuple[int, str]]) -> bytes:
    """The stored text as the pages give it: between their first line and the next offset."""
    whole = b""
    for at, (offset, text) in enumerate(found):
        body = text.split("\n", 1)[1]
        if offset and whole[-1:] != b"\n":
            assert body.startswith(MARK), "a page within a line is set in"
            body = body.removeprefix(MARK)
        raw = body.encode()
        whole += raw if at + 1 == len(found) else raw[: found[at + 1][0] - offset]
    return whole


@settings(max_examples=80, deadline=None)
@given(VALUES, VALUES, st.integers(MIN_BYTES, 3_000))
@example("x" * 5_000, {"漢": ["😀" * 900]}, MIN_BYTES)
@example("x" * 200_000, "😀x" * 9_000, 3_000)
@example("a\n\n\n", "\n\n\n", MIN_BYTES)
def test_pages_give_back_the_whole_byte_for_byte(input_: Any, response: Any, most: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory.open(Path(folder))
        uses = [["Bash", input_, response], ["Read", {"file_path": "y"}, "short"]]
        note = {"title": "T", "tool_uses": uses}
        memory.remember({"id": "s", "at": "2026-04-20 09:00", "observations": [note]})
        stored = memory.store.tool_uses([1, 2], None)
        whole = "\n\n".join(render_tool_use(use, (1,)) for use in stored).encode()
        for size in (most, 16_384, MAX_BYTES):
            found = pages(memory, {"observation_ids": [1]}, size)
            assert all(len(text.encode()) <= size for _, text in found)
            assert joined(found) == whole
        memory.store.close()


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.integers(0, 3_000), st.integers(MIN_BYTES, 600))
def test_any_offset_gives_whole_characters(text: str, offset: int, most: int) -> None:
    """One of the caller's own may lie within a character: that one is left out."""
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory.open(Path(folder))
        note = {"title": "T", "tool_uses": [["Bash", {"command": "x"}, text]]}
        memory.remember({"id": "s", "at": "2026-04-20 09:00", "observations": [note]})
        whole = render_tool_use(memory.store.tool_uses([1], None)[0], (1,)).encode()
        args = {"ids": [1], "offset": offset, "max_bytes": most}
        if offset >= len(whole):
            with pytest.raises(InvalidInput, match="past the end"):
                memory.call("get_tool_uses", args)
        else:
            page = memory.call("get_tool_uses", args).text
            assert len(page.encode()) <= most
            assert "\ufffd" not in page or "\ufffd" in whole.decode()
            body = MORE.sub("", page.split("\n", 1)[1]).removeprefix(MARK)
            assert body.encode() in whole
        memory.store.close()


@pytest.mark.parametrize("most", [MIN_BYTES, 300, 1_000])
def test_what_is_missing_is_said_within_the_page_and_once(tmp_path: Path, most: int) -> None:
    memory = Memory.open(tmp_path)
    note = {"title": "T", "tool_uses": [["Bash", {"command": "x"}, "line\n" * 200]]}
    memory.remember({"id": "s", "at": "2026-04-20 09:00", "observations": [note]})
    ids = [1, *range(10**17, 10**17 + 49)]
    found = pages(memory, {"ids": ids, "observation_ids": ids}, most)
    assert all(len(text.encode()) <= most for _, text in found)
    assert "Not there" in found[0][1] or "No such observation" in found[0][1]
    assert not any("No such" in text or "Not there" in text for _, text in found[1:])
    memory.store.close()


def test_a_tool_use_names_what_was_learned_from_it(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path)
    note = {"title": "T", "tool_uses": [["Bash", {"command": "x"}, "out"]]}
    memory.remember({"id": "s", "at": "2026-04-20 09:00", "observations": [note]})
    memory.remember({"id": "t", "at": "2026-04-21 09:00", "observations": []})
    lines = memory.call("get_tool_uses", {"ids": [1, 2]}).text.split("\n")
    heads = [line for line in lines if line.startswith("## ")]
    assert heads == [
        "## 1 Bash · 2026-04-20 09:00 UTC · observation 1",
        "## 2 Read · 2026-04-21 09:00 UTC",
    ]
    (use,) = memory.store.tool_uses([1], None)
    assert render_tool_use(use, range(1, 3)).split("\n")[0].endswith(" · observations 1, 2")
    many = render_tool_use(use, range(1, 31)).split("\n")[0]
    assert many.endswith(", 20 and 10 more")
    memory.store.close()


def test_an_observation_says_that_its_evidence_was_retired(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path)
    uses = [["Bash", {"command": str(n)}, "out"] for n in range(2)]
    note = {"title": "The leak is found", "tool_uses": uses}
    memory.remember({"id": "s", "at": "2026-04-20 09:00", "observations": [note]})
    memory.remember({"id": "t", "at": "2026-05-20 09:00", "observations": []})
    assert memory.store.retire(memory.clock(), 99).tool_uses == 2
    shown = memory.call("get_observations", {"ids": [1]}).text
    assert "Evidence: 2 retired by age" in shown
    with pytest.raises(NotFound, match="2 tool uses were retired by age") as told:
        memory.call("get_tool_uses", {"observation_ids": [1]})
    assert "observations are kept" in told.value.next_step
    with pytest.raises(NotFound, match="Not there or not yours to see: 1"):
        memory.call("get_tool_uses", {"ids": [1]})
    some = memory.call("get_tool_uses", {"ids": [3], "observation_ids": [1]}).text
    assert "2 tool uses were retired by age." in some.split("\n")[0]
    memory.store.close()
