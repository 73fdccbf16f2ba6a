"""A block in somebody else's file. The promise: what is outside the markers stays byte for byte."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from memfold.errors import HostFileProblem
from memfold.hosts.marked import BEGIN, END, has_marker, is_blank, with_block, without_block

BEGINS, ENDS = BEGIN.encode(), END.encode()
# Pieces that files are made of, so that line ends, marks and near-markers meet in all orders.
PIECES = st.sampled_from(
    [
        b"\n", b"\r\n", b"\r", b" ", b"\t", b"# Title", b"text", "é語😀".encode(), b"| a |",
        b"<!-- memfold:begin", b"memfold:end -->", b"`<!-- memfold:begin -->`", b"<!--",
        b"\x0b", b"\x0c",
    ]
)  # fmt: skip
BODIES = st.builds(
    lambda mark, parts: mark + b"".join(parts),
    st.sampled_from([b"", codecs.BOM_UTF8]),
    st.lists(PIECES, max_size=12),
).filter(lambda body: not has_marker(body))
TEXTS = st.lists(
    st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"))), min_size=1
).map("\n".join)


@given(BODIES, TEXTS)
@example(b"", "x")
@example(b"a\r", "x")
@example(b"a\nb\r", "x")
@example(b"a\r\n", "x")
@example(codecs.BOM_UTF8, "x")
def test_put_in_at_the_end_and_taken_out_again_is_the_file(body: bytes, text: str) -> None:
    assume(not has_marker(text.encode()))
    once = with_block(body, text)
    assert once.startswith(body)
    assert without_block(once) == body


@given(BODIES, TEXTS, TEXTS)
def test_twice_is_once_and_the_last_text_stays(body: bytes, text: str, later: str) -> None:
    assume(not has_marker(text.encode()) and not has_marker(later.encode()))
    once = with_block(body, text)
    assert with_block(once, text) == once
    assert with_block(with_block(once, later), text) == once


@given(BODIES, BODIES, st.sampled_from([b"\n", b"\r\n"]), TEXTS)
def test_outside_the_markers_every_byte_stays(
    before: bytes, after: bytes, newline: bytes, text: str
) -> None:
    """Wherever the person put the block."""
    assume(not has_marker(text.encode()))
    before, after = before + newline, newline + after
    body = before + BEGINS + newline + b"old" + newline + ENDS + after
    assume(body.count(BEGINS + newline) == 1)
    written = with_block(body, text)
    assert written.startswith(before + BEGINS + newline)
    assert written.endswith(newline + ENDS + after)
    inner = written[len(before) : len(written) - len(after)]
    assert inner.decode() == f"{BEGIN}\n{text}\n{END}".replace("\n", newline.decode())
    if not is_blank(after):
        assert without_block(body) == before + after.removeprefix(newline)


@given(BODIES, st.lists(st.sampled_from([BEGINS, ENDS]), min_size=1, max_size=4))
def test_markers_that_are_no_pair_are_refused(body: bytes, markers: list[bytes]) -> None:
    assume(markers != [BEGINS, ENDS])
    broken = body + b"\n" + b"\ntext\n".join(markers)
    assert has_marker(broken)
    said = r"F has .*memfold:.*Nothing was changed"
    with pytest.raises(HostFileProblem, match=said):
        with_block(broken, "x", "F")
    with pytest.raises(HostFileProblem, match=said):
        without_block(broken, "F")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (f"a\n{BEGIN}\nb\n", "1 lines .* 0 lines"),
        (f"{END}\n", "0 lines .* 1 lines"),
        (f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n", "2 lines .* 2 lines"),
        (f"{END}\nx\n{BEGIN}\n", "above"),
    ],
)
def test_the_refusal_says_what_is_wrong(body: str, says: str) -> None:
    with pytest.raises(HostFileProblem, match=says):
        with_block(body.encode(), "x")


def test_a_marker_in_a_sentence_is_none() -> None:
    body = f"Keep `{BEGIN}` as it is, and {END} too.\n".encode()
    assert not has_marker(body)
    assert without_block(body) == body


def test_the_block_takes_the_line_ends_of_the_file() -> None:
    assert with_block(b"a\r\n", "b\nc") == b"a\r\n\r\n%b\r\nb\r\nc\r\n%b\r\n" % (BEGINS, ENDS)
    assert with_block(b"a", "b") == b"a\n\n%b\nb\n%b" % (BEGINS, ENDS)


def test_mixed_line_ends_are_never_torn_apart() -> None:
    """The CR of a line that a person wrote is not the end of a line of ours."""
    placed = b"a\r\n%b\nx\n%b\n" % (BEGINS, ENDS)
    assert without_block(placed) == b"a\r\n"
    assert with_block(b"a\r\nb\n", "x").endswith(b"b\n\r\n%b\r\nx\r\n%b\r\n" % (BEGINS, ENDS))


def test_indented_markers_are_markers_and_keep_their_blanks() -> None:
    body = f"- a\n  {BEGIN}\nold\n {END} \nrest".encode()
    assert with_block(body, "new") == f"- a\n  {BEGIN}\nnew\n{END} \nrest".encode()


def test_what_was_written_behind_the_block_stays_apart_from_what_was_before() -> None:
    once = with_block(b"before\n", "x") + b"behind\n"
    assert without_block(once) == b"before\n\nbehind\n"


@pytest.mark.parametrize("body", [b"", b" \r\n\t", codecs.BOM_UTF8 + b"\n"])
def test_a_file_of_blanks_holds_nothing(body: bytes) -> None:
    assert is_blank(body)
    assert not is_blank(body + b"x")
