"""The files that are asked about: of the size wanted, with one answer in one function."""

from __future__ import annotations

import ast
import re

import pytest

from memfold.evals.read_gate.sample import sample_of
from memfold.evals.read_gate.study import KB, SIZES


@pytest.mark.parametrize("size", SIZES)
def test_a_file_of_that_size_with_one_answer(size: int) -> None:
    sample = sample_of(size)
    assert abs(sample.size - size) < size * 0.03
    assert sample == sample_of(size), "the same for the same Python"
    ast.parse(sample.text)
    assert len(re.findall(sample.answer, sample.text)) == 1
    lines = sample.text.splitlines()
    assert sample.answer_line in lines[sample.first - 1 : sample.last]
    assert sample.symbol.rpartition(".")[2] in lines[sample.first - 1]


def test_the_place_of_the_answer_is_named_by_lines_that_stand_there_once() -> None:
    sample = sample_of(49 * KB)
    without = sample.text.replace(f"{sample.answer_line}\n", "", 1)
    assert without.count(f"{sample.before}\n") == 1
    assert sample.text.count(f"{sample.before}\n{sample.answer_line}\n") == 1
