"""Events with private parts and secrets taken out, before anything is stored."""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec.structs import replace

from memfold.capture.private import strip_ours, strip_private
from memfold.capture.redact import redact, redact_json, walk
from memfold.records import Compacted, Event, PromptGiven, ReplyGiven, ToolUsed

_MARGIN_CHARS = 8_192  # kept beyond the limit, so that no secret is cut in two before it is seen


def scrub(event: Event, max_chars: int) -> tuple[Event, Counter[str]]:
    """(the event as it may be stored, secrets replaced by kind). Long texts lose their middle."""
    if isinstance(event, PromptGiven):
        text, private = strip_private(strip_ours(event.text))
        clean, found = redact(clipped(text, max_chars))
        empty = private and not clean.strip()
        return replace(event, text=clean.strip(), private=event.private or empty), found
    if isinstance(event, ReplyGiven):
        clean, found = redact(clipped(strip_private(event.text)[0], max_chars))
        return replace(event, text=clean), found
    if isinstance(event, Compacted):
        clean, found = redact(clipped(strip_private(event.summary)[0], max_chars))
        return replace(event, summary=clean), found
    if isinstance(event, ToolUsed):
        given, first = redact_json(_clip_all(event.input, max_chars))
        response, second = redact_json(_clip_all(event.response, max_chars))
        return replace(event, input=given, response=response), first + second
    return event, Counter()


def _clip_all(value: Any, max_chars: int) -> Any:
    return walk(value, lambda text, _key: clipped(text, max_chars))


def clipped(text: str, max_chars: int) -> str:
    """``text`` within the limit and a margin, its middle replaced by how much is missing."""
    limit = max_chars + _MARGIN_CHARS
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    tail = limit - head
    # Cut at blanks: half a key is no longer recognised as one.
    start = text.rfind(" ", head - 1_024, head)
    end = text.find(" ", len(text) - tail, len(text) - tail + 1_024)
    first = text[: start if start > 0 else head]
    last = text[end if end > 0 else len(text) - tail :]
    return f"{first}\n[{len(text) - len(first) - len(last)} characters dropped]\n{last}"
