"""What a session's requests to a model cost: a prompt cache that is kept as providers keep it.

Prices are multiples of plain input, as published for cached prompts: written to the cache 1.25 (for
an hour 2), read from it 0.1, output 5. They are the same for the small and the large models.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memfold import measure

READ, WRITE, WRITE_HOUR, OUTPUT = 0.1, 1.25, 2.0, 5.0
Request = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request."""

    plain: int = 0
    written: int = 0
    written_hour: int = 0
    read: int = 0
    output: int = 0

    @property
    def context(self) -> int:
        """All that was sent."""
        return self.plain + self.written + self.written_hour + self.read

    @property
    def cost(self) -> float:
        """Tokens of plain input that would cost as much."""
        return (
            self.plain
            + WRITE * self.written
            + WRITE_HOUR * self.written_hour
            + READ * self.read
            + OUTPUT * self.output
        )

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.plain + other.plain,
            self.written + other.written,
            self.written_hour + other.written_hour,
            self.read + other.read,
            self.output + other.output,
        )


@dataclass(slots=True)
class Cache:
    """The starts of prompts that a provider still knows. Nothing is forgotten within a run."""

    known: set[bytes] = field(default_factory=set)

    def warmed(self, request: Request) -> None:
        """An earlier session sent the same tools and system prompt."""
        for block in _blocks(request):
            if block.of_message:
                return
            self.known.add(block.start)

    def charged(self, request: Request, output: int) -> Usage:
        """What this request costs; the cache knows it from then on."""
        blocks = list(_blocks(request))
        hit = max((at for at, one in enumerate(blocks) if one.start in self.known), default=-1)
        marked = max((at for at, one in enumerate(blocks) if one.kept), default=-1)
        new = blocks[hit + 1 : marked + 1]
        lasting = bool(new) and blocks[marked].kept == "1h"
        written = sum(one.tokens for one in new)
        self.known.update(one.start for one in blocks[: marked + 1])
        return Usage(
            plain=sum(one.tokens for one in blocks[max(hit, marked) + 1 :]),
            written=0 if lasting else written,
            written_hour=written if lasting else 0,
            read=sum(one.tokens for one in blocks[: hit + 1]),
            output=output,
        )


@dataclass(frozen=True, slots=True)
class _Block:
    start: bytes  # stands for all up to and with this block
    tokens: int
    kept: str  # "" where the cache is not asked to keep it, else for how long
    of_message: bool


def _blocks(request: Request) -> Iterator[_Block]:
    digest = hashlib.sha256()
    for part, of_message in _parts(request):
        mark = part.get("cache_control") if isinstance(part, Mapping) else None
        bare = {k: v for k, v in part.items() if k != "cache_control"}
        digest.update(json.dumps(bare, sort_keys=True).encode())
        kept = str(mark.get("ttl", "5m")) if isinstance(mark, Mapping) else ""
        yield _Block(digest.digest(), _tokens(bare), kept, of_message)


def _parts(request: Request) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Tools, system prompt and messages, in the order in which a provider reads them."""
    for tool in request.get("tools") or ():
        yield tool, False
    for block in _as_blocks(request.get("system")):
        yield block, False
    for message in request.get("messages") or ():
        for block in _as_blocks(message.get("content")):
            yield {**block, "role": message.get("role")}, True


def _as_blocks(content: object) -> Sequence[Mapping[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return (
        [block for block in content if isinstance(block, Mapping)]
        if isinstance(content, Sequence)
        else []
    )


def _tokens(block: Mapping[str, Any]) -> int:
    """By the texts in a block, or by its JSON where it holds none (a tool, a call)."""
    if block.get("type") == "text":
        return measure.tokens(str(block.get("text", "")))
    if block.get("type") == "tool_result":
        return sum(_tokens(one) for one in _as_blocks(block.get("content"))) + 10
    return measure.tokens(json.dumps(block, ensure_ascii=False))


def output_tokens(blocks: Sequence[Mapping[str, Any]]) -> int:
    """Of an answer: its texts and calls."""
    return sum(_tokens(block) for block in blocks)
