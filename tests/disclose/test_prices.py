"""One estimate of tokens for every price, near what tokenizers say, in sums that add up.

Source: spec of layer 1, "Prices"; ADR-0006 with the figures of two tokenizers.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_memory import Memory

import memfold
from memfold.measure import tokens

SOURCE = Path(memfold.__file__).parent

# A text of ours, and how many tokens a character published figures give for its kind of script:
# ADR-0006 has where they come from.
PUBLISHED = {
    "English": ("The pool was not released on the error path, so connections leaked.", 0.20, 0.30),
    "code": (
        "def release(pool: Pool) -> None:\n    for one in pool:\n        one.close()\n",
        0.2,
        0.32,
    ),
    "Chinese": (
        "错误路径上没有释放连接池，所以连接泄漏了；现在每次重试都会打开新的连接。",
        0.6,
        1.1,
    ),
    "Japanese": ("エラー経路で接続プールが解放されず、接続が漏れていました。", 0.7, 1.0),
    "Korean": ("오류 경로에서 연결 풀이 해제되지 않아 연결이 누수되었습니다.", 0.5, 1.0),
    "Russian": ("Пул соединений не освобождался, поэтому соединения утекали.", 0.24, 0.6),
    "Arabic": ("لم يتم تحرير مجمع الاتصالات لذلك تسربت الاتصالات", 0.3, 0.9),
    "emoji": ("😀🎯🚀✅❌🔥🐛📦🔒🧪", 1.0, 3.0),
}


@pytest.mark.parametrize("script", PUBLISHED)
def test_the_estimate_is_within_the_published_ratios(script: str) -> None:
    text, least, most = PUBLISHED[script]
    assert least <= tokens(text) / len(text) <= most


def test_every_price_comes_from_the_one_estimate() -> None:
    """No file but measure.py divides a length of text to get tokens, or counts its own way."""
    own = []
    for file in SOURCE.rglob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name in {"tokens", "count_tokens"}:
                own.append(file.relative_to(SOURCE).as_posix())
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.FloorDiv):
                length = isinstance(node.left, ast.Call) and ast.unparse(node.left.func) == "len"
                if length and ast.unparse(node.right) in {"3", "4", "3.5", "4.0"}:
                    own.append(f"{file.relative_to(SOURCE).as_posix()}:{node.lineno}")
    assert [where for where in own if not where.startswith("measure.py")] == []


@settings(max_examples=60, deadline=None)
@given(
    sessions=st.lists(
        st.lists(
            st.tuples(st.text(st.characters(codec="utf-8"), max_size=200), st.integers(0, 9_999)),
            min_size=1,
            max_size=4,
        ),
        min_size=1,
        max_size=3,
    )
)
def test_what_the_whole_project_costs_is_the_sum_of_its_lines(
    tmp_path_factory: pytest.TempPathFactory, sessions: list[list[tuple[str, int]]]
) -> None:
    """Read and work tokens of the totals are those of the observations, each counted once."""
    memory = Memory.open(tmp_path_factory.mktemp("prices"))
    try:
        for number, notes in enumerate(sessions):
            memory.remember(
                {
                    "id": f"s{number}",
                    "at": f"2026-04-2{number} 09:00",
                    "prompt": "go",
                    "observations": [
                        {
                            "title": f"{number} {at} was found",
                            "narrative": text,
                            "work_tokens": work,
                        }
                        for at, (text, work) in enumerate(notes)
                    ],
                }
            )
        ids = (memory.project.id,)
        count, read, work = memory.store.totals(ids)
        entries = memory.store.recent(ids, "observation", 999)
        assert count == len(entries) == sum(map(len, sessions))
        assert read == sum(entry.read_tokens for entry in entries)
        assert work == sum(entry.work_tokens for entry in entries)
        assert work == sum(cost for notes in sessions for _, cost in notes)
    finally:
        memory.store.close()
