"""Secrets become typed placeholders such as ``[redacted:github-token]`` before the first write.

The rules stand in ``rules.py``; here is how they are applied, in time linear in the text.
Standard library only: the hook's slow path uses it. Source: spec/70 (Privacy) and
docs/decisions/0005-redaction-before-the-disk.md.
"""

from __future__ import annotations

import json
import math
import re

from memfold.capture.private import strip_ours, strip_private, strip_private_over
from memfold.capture.rules import RULES, Rule

TYPE_CHECKING = False  # `typing` would add 4 ms to a hook that spools
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

Counts = dict[str, int]  # rule name -> how many
_SHORTEST_CHARS = 12  # no secret with its name is shorter
_LONGEST_CHARS = 32_768  # a longer match is prose between two marks, not a key
_SPOOLED_CHARS = 2 * 1024 * 1024  # of one value in a spooled payload
_DEEPEST = 200  # nesting that is kept; every later reader of the value relies on it
TOO_DEEP = f"[nested deeper than {_DEEPEST} levels]"
_MARGIN_CHARS = 8_192  # kept beyond a limit, so that no secret is cut in two before it is seen

Span = tuple[int, int, int]  # start, place of the rule in the table, end
_RUN = re.compile(r"[A-Za-z0-9_-]{14,}")
_REACH_CHARS = 24  # how far before such a run its word may begin
_SOLID = [(word, at) for at, rule in enumerate(RULES) if rule.solid for word in rule.words]
_LOOSE = [(word, at) for at, rule in enumerate(RULES) if rule.loose for word in rule.words]
_PLAIN = [
    (word, at)
    for at, rule in enumerate(RULES)
    if not rule.solid and not rule.loose
    for word in rule.words
]

_PLACEHOLDER = re.compile(
    r"(?i)example|placeholder|your[_-]|change[_-]?me|x{4}|\*{3}|\.{3}|redacted|dummy|not[_-]?set"
    r"|process\.env|os\.environ|getenv|import\.meta|^[$<{%&(\[]|\$\{|\{\{"
    r"|^(?:true|false|null|none|nil|undefined|string|password|passwd|secret|token|pass|test|todo)$"
)
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[A-Za-z]")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
# Names, calls, paths, versions, URLs, checksums of lock files: what code writes beside such names.
_CODE = re.compile(r"[\w.]+\(|[./~@#]|https?:|sha\d{1,3}[-:]|\^?v?\d+(?:\.\d+)+|\w+://")
_WORDS = re.compile(
    r"(?:[A-Za-z]+\d{0,4}|\d+)(?:[-_./:@+=~!#%^*?|]+(?:[A-Za-z]+\d{0,4}|\d+))*[-_./:@+=~!#%^*?|]*"
)
_NAMED = re.compile(r"[A-Za-z]\w*(?:[./:#]\w+)+|[_-].*")  # a route, a translation key, a flag
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")  # of a function: base64.b64decode(
_CALLS = ("(", "[", "{")
_CLOSERS = ('"', "'", "`", "\\")
# Rules whose place says enough: any value there that is no placeholder is a secret.
_ANY_VALUE = {
    "url-password",
    "connection-password",
    "netrc-password",
    "curl-user",
    "mysql-password",
    "sshpass-password",
}
_ENTROPY_BITS = 3.0  # a character; English identifiers lie below, random keys near 4 and above
_TELLING_KEY = re.compile(
    r"(?i)(?:pass(?:word|wd|phrase)|pwd|secret|(?:api|access|auth|private|secret|signing|account"
    r"|encryption|master|shared)[_-]?key|(?:^|[_-]|access|refresh|auth|id|bearer)token|credential"
    r"|cookie|authorization)$"
)
_PASSWORD_KEY = re.compile(r"(?i)(?:pass(?:word|wd|phrase)|pwd|secret[_-]?key|client[_-]?secret)$")


def redact(text: str) -> tuple[str, Counts]:
    """(text with every secret replaced, how many of each kind)."""
    found: Counts = {}
    if len(text) < _SHORTEST_CHARS:
        return text, found
    spans: list[Span] = []
    runs = {text[max(run.start() - _REACH_CHARS, 0) : run.end()] for run in _RUN.finditer(text)}
    if runs:
        _look(text, text, " ".join(runs), _SOLID, spans)
    _look(text, text, text, _PLAIN, spans)
    lowered = _lowered(text)
    _look(text, lowered, lowered, _LOOSE, spans)
    return (_replaced(text, spans, found), found) if spans else (text, found)


