"""How many of a file's symbols its outline lists, judged by other readers of source.

A symbol counts as found when the outline has its name on its line. A symbol of ours is false when
its name does not stand on the line it is said to be on.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memfold.code.index.tree import look
from memfold.code.languages import language_of
from memfold.code.outline import outline
from memfold.code.symbols import Outline, Symbol
from memfold.code.text import text_of
from memfold.code.workspace import is_secret
from memfold.errors import InvalidInput
from memfold.evals.outlines.oracle_marks import MarksOracle, has_marks
from memfold.evals.outlines.oracles import Expected, Oracle

_TIMES = 3
_PACE_BYTES = 32 * 1024
_STYLES = frozenset({"css", "scss"})


@dataclass(frozen=True, slots=True)
class Place:
    """A symbol in a file."""

    file: str
    name: str
    line: int


@dataclass(slots=True)
class Row:
    """One language of the folder."""

    language: str
    oracle: str = ""  # "" where nobody judges it
    files: int = 0
    symbols: int = 0  # of ours
    expected: int = 0
    found: int = 0
    missing: list[Place] = field(default_factory=list)
    false: list[Place] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    passed_over: list[str] = field(default_factory=list)  # files nobody was asked about, and why
    bytes: int = 0
    seconds: float = 0.0

    @property
    def share(self) -> float:
        return self.found / self.expected if self.expected else 1.0

    @property
    def ms(self) -> float:
        """Milliseconds of the processor for 32 KiB."""
        return self.seconds * 1_000 * _PACE_BYTES / self.bytes if self.bytes else 0.0


def rows(folder: Path, judges: Mapping[str, Oracle]) -> list[Row]:
    """The languages of the folder, by name; files that .gitignore hides are not looked at."""
    found: dict[str, Row] = {}
    for path in sorted(look(str(folder), {}, {}, lambda path: not is_secret(path)).changed):
        language = language_of(path)
        if not language:
            continue
        judge = judges.get(language)
        row = found.setdefault(language, Row(language))
        _add(row, folder / path, path, judge)
    return [found[language] for language in sorted(found)]


def _add(row: Row, path: Path, name: str, judge: Oracle | None) -> None:
    try:
        data = path.read_bytes()
        text = text_of(data)
        seen, seconds = _timed(data, row.language)
    except (OSError, InvalidInput) as error:
        row.passed_over.append(f"{name}: {error}")
        return
    lines = text.split("\n")
    row.files += 1
    row.symbols += len(seen.symbols)
    row.bytes += len(data)
    row.seconds += seconds
    row.false += [Place(name, one.name, one.line) for one in seen.symbols if not stands(one, lines)]
    if judge is None and has_marks(text):
        judge = MarksOracle()
    if judge is None:
        return
    if judge.title not in row.oracle:
        row.oracle = f"{row.oracle}, {judge.title}".removeprefix(", ")
    if seen.cut_short or seen.left_out:
        row.passed_over.append(f"{name}: {seen.cut_short or 'It has too many symbols to list.'}")
        return
    told = judge.told(path, text, row.language)
    if told.unread:
        row.passed_over.append(f"{name}: {told.unread}")
        return
    expected = {(name_key(one.name), one.line): one for one in told.expected}
    listed = _Listed(seen, lines)
    missing = [one for one in expected.values() if not listed.has(one)]
    row.expected += len(expected)
    row.found += len(expected) - len(missing)
    row.missing += [Place(name, one.name, one.line) for one in missing]
    row.left_out += told.left_out


def _timed(data: bytes, language: str) -> tuple[Outline, float]:
    """The outline, and the processor time of the shortest of a few."""
    took: list[float] = []
    for _ in range(_TIMES):
        began = time.process_time()
        seen = outline(data, language)
        took.append(time.process_time() - began)
    return seen, min(took)


def stands(one: Symbol, lines: Sequence[str]) -> bool:
    """Whether the symbol's name begins on its line, and goes on in the lines after it."""
    if not 0 < one.line <= len(lines):
        return False
    name = _squeezed(one.name.rstrip("…"))
    here = _squeezed(lines[one.line - 1])
    near = _squeezed("".join(lines[one.line - 1 : one.line + 60]))
    word = re.match(r"\w+|\W", name)
    return name in near and word is not None and word[0] in here


def name_key(name: str) -> str:
    """A name as it is compared: without what it is in, and what only one side writes."""
    name = re.sub(r"^operator(?:\s+|(?=\W))|^[$~]|[?!=](?<=\w.)$", "", name.strip())
    last = re.split(r"::|[.:]", name)[-1]
    return last or name


class _Listed:
    """An outline's symbols as they are looked up."""

    def __init__(self, seen: Outline, lines: Sequence[str]) -> None:
        self._names = {(name_key(one.name), one.line) for one in seen.symbols}
        self._rules = [
            (one.line, one.end_line, {_squeezed(part) for part in _selectors(one, lines)})
            for one in seen.symbols
            if one.kind == "rule" and seen.language in _STYLES
        ]

    def has(self, expected: Expected) -> bool:
        """Whether its name is on its line; a selector may be one of a rule's list."""
        if (name_key(expected.name), expected.line) in self._names:
            return True
        name = _squeezed(expected.name)
        return any(
            first <= expected.line <= last and name in names for first, last, names in self._rules
        )


def _selectors(rule: Symbol, lines: Sequence[str]) -> list[str]:
    """The selectors of a rule; of a long list the name is only the beginning."""
    if not rule.name.endswith("…"):
        return rule.name.split(",")
    return "".join(lines[rule.line - 1 : rule.end_line]).partition("{")[0].split(",")


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)
