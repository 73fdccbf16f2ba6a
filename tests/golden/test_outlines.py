"""The outline of a sample in every language, word for word; `make golden` rewrites them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfold.code.languages import LANGUAGES, language_of
from memfold.code.outline import outline
from memfold.code.render import render

HERE = Path(__file__).parent
SAMPLES = sorted((HERE.parent / "code" / "samples").iterdir())


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_an_outline_reads_as_written(sample: Path, request: pytest.FixtureRequest) -> None:
    found = outline(sample.read_bytes(), language_of(sample.name))
    text = render(found, sample.name) + "\n"
    case = HERE / "outlines" / f"{sample.name}.txt"
    if request.config.getoption("--golden", default=False):
        case.write_text(text, encoding="utf-8")
        return
    assert text == case.read_text("utf-8")


def test_every_language_has_a_sample() -> None:
    assert {language_of(sample.name) for sample in SAMPLES} == set(LANGUAGES)