def _look(
    text: str, hay: str, sample: str, words: list[tuple[str, int]], spans: list[Span]
) -> None:
    """Try the rules whose words stand in ``sample`` wherever they stand in ``hay``."""
    for word, order in words:
        if word not in sample:
            continue
        rule = RULES[order]
        at = hay.find(word)
        while at >= 0:
            span = _matched(rule, text, at)
            if span is not None:
                spans.append((span[0], order, span[1]))
            at = hay.find(word, at + 1 if span is None else max(span[1], at + 1))


def _lowered(text: str) -> str:
    """``text`` in lower case, every character at its place."""
    low = text.lower()
    # U+0130 is the one character that becomes two.
    return low if len(low) == len(text) else text.replace("\u0130", "i").lower()


def _matched(rule: Rule, text: str, at: int) -> tuple[int, int] | None:
    match = rule.compiled.match(text, at - rule.back) if at >= rule.back else None
    if match is None:
        return None
    start, end = match.span("secret")
    value = match["secret"]
    if end - start > _LONGEST_CHARS or value.startswith("[redacted:"):
        return None
    if rule.name in _ANY_VALUE:
        return None if _PLACEHOLDER.search(value) else (start, end)
    if rule.name == "password":
        good = _is_password(value, text[match.start() : start], text[end : end + 1])
    else:
        is_call = text[end : end + 1] == "(" and bool(_NAME.fullmatch(value))
        good = not rule.check or (not is_call and looks_random(value))
    return (start, end) if good else None


def _replaced(text: str, spans: list[Span], found: Counts) -> str:
    spans.sort()
    merged: list[Span] = []
    for start, order, end in spans:
        if merged and start < merged[-1][1]:  # two rules at one place: the earlier one names it
            first, last, before = merged[-1]
            merged[-1] = (first, max(last, end), min(before, order))
        else:
            merged.append((start, end, order))
    parts: list[str] = []
    at = 0
    for start, end, order in merged:
        name = RULES[order].name
        parts += [text[at:start], f"[redacted:{name}]"]
        found[name] = found.get(name, 0) + 1
        at = end
    return "".join([*parts, text[at:]])


def looks_random(value: str) -> bool:
    """Whether a value beside a telling name is a secret and not a name, path, version or example.

    A checksum of pure hexadecimal counts as one here: beside such a name it is a key.
    """
    bare = value.strip("\"'`,;.")
    if len(bare) < 8 or not _DIGIT.search(bare) or not _LETTER.search(bare):
        return False
    if _CODE.match(bare) or _UUID.fullmatch(bare) or _WORDS.fullmatch(bare):
        return False
    if _PLACEHOLDER.search(bare):
        return False
    return _entropy(bare) >= min(_ENTROPY_BITS, math.log2(len(bare)) * 0.8)


def _is_password(value: str, before: str, after: str) -> bool:
    """A password may be a plain word, so what stands around it decides."""
    bare = value.rstrip(".:")
    if len(bare) < 4 or _PLACEHOLDER.search(bare) or _CODE.match(bare) or after in _CALLS:
        return False
    if before[-1] in "\"'`":  # a literal: password = "opensesame"
        return after in _CLOSERS and not _NAMED.fullmatch(bare)
    if before.endswith("=") and before.isupper():  # DB_PASSWORD=opensesame
        return not bare.isdigit()
    return looks_random(bare)


def _entropy(value: str) -> float:
    size = len(value)
    counts = [value.count(char) for char in set(value)]
    return -sum(n / size * math.log2(n / size) for n in counts)


def redact_json(value: Any, *, spooling: bool = False) -> tuple[Any, Counts]:
    """Any JSON value without private parts, our own blocks and secrets; its keys too.

    ``spooling``: enormous strings are cut, and what was wholly private keeps an empty mark.
    """
    found: Counts = {}

    def text(given: str, key: str) -> str:
        plain, private = strip_private(clipped(given, _SPOOLED_CHARS) if spooling else given)
        plain = strip_ours(plain)
        if private and spooling and not plain.strip():
            return "<private></private>"
        if key and _is_telling(key, plain):
            found["assigned-secret"] = found.get("assigned-secret", 0) + 1
            return "[redacted:assigned-secret]"
        clean, counts = redact(plain)
        for name, count in counts.items():
            found[name] = found.get(name, 0) + count
        return clean

    # A payload is no single text: what a prompt leaves open must not hide the session's id.
    return walk(value if spooling else without_private_over(value), text), found


