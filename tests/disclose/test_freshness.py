"""Whether an entry's files have changed. Source: spec of layer 1 and mem_search, "Freshness"."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from memfold.disclose.freshness import MAX_FILE_BYTES, MAX_FILES, MAX_READ_BYTES, Freshness, marks
from memfold.records import FileMark


def _mark(path: str, data: bytes = b"as it was") -> FileMark:
    return FileMark(path, hashlib.sha256(data).hexdigest())


def test_a_file_as_it_was_has_no_mark(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"as it was")
    assert marks([_mark("a")], str(tmp_path)) == ""
    assert marks([_mark(str(tmp_path / "a"))], "") == ""


def test_only_when_all_files_changed_or_went_is_there_a_mark(tmp_path: Path) -> None:
    """spec: an entry whose files have all changed or gone since."""
    (tmp_path / "a").write_bytes(b"as it was")
    (tmp_path / "b").write_bytes(b"new")
    assert marks([_mark("a"), _mark("b")], str(tmp_path)) == ""
    (tmp_path / "a").write_bytes(b"new too")
    assert marks([_mark("a"), _mark("b")], str(tmp_path)) == "changed"
    (tmp_path / "a").unlink()
    assert marks([_mark("a"), _mark("b")], str(tmp_path)) == "changed"
    (tmp_path / "b").unlink()
    assert marks([_mark("a"), _mark("b")], str(tmp_path)) == "gone"
    assert marks([_mark("deep/er/a")], str(tmp_path)) == "gone"


@pytest.mark.parametrize(
    ("path", "cwd"),
    [
        ("a", "/no/such/checkout"),
        ("/no/such/place/a", ""),
        ("a", ""),
        ("a\0b", "/"),
        ("x" * 9_999, "/"),
    ],
)
def test_where_nothing_can_be_known_there_is_no_mark(path: str, cwd: str) -> None:
    """An imported transcript of another machine says nothing about files here."""
    assert marks([_mark(path)], cwd) == ""


def test_no_sum_no_files_or_too_many_give_no_mark(tmp_path: Path) -> None:
    assert marks([], str(tmp_path)) == ""
    assert marks([FileMark("a")], str(tmp_path)) == ""
    assert marks([_mark("a")] * (MAX_FILES + 1), str(tmp_path)) == ""


def test_reading_is_bounded_and_never_blocks(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    os.mkfifo(tmp_path / "pipe")
    assert marks([_mark("large")], str(tmp_path)) == ""
    assert marks([_mark("pipe")], str(tmp_path)) == ""
    assert marks([_mark(".")], str(tmp_path)) == ""
    freshness = Freshness()
    count = MAX_READ_BYTES // MAX_FILE_BYTES
    for number in range(count + 1):
        (tmp_path / f"f{number}").write_bytes(b"y" * MAX_FILE_BYTES)
    found = [freshness.marks([_mark(f"f{n}")], str(tmp_path)) for n in range(count + 1)]
    assert found == ["changed"] * count + [""]


def test_an_unreadable_file_gives_no_mark(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "link")
    assert marks([_mark("link")], str(tmp_path)) in ("", "gone")
