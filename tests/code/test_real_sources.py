"""Real files of many languages, and ugly ones: an outline that is true, or a clear sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfold.code.languages import language_of
from memfold.code.outline import outline
from memfold.code.render import OUTLINE_BYTES, render
from memfold.code.tools import outline_of_file
from memfold.code.unfold import unfold
from memfold.errors import InvalidInput, MemfoldError

SOURCES = Path(os.environ.get("REAL_SOURCES", "~/.cache/real-sources")).expanduser()
FILES = sorted(
    path for path in SOURCES.rglob("*") if path.is_file() and language_of(path.name)
) if SOURCES.is_dir() else []  # fmt: skip


@pytest.mark.skipif(not FILES, reason="../shared/data/get_sources.sh has not fetched real sources")
def test_each_has_a_true_outline_or_a_sentence_that_says_why_not() -> None:
    told: dict[str, str] = {}
    for path in FILES:
        try:
            found = outline_of_file(str(path), None)
        except MemfoldError as error:
            told[path.name] = error.message
            continue
        assert len(render(found, str(path)).encode()) <= OUTLINE_BYTES
        assert found.symbols or found.cut_short or path.parent.name == "ugly", path
        for one in found.symbols:
            assert 1 <= one.first_line <= one.line <= one.end_line <= max(found.lines, 1)
    assert all(len(one) < 400 for one in told.values())


def test_a_hundred_thousand_symbols_are_bounded_and_said() -> None:
    data = "".join(f"def f{number}(): pass\n" for number in range(100_000)).encode()
    found = outline(data, "python")
    text = render(found, "many.py")
    assert len(text.encode()) <= OUTLINE_BYTES
    assert found.cut_short or found.left_out, "what is not whole says so"


def test_names_in_any_script() -> None:
    data = "class Größe:\n    def 長さ(self): ...\n\ndef naïve(): ...\n".encode()
    found = outline(data, "python")
    assert [(one.name, one.line) for one in found.symbols] == [
        ("Größe", 1), ("長さ", 2), ("naïve", 4),
    ]  # fmt: skip
    assert "2\t    def 長さ(self): ..." in unfold(data, "python", "a.py", "Größe.長さ")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc here")
@pytest.mark.parametrize("path", ["/proc/self/environ", "/proc/kcore", "/proc/self/fd/0"])
def test_what_the_kernel_makes_up_has_no_outline(path: str, tmp_path: Path) -> None:
    link = tmp_path / "made_up.py"
    link.symlink_to(path)
    with pytest.raises(InvalidInput):
        outline_of_file(str(link), [str(tmp_path)])
