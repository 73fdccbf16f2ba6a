"""Sets of documents and questions with known answers, to measure search by.

A set is either a file of our own plain form, or one of three public benchmarks in the form its
authors publish it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from memfold.errors import InvalidInput


class Document(msgspec.Struct, frozen=True):
    id: str
    text: str
    date: str | None = None  # ISO 8601; undated ones are taken as older, in the order given
    scope: str = ""  # a search within a scope finds only documents of it


class Question(msgspec.Struct, frozen=True):
    query: str
    gold: tuple[str, ...]  # ids of the documents that answer it
    scope: str = ""


class _File(msgspec.Struct, frozen=True):
    documents: tuple[Document, ...]
    queries: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class DataSet:
    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    published: Mapping[str, Mapping[str, float]]  # who -> measure -> figure


def from_file(path: Path) -> DataSet:
    """``{"documents": [...], "queries": [...]}``. Raises InvalidInput that names what is wrong."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_File, strict=False)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        raise InvalidInput(
            f"{path} is no set of documents and queries: {error}.",
            'Its form is {"documents": [{"id", "date", "text", "scope"?}], '
            '"queries": [{"query", "gold": [ids], "scope"?}]}.',
        ) from error
    known = {document.id for document in found.documents}
    if len(known) < len(found.documents):
        raise InvalidInput(f"{path}: some documents have the same id.", "Give each its own.")
    for question in found.queries:
        missing = [one for one in question.gold if one not in known]
        if missing or not question.gold:
            said = f"names {missing[0]!r}, which is no document" if missing else "has no gold id"
            raise InvalidInput(f"{path}: the query {question.query[:60]!r} {said}.")
    return DataSet(path.name, found.documents, found.queries, {})


def public_sets(folder: Path) -> Iterator[DataSet]:
    """The three benchmarks in ``folder``. Raises InvalidInput where one is not there."""
    readers = {
        "sde-chats.json": _sde_chats,
        "devmembench/sessions.json": _devmembench,
        "beam-100k.jsonl.gz": _beam,
    }
    for name, reader in readers.items():
        path = folder / name
        if not path.is_file():
            raise InvalidInput(
                f"{path} is not there.", "Name the folder of the benchmarks with --bench."
            )
        yield reader(path)


def _sde_chats(path: Path) -> DataSet:
    """A bug report must find the chat that decided the matter; an amendment is the later chat."""
    given = json.loads(path.read_text("utf-8"))
    documents: list[Document] = []
    questions: list[Question] = []

    def add(chat: Sequence[Mapping[str, str]]) -> str:
        documents.append(Document(f"chat-{len(documents)}", _said(chat)))
        return documents[-1].id

    for task in given["tasks"]:
        gold = [add(chat) for chat in task["gold_conversations"]]
        if gold:
            questions.append(Question(task["query"], (gold[-1],)))
    for chat in given["decoys"]:
        add(chat)
    published = {"FTS5": {"Hit@1": 0.788, "Hit@3": 1.0}}
    return DataSet("sde-chats", tuple(documents), tuple(questions), published)


def _devmembench(path: Path) -> DataSet:
    """Questions over sessions, several of which may hold the answer."""
    documents = tuple(
        Document(one["sessionId"], _said(one["messages"]), one["metadata"]["date"])
        for one in json.loads(path.read_text("utf-8"))
    )
    asked = json.loads((path.parent / "questions.json").read_text("utf-8"))
    questions = tuple(
        Question(one["question"], tuple(one["haystackSessionIds"]))
        for one in asked
        if one.get("haystackSessionIds")
    )
    published = {
        "FTS5": {"R@5": 0.921, "MRR": 0.873},
        "MiniLM": {"R@5": 0.905, "MRR": 0.886},
        "fused": {"R@5": 0.939, "MRR": 0.923},
    }
    return DataSet("devmembench", documents, questions, published)


def _beam(path: Path) -> DataSet:
    """One turn of a long chat must be found within that chat."""
    documents: list[Document] = []
    questions: list[Question] = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            given = json.loads(line)
            chat = str(given["id"])
            documents += _beam_turns(chat, given["chat"])
            for kind, asked in given["probing_questions"]["probing_questions.json"].items():
                if kind == "abstention":
                    continue
                for one in asked:
                    gold = tuple(f"{chat}:{turn}" for turn in _flat(one.get("source_chat_ids")))
                    if gold:
                        questions.append(Question(one["question"], gold, chat))
    published = {"FTS5": {"R@5": 0.341}, "WordLlama": {"R@5": 0.379}, "fused": {"R@5": 0.387}}
    return DataSet("beam-100k", tuple(documents), tuple(questions), published)


def _beam_turns(chat: str, sessions: Sequence[Mapping[str, Any]]) -> Iterator[Document]:
    day = None
    for session in sessions:
        for turn in session["turns"]:
            for message in turn:
                anchor = message.get("time_anchor")
                if anchor:
                    day = datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC).isoformat()
                yield Document(f"{chat}:{message['id']}", message["content"], day, chat)


def _flat(value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, Mapping):
        return _flat(list(value.values()))
    if isinstance(value, list):
        return [one for each in value for one in _flat(each)]
    return [value]


def _said(messages: Sequence[Mapping[str, str]]) -> str:
    return "\n".join(f"{one['role']}: {one.get('text') or one.get('content')}" for one in messages)
