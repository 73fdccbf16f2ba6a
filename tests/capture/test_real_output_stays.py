"""What real tools print stays readable: few redactions in megabytes, each of them judged.

The sessions lie beside a checkout (../shared/data/transcripts) and are never copied here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memfold.capture.redact import redact

TRANSCRIPTS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "transcripts"
LEAST_CHARS = 2_000_000
MOST_FALSE = 5
# Redactions that were looked at and that take out a secret or its likeness: "kind: text before".
JUDGED_TRUE: set[str] = set()

pytestmark = [
    pytest.mark.shared_data,
    pytest.mark.skipif(
        not TRANSCRIPTS.is_dir(), reason="../shared/data/transcripts is not beside this checkout"
    ),
]


def texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def line_texts(line: str) -> Iterator[str]:
    """Those of one line of a session file; the line itself where whoever cleaned it broke it."""
    try:
        yield from texts(json.loads(line))
    except ValueError:
        yield line


def corpus() -> Iterator[tuple[str, str]]:
    """(file, text): every text of every session file, and whole pages in Markdown."""
    for path in sorted(TRANSCRIPTS.rglob("*")):
        if path.suffix == ".jsonl":
            for line in path.read_text("utf-8", "replace").splitlines():
                yield from ((path.name, text) for text in line_texts(line))
        elif path.suffix in {".json", ".md", ".txt"}:
            yield path.name, path.read_text("utf-8", "replace")


@pytest.mark.timeout(120)
def test_at_most_five_redactions_are_false() -> None:
    size, seen = 0, []
    for name, text in corpus():
        size += len(text)
        clean, found = redact(text)
        at = -1
        for _ in range(sum(found.values())):
            at = clean.index("[redacted:", at + 1)
            kind = clean[at:].partition("]")[0].removeprefix("[redacted:")
            seen.append((f"{kind}: {clean[max(at - 40, 0) : at]!r}", name))
    for where in seen:
        print(*where)
    assert size >= LEAST_CHARS
    assert len([what for what, _ in seen if what not in JUDGED_TRUE]) <= MOST_FALSE


def test_a_key_in_such_text_would_be_seen() -> None:
    """The test above does not pass for want of looking."""
    key = "gh" + "p_" + "a1B2" * 9
    longest = max((text for _, text in corpus()), key=len)
    middle = len(longest) // 2
    clean, found = redact(f"{longest[:middle]} {key} {longest[middle:]}")
    assert key not in clean
    assert found["github-token"] == 1
