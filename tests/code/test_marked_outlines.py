"""Languages that no program at hand reads, judged by hand: every symbol of a sample is marked at
the end of its line with kind and name, and the outline lists these and no others."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memfold.code.languages import LANGUAGES, language_of
from memfold.code.outline import outline
from memfold.evals.outlines.ctags_kinds import READERS
from memfold.evals.outlines.oracle_marks import MarksOracle, has_marks
from memfold.evals.outlines.outline import rows

MARKED = sorted((Path(__file__).parent / "marked").iterdir())
# Prose and configuration have tests of their own.
DATA = {"html", "markdown", "yaml", "toml", "json"}


@pytest.mark.parametrize("sample", MARKED, ids=lambda path: path.name)
def test_the_outline_lists_what_is_marked_and_nothing_else(sample: Path) -> None:
    text = sample.read_text("utf-8")
    marked = MarksOracle().told(sample, text, "").expected
    seen = outline(text.encode(), language_of(sample.name))
    assert len(marked) >= 40
    assert Counter((one.line, one.kind, one.name) for one in seen.symbols) == Counter(
        (one.line, one.kind, one.name) for one in marked
    )
    assert not seen.broken


def test_every_language_is_judged_by_someone() -> None:
    judged = {language_of(one.name) for one in MARKED} | set(READERS) | {"python"} | DATA
    assert judged == set(LANGUAGES)


def test_the_eval_judges_marked_files_by_their_marks() -> None:
    for row in rows(MARKED[0].parent, {}):
        assert row.oracle == "marks in the file"
        assert (row.share, row.missing, row.false) == (1.0, [], [])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("int a; //= variable a", [("variable", "a", 1)]),
        (".a, .b {} /*= rule .a, .b, field c */", [("rule", ".a, .b", 1), ("field", "c", 1)]),
        ("\n<script> <!--= block script -->", [("block", "script", 2)]),
        ("f :: Int -- = function f", [("function", "f", 1)]),
        ("a == b; x //== y", []),
    ],
)  # fmt: skip
def test_a_mark_names_kind_and_name(line: str, told: list[tuple[str, str, int]]) -> None:
    found = MarksOracle().told(Path("a"), line, "").expected
    assert [(one.kind, one.name, one.line) for one in found] == told
    assert has_marks(line) == bool(told)
