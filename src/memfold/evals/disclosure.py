"""What an answer costs to read: three guided steps against the full text of the ten best.

For each question the session that holds the answer is known. The guided search is an agent that
chooses well: of what each step shows it takes entries of that session, the best first. It has the
answer when details of that session were shown; the other way has it when one of the ten is of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from memfold.disclose.details import render_details
from memfold.disclose.mode import Mode
from memfold.measure import tokens
from memfold.records import Entry, ToolReply
from memfold.store.ports import Library

TOP = 10
_MOST_DETAILS = 3

Search = Callable[[Mapping[str, Any]], ToolReply]


class Asked(msgspec.Struct, frozen=True):
    query: str
    session: str  # the host's id of the session that holds the answer


class _Questions(msgspec.Struct, frozen=True):
    about: str
    questions: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class Cost:
    tokens: int
    answered: bool


@dataclass(frozen=True, slots=True)
class Compared:
    query: str
    guided: Cost
    auto: Cost
    full: Cost


def own_questions() -> tuple[Asked, ...]:
    """The twenty questions over real sessions that lie beside a checkout."""
    file = Path(__file__).with_name("questions.json")
    return msgspec.json.decode(file.read_bytes(), type=_Questions).questions


def compared(
    questions: Sequence[Asked], search: Search, library: Library, mode: Mode
) -> list[Compared]:
    """Each question asked in each way, over all projects."""
    return [
        Compared(
            asked.query, _guided(asked, search), _auto(asked, search), _full(asked, library, mode)
        )
        for asked in questions
    ]


def _guided(asked: Asked, search: Search) -> Cost:
    index = search({"query": asked.query, "project": "*"})
    read = tokens(index.text)
    chosen = _right(index.entries, asked)[:1]
    if not chosen:
        return Cost(read, answered=False)
    context = search({"continuation": index.cursor, "selectedIds": chosen})
    read += tokens(context.text)
    wanted = [ref for ref in _right(context.entries, asked) if not ref.startswith("P")]
    if not wanted:
        return Cost(read, answered=False)
    wanted.sort(key=lambda ref: ref not in chosen)  # what led here first
    details = search({"continuation": context.cursor, "selectedIds": wanted[:_MOST_DETAILS]})
    return Cost(read + tokens(details.text), answered=bool(_right(details.entries, asked)))


def _auto(asked: Asked, search: Search) -> Cost:
    reply = search({"query": asked.query, "project": "*", "mode": "auto"})
    return Cost(tokens(reply.text), bool(_right(reply.entries[:5], asked)))


def _full(asked: Asked, library: Library, mode: Mode) -> Cost:
    best = library.search(None, asked.query, TOP)
    found = library.details([(one.kind, one.id, one.project_id) for one in best])
    text = "\n\n".join(render_details(one, mode, limit_bytes=None) for one in found)
    return Cost(tokens(text), bool(_right(best, asked)))


def _right(entries: Sequence[Entry], asked: Asked) -> list[str]:
    return [one.ref for one in entries if one.session == asked.session]
