"""An outline as an agent reads it: within its limit, the deepest levels folded first."""

from __future__ import annotations

import re

import pytest

from memfold.code.outline import outline
from memfold.code.render import OUTLINE_BYTES, render

SOURCE = '''\
import os
from typing import Any


class Basket:
    """What is bought."""

    def add(self, item: Any) -> None:
        """Puts one in."""

    def _sum(self) -> int:
        return 1
'''


def test_outline_reads_as_written() -> None:
    assert render(outline(SOURCE.encode(), "python"), "src/a.py") == (
        "src/a.py — python, 12 lines; + marks what is exported\n"
        "Imports: import os; from typing import Any\n"
        "5-12 + class Basket — What is bought.\n"
        "  8-9 + def add(self, item: Any) -> None — Puts one in.\n"
        "  11-12 def _sum(self) -> int"
    )


def test_file_without_symbols_says_so() -> None:
    assert render(outline(b"", "python"), "a.py") == "a.py — python, 0 lines\nNo symbols."


def test_broken_file_says_so() -> None:
    text = render(outline(b"def f(:\n    pass\n\ndef g():\n    pass\n", "python"), "a.py")
    assert "The grammar met errors in it" in text


def _many(classes: int, methods: int, inner: int) -> bytes:
    return "".join(
        f"class Class_{c}:\n"
        + "".join(
            f"    def method_{m}(self):\n"
            + "".join(f"        def inner_{i}(): ...\n" for i in range(inner))
            for m in range(methods)
        )
        for c in range(classes)
    ).encode()


def test_deepest_level_is_folded_first_with_a_count() -> None:
    text = render(outline(_many(5, 20, 10), "python"), "a.py")
    assert len(text.encode()) <= OUTLINE_BYTES
    assert "inner_" not in text
    assert text.count("method_19(self) (+10 inside)") == 5


def test_next_level_follows() -> None:
    text = render(outline(_many(60, 40, 1), "python"), "a.py")
    assert len(text.encode()) <= OUTLINE_BYTES
    assert "method_" not in text
    assert text.count("(+80 inside)") == 60


def test_long_list_is_cut_with_a_count() -> None:
    text = render(outline(_many(3_000, 0, 0) + b"x = 1\n", "python"), "a.py")
    assert len(text.encode()) <= OUTLINE_BYTES
    shown = len(re.findall(r"class Class_\d+", text))
    left = re.search(r"([\d,]+) more lines of this outline are left out", text)
    assert left is not None
    assert 0 < shown < 3_001
    assert shown + int(left[1].replace(",", "")) in {3_000, 3_001}


@pytest.mark.parametrize("limit", [200, 1_000, 5_000])
def test_limit_is_kept_whatever_it_is(limit: int) -> None:
    found = outline(_many(30, 5, 2), "python")
    assert len(render(found, "ä/" * 300 + "a.py", limit).encode()) <= max(limit, 200)
