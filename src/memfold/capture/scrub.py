"""Events with private parts, secrets and pictures taken out, before anything is stored."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from msgspec.structs import replace

from memfold.capture.private import strip_ours, strip_private, strip_private_from
from memfold.capture.redact import clipped, redact, redact_json, shortened, walk
from memfold.records import Compacted, Event, PromptGiven, ReplyGiven, ToolUsed

IMAGE = "[image]"
BINARY = "[binary data]"
_DATA_KEYS = {"data", "base64", "blob", "bytes", "content", "image_url", "url", "text", "stdout"}
_BASE64 = re.compile(r"[A-Za-z0-9+/\r\n]{400}")
_ENCODED = re.compile(r"[A-Za-z0-9+/=\r\n]+")
_PICTURES = ("iVBOR", "/9j/", "R0lGOD", "UklGR", "Qk0", "SUkq", "TU0A")  # PNG, JPEG, GIF, WebP, ...
_DATA_URI = re.compile(r"data:([a-z]+)/[a-zA-Z0-9.+-]{1,80};base64,[A-Za-z0-9+/=%]{64,}")


def scrub(event: Event, max_chars: int) -> tuple[Event, Counter[str]]:
    """(the event as it may be stored, secrets replaced by kind). Long texts lose their middle."""
    found: Counter[str] = Counter()
    if isinstance(event, PromptGiven):
        text, private = strip_private(strip_ours(event.text))
        clean = _clean(text, max_chars, found).strip()
        return replace(event, text=clean, private=event.private or (private and not clean)), found
    if isinstance(event, ReplyGiven):
        text = _clean(strip_private(strip_ours(event.text))[0], max_chars, found)
        return replace(event, text=text), found
    if isinstance(event, Compacted):
        text = _clean(strip_private(strip_ours(event.summary))[0], max_chars, found)
        return replace(event, summary=text), found
    if isinstance(event, ToolUsed):
        given, _ = _value(event.input, max_chars, found)
        response, dropped = _value(event.response, max_chars, found)
        return replace(
            event,
            input=given,
            response=response,
            dropped_bytes=dropped,
            files_read=_names(event.files_read),
            files_changed=_names(event.files_changed),
        ), found
    return event, found


def _clean(text: str, max_chars: int, found: Counter[str]) -> str:
    clean, counts = redact(without_pictures(clipped(text, max_chars), "text"))
    found.update(counts)
    return clean


def _names(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Files as they may be named: they were taken from the input before it was cleaned."""
    return tuple(redact(strip_private(path)[0])[0] for path in paths)


def _value(value: Any, max_chars: int, found: Counter[str]) -> tuple[Any, int]:
    """(a tool's input or response as it may be stored, bytes cut out of it)."""
    value, dropped = shortened(value, max_chars)

    def shorter(text: str, key: str) -> str:
        nonlocal dropped
        plain = without_pictures(text, key)
        cut = clipped(plain, max_chars)
        dropped += len(plain) - len(cut)
        return cut

    clean, counts = redact_json(walk(_pieces_without_private(value), shorter))
    found.update(counts)
    return clean, dropped


def _pieces_without_private(value: Any) -> Any:
    """The value; a private part that goes on from one text block to the next is taken out."""
    if not isinstance(value, list):
        return value
    pieces: list[Any] = []
    depth = 0
    for piece in value:
        text = piece.get("text") if isinstance(piece, dict) else None
        if isinstance(text, str):
            kept, private, depth = strip_private_from(strip_ours(text), depth)
            pieces.append({**piece, "text": kept} if private else piece)
        else:
            pieces.append(piece)
    return pieces


def without_pictures(text: str, key: str) -> str:
    """``text``, or a mark where it is a file in base64; pictures within a text become marks."""
    if len(text) < 64:
        return text
    if key in _DATA_KEYS and _BASE64.match(text) and _ENCODED.fullmatch(text):
        return IMAGE if text.startswith(_PICTURES) else BINARY
    return _DATA_URI.sub(_mark, text) if ";base64," in text else text


def _mark(uri: re.Match[str]) -> str:
    return IMAGE if uri[1] == "image" else BINARY
