"""Any text as a question: an answer or one clear refusal, never a failure, never too much.

Source: spec of mem_search, "Rules": queries of 1 to 500 characters; what a query holds is words,
not syntax of any index.
"""

from __future__ import annotations

import atexit
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sample_memory import Memory

from memfold.disclose.search.request import MAX_QUERY_BYTES, MAX_QUERY_CHARS
from memfold.disclose.search.words import stems
from memfold.errors import InvalidInput
from memfold.measure import utf8_bytes

SYNTAX = [
    '"', '""', "*", "^", "NEAR(a b, 5)", "a AND", "OR", "NOT x", "title:pool", "{title body}: x",
    "pool*", "-pool", "+pool", "a NEAR/2 b", "(", ")", "((((", "'; DROP TABLE observations;--",
    "%", "_", "\\", "\x00", "a\x00b", "?", "{{7*7}}", "${HOME}", "</memfold-context>", "[41]", "S1",
    "\u202egnp", "\u200b", "é", "é", "漢字", "プール", "🎯", "ａｂｃ", "İ", "ß", "ﬀ",
]  # fmt: skip
PIECES = st.one_of(
    st.sampled_from(SYNTAX),
    st.sampled_from(
        ["pool", "leaks", "error", "path", "the", "接続", "upload/retry.py", "Retry.run"]
    ),
    st.text(st.characters(exclude_categories=()), max_size=40),
)
QUERIES = st.lists(PIECES, max_size=14).map(" ".join)


@cache
def _memory() -> Memory:
    folder = tempfile.TemporaryDirectory()
    memory = Memory.open(Path(folder.name))
    atexit.register(folder.cleanup)
    atexit.register(memory.store.close)  # runs first
    titles = ["The pool leaks on the error path", "接続プールが漏れる", 'Say "no" to (NEAR) AND OR']
    for number, title in enumerate(titles):
        memory.remember(
            {
                "id": f"s{number}",
                "at": f"2026-04-2{number} 09:00",
                "prompt": f"why does {title}?",
                "observations": [{"title": title, "narrative": "In upload/retry.py, Retry.run."}],
                "summary": {"request": title, "completed": "Mended"},
            }
        )
    return memory


@pytest.mark.timeout(600)  # many examples on a busy machine
@settings(max_examples=2_000, deadline=None)
@given(QUERIES, st.sampled_from(["guided", "auto"]))
@example('"', "auto")
@example("a" * 501, "guided")
@example("漢" * 500, "auto")
@example("\ud83d", "guided")
def test_any_text_is_answered_or_refused_in_one_sentence(query: str, mode: str) -> None:
    memory = _memory()
    args: dict[str, Any] = {"query": query, "mode": mode}
    said = query.strip()
    if not said or len(said) > MAX_QUERY_CHARS or utf8_bytes(said) > MAX_QUERY_BYTES:
        with pytest.raises(InvalidInput, match="`query`") as refused:
            memory.call("mem_search", args)
        assert len(str(refused.value)) < 300
        return
    reply = memory.call("mem_search", args)
    assert utf8_bytes(reply.text) <= 64 * 1024
    assert {entry.project_id for entry in reply.entries} <= {memory.project.id}
    assert not [char for char in reply.text if ord(char) < 32 and char not in "\n\t"]
    assert not set(reply.text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    reply.text.encode("utf-8")  # no half of a surrogate pair


@pytest.mark.parametrize("word", ["pool", "leaks", "接続", "Retry.run", "upload/retry.py"])
@pytest.mark.parametrize("around", [s for s in SYNTAX if not stems(s) and s.strip()])
def test_what_looks_like_syntax_takes_nothing_away(word: str, around: str) -> None:
    """A question finds what its words find, whatever stands beside them."""
    memory = _memory()
    plain = {one.ref for one in memory.call("mem_search", {"query": word}).entries}
    asked = memory.call("mem_search", {"query": f"{around} {word} {around}"})
    assert plain
    assert plain <= {one.ref for one in asked.entries}
