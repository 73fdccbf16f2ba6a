"""A session in five fields: request, investigated, learned, completed, next steps."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memfold.observe.builtin.speech import clean, statements
from memfold.observe.paths import relative
from memfold.records import Digest, Observation, SummaryDraft

_LEARNED = {"discovery", "decision", "security_alert"}
_REQUEST_CHARS = 160
_FIELD_CHARS = 600
_SHORT = 12  # characters: "yes", "ok go on" ask for nothing new
_CHAT = re.compile(
    r"^(?:yes|yep|yeah|ok(?:ay)?|no|q|exit|continue|go on|go ahead|please|thanks?|[a-c1-9]|y|n|hi|hello)\b.{0,14}$",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"^/[\w:.-]+$")  # a slash command without words of the user's own
_TAG = re.compile(r"<[^<>\n]{1,60}>|```.*?(?:```|\Z)", re.DOTALL)
_NEXT = re.compile(
    r"\b(?:next step|remaining|still (?:need|open|missing|to do)|to ?do\b|follow[- ]up|not yet|left to"
    r"|you(?:'ll| will| can) (?:need|want|now)|push with|ready (?:to|when)|run `|want me to|if you want"
    r"|when you(?:'re| are) ready|waiting for|will need)",
    re.IGNORECASE,
)


def summarise(digest: Digest) -> SummaryDraft:
    """The session so far. ``request`` is empty where nothing was asked and nothing learned."""
    return SummaryDraft(
        request=_request(digest),
        investigated=_investigated(digest),
        learned=_titles(digest.observations, learned=True),
        completed=_titles(digest.observations, learned=False),
        next_steps=_next_steps(digest),
        files=relative(digest.files_changed, digest.session.cwd)[:20],
        at_ms=digest.session.last_at_ms,
    )


def _request(digest: Digest) -> str:
    asked = [line for prompt in digest.prompts if (line := _line(prompt.text))]
    if not asked:
        return digest.observations[0].draft.title if digest.observations else ""
    text = _cut(asked[0], _REQUEST_CHARS)
    for later in asked[1:]:
        longer = f"{text}; then {later}"
        if len(longer) > _REQUEST_CHARS:
            break
        text = longer
    return text


def _line(prompt: str) -> str:
    """A prompt as one line, '' where it asks for nothing."""
    text = clean(" ".join(_TAG.sub(" ", prompt[:4_000]).split()))
    if (
        _CHAT.match(text)
        or _COMMAND.match(text)
        or (text.isascii() and len(text) < _SHORT and " " not in text)
    ):
        return ""
    return text


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    for mark in (". ", "? ", "。", "？", "; ", ", ", "，", " "):
        at = text.rfind(mark, 40, limit)
        if at > 0:
            return text[: at + (1 if mark.strip() in {".", "?", "。", "？"} else 0)].rstrip(" ,;，")
    return text[:limit]


def _titles(observations: Sequence[Observation], *, learned: bool) -> str:
    titles = [o.draft.title for o in observations if (o.draft.type in _LEARNED) == learned]
    return _joined(titles)


def _investigated(digest: Digest) -> str:
    changed = set(digest.files_changed)
    read = [path for path in digest.files_read if path not in changed]
    paths = relative(read or digest.files_read, digest.session.cwd)
    more = f" and {len(paths) - 8} more files" if len(paths) > 8 else ""
    return ", ".join(paths[:8]) + more


def _next_steps(digest: Digest) -> str:
    if not digest.replies:
        return ""
    last = [one.text for one in statements(digest.replies[-1].text) if _NEXT.search(one.text)]
    return _joined(last[-3:])


def _joined(parts: Sequence[str]) -> str:
    text = ""
    for part in parts:
        longer = f"{text}; {part}" if text else part
        if len(longer) > _FIELD_CHARS:
            break
        text = longer
    return text
