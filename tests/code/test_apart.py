"""Outlines in a process of their own: the same as here, and whatever ends it costs one answer."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memfold.code.apart import Apart
from memfold.code.languages import language_of
from memfold.code.outline import outline
from memfold.errors import InvalidInput

SAMPLES = sorted((Path(__file__).parent / "samples").iterdir())
PLAIN = b"def a(): ...\n"
REAL = (sys.executable, "-I", "-m", "memfold.code.apart_child")


@pytest.fixture
def apart() -> Iterator[Apart]:
    made = Apart(wait_s=60)  # a busy machine is no reason here
    yield made
    made.close()


def scripted(code: str, wait_s: float = 60) -> Apart:
    return Apart((sys.executable, "-c", code), wait_s)


def test_every_sample_is_the_same_as_in_this_process(apart: Apart) -> None:
    for path in SAMPLES:
        data, language = path.read_bytes(), language_of(path.name)
        assert apart.outline(data, language) == outline(data, language), path.name


def test_a_refusal_is_the_same(apart: Apart) -> None:
    with pytest.raises(InvalidInput, match="This is a binary file") as refused:
        apart.outline(b"\0" * 5_000, "python")
    assert refused.value.next_step
    assert apart.outline(PLAIN, "python").symbols


def test_threads_get_each_their_own(apart: Apart) -> None:
    def one(number: int) -> list[str]:
        found = apart.outline(f"def f{number}(): ...\n".encode(), "python")
        return [symbol.name for symbol in found.symbols]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(100))) == [[f"f{number}"] for number in range(100)]


def test_a_killed_process_costs_nothing(apart: Apart) -> None:
    for _ in range(3):
        assert apart.outline(PLAIN, "python").symbols
        assert apart._process is not None
        os.kill(apart._process.pid, signal.SIGKILL)


def test_one_that_dies_of_a_file_says_so_and_the_next_is_answered(tmp_path: Path) -> None:
    """Every file kills it here; it is started again for each."""
    log = tmp_path / "starts"
    apart = scripted(f"open({str(log)!r}, 'a').write('x'); import os; os.read(0, 1); os._exit(139)")
    for times in (1, 2):
        found = apart.outline(PLAIN, "python")
        assert (found.symbols, found.cut_short) == ((), "Its grammar failed on it.")
        assert len(log.read_text()) == 2 * times, "a second try, and no more"
    apart.close()


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(600)",  # reads nothing
        "import os, time; os.read(0, 9); time.sleep(600)",
        "import os, time; os.write(1, b'\\0\\0\\1'); time.sleep(600)",  # a half answer
    ],
)
def test_one_that_hangs_is_ended(code: str) -> None:
    apart = scripted(code, wait_s=0.3)
    found = apart.outline(b"x" * 1_000_000, "python")
    assert found.cut_short == "It took too long to parse whole."
    assert apart._process is None


def test_an_answer_that_makes_no_sense_is_a_failure() -> None:
    apart = scripted("import os; os.read(0, 9); os.write(1, b'\\0\\0\\0\\3abc')")
    assert apart.outline(PLAIN, "python").cut_short == "Its grammar failed on it."
    apart.close()


def test_a_program_that_is_not_there_is_a_failure() -> None:
    assert Apart(("/nowhere/python",)).outline(PLAIN, "python").cut_short


def test_it_ends_with_who_started_it() -> None:
    apart = Apart(REAL, 60)
    apart.outline(PLAIN, "python")
    process = apart._process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(60) == 0
    process.stdin = None
    apart.close()