def without_private_over(value: Any) -> Any:
    """The value; what is marked as private from one of its texts to a later one is taken out."""
    texts: list[str] = []
    places: list[tuple[Any, Any]] = []
    out: list[Any] = [value]
    waiting: list[tuple[Any, Any]] = [(out, 0)]
    while waiting:
        place, at = waiting.pop()
        given = place[at]
        if isinstance(given, str):
            texts.append(given)
            places.append((place, at))
        elif isinstance(given, dict):
            place[at] = given = dict(given)
            waiting += [(given, name) for name in reversed(given)]
        elif isinstance(given, (list, tuple)):
            place[at] = given = list(given)
            waiting += [(given, index) for index in range(len(given) - 1, -1, -1)]
    kept = strip_private_over(texts)
    if kept is texts:
        return value
    for (place, at), text in zip(places, kept, strict=True):
        place[at] = text
    return out[0]


def _is_telling(key: str, value: str) -> bool:
    if len(value) > 4_096 or " " in value or not _TELLING_KEY.search(key):
        return False
    if _PASSWORD_KEY.search(key) and len(value) >= 4:
        return not (_PLACEHOLDER.search(value) or value.startswith("[redacted:"))
    return looks_random(value)


def walk(value: Any, change: Callable[[str, str], str]) -> Any:
    """A copy of a JSON value with ``change(text, key)`` applied to every string.

    Keys are changed too (with key ""). Iterative; what is nested too deeply becomes a mark.
    """
    out: list[Any] = [None]
    waiting: list[tuple[Any, Any, Any, str, int]] = [(value, out, 0, "", 0)]
    while waiting:
        given, place, at, key, depth = waiting.pop()
        if isinstance(given, str):
            place[at] = change(given, key)
        elif isinstance(given, (dict, list, tuple)) and depth >= _DEEPEST:
            place[at] = TOO_DEEP
        elif isinstance(given, dict):
            made: dict[str, Any] = {}
            place[at] = made
            for name, inner in given.items():
                safe = change(str(name), "")
                while safe in made:
                    safe += "'"
                made[safe] = None
                waiting.append((inner, made, safe, str(name), depth + 1))
        elif isinstance(given, (list, tuple)):
            place[at] = items = [None] * len(given)
            waiting += [(inner, items, i, key, depth + 1) for i, inner in enumerate(given)]
        else:
            place[at] = given
    return out[0]


def shortened(value: Any, max_chars: int) -> tuple[Any, int]:
    """(the value, or half as much of its JSON text where it is too large, characters cut).

    Half, for the store writes that text as JSON again and should not have to cut it once more.
    """
    if isinstance(value, str) or not _is_larger(value, max_chars + _MARGIN_CHARS):
        return value, 0
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return TOO_DEEP, 0
    cut = clipped(text, max_chars // 2)
    return cut, len(text) - len(cut)


def _is_larger(value: Any, limit_chars: int) -> bool:
    size = 0
    waiting = [value]
    while waiting and size <= limit_chars:
        given = waiting.pop()
        if isinstance(given, dict):
            waiting.extend(given.values())
            waiting.extend(given)
        elif isinstance(given, list):
            waiting.extend(given)
        size += len(given) if isinstance(given, str) else 4
    return size > limit_chars


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


def redact_payload(body: bytes) -> bytes:
    """A hook's payload as it may lie in the spool; what is not JSON is redacted as text.

    A text that was wholly private stays marked as that, so that its turn is not kept later.
    """
    try:
        given = json.loads(body)
        if isinstance(given, dict):
            given = {
                name: without_private_over(shortened(inner, _SPOOLED_CHARS)[0])
                if isinstance(inner, (dict, list))
                else inner
                for name, inner in given.items()
            }
        value, _ = redact_json(given, spooling=True)
        return json.dumps(value, separators=(",", ":")).encode("ascii")
    except (ValueError, RecursionError):
        plain = clipped(body.decode("utf-8", "surrogateescape"), _SPOOLED_CHARS)
        return redact(strip_private(plain)[0])[0].encode("utf-8", "surrogateescape")
