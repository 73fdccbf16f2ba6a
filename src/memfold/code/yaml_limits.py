"""What the YAML grammar's package does not survive, known from the text before it is parsed.

Its scanner (tree-sitter-yaml 0.7.2) keeps a stack of columns and writes it into 1,024 bytes without
looking at their end: 254 levels end the process. A query over very many documents takes seconds.
"""

from __future__ import annotations

import re

from memfold.code.limits import TooDeep, TooSlow

MOST_COLUMNS = 100  # within each other; a list may share its column with the key it belongs to
MOST_DOCUMENTS = 5_000
_BEGINS = re.compile(rb"[ ]*(?:[-?:][ \t]+)*")
_MARK = re.compile(rb"[-?:][ \t]+")
_DOCUMENT = re.compile(rb"^(?:---|\.\.\.)", re.MULTILINE)


def check(source: bytes) -> None:
    """Raises TooDeep, TooSlow. A text inside a scalar counts as if it were YAML."""
    if sum(1 for _ in _DOCUMENT.finditer(source)) > MOST_DOCUMENTS:
        raise TooSlow
    open_: list[int] = []
    for line in source.split(b"\n"):
        begins = _BEGINS.match(line)
        assert begins is not None  # noqa: S101  # it matches nothing too
        if not line.strip():
            continue
        column = len(line) - len(line.lstrip(b" "))
        while open_ and open_[-1] >= column:
            open_.pop()
        open_.append(column)
        open_ += [mark.end() for mark in _MARK.finditer(begins.group())]
        if len(open_) > MOST_COLUMNS:
            raise TooDeep(MOST_COLUMNS)
