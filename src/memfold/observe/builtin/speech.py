"""What the agent said, as single statements: no markdown, no code blocks, no tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_CHARS = 24_000  # of one reply
_VERSE_CHARS = 60  # nobody wraps prose so narrow
_WIDE = 0x2E80  # from here on scripts write no blank between words
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_BULLET = re.compile(r"^(\s*)(?:[-*•–]|\(?\d{1,2}[.)])\s+(.*)$")
_NUMBERED = re.compile(r"^\s*(?:\*\*|#+\s*)?\(?\d{1,2}[.)]\s+")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)#*\s*$")
_BOLD_LINE = re.compile(r"^\s*\*\*([^*]{2,120})\*\*:?\s*$")
_LINK = re.compile(r"!?\[([^\]\n]{1,300})\]\([^)\n]{1,500}\)")
_EMPHASIS = re.compile(r"(?<![\w*])\*{1,3}([^*\n]{1,400}?)\*{1,3}(?![\w*])")
_UNDERLINE = re.compile(r"(?<!\S)__([^_\n]{1,400}?)__(?!\S)")
_TAG = re.compile(r"</?[a-z][a-z-]{1,30}>")
_ICON = re.compile("[\u2300-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001faff\u2605\u2606]+(?=\\s|$)")
_END = re.compile(r"(?<=[.!?])[\"')\]*]*\s+(?=[A-Z0-9`\"'(\[*])|(?<=[。！？])")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|no|fig)|\b[A-Z]|\d)\.$", re.I)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence or list item."""

    text: str
    bullet: bool = False
    numbered: bool = False  # an item of a numbered list: a finding
    under: str = ""  # the heading above it
    first: bool = False  # of its paragraph or item
    agent: str = ""  # the subagent that said it


def statements(reply: str) -> list[Statement]:
    """The reply's sentences and list items in order."""
    text = reply[:MAX_CHARS]
    if text.lstrip().startswith("{"):
        found = _of_json(text)
        if found:
            return found
    return list(_of_lines(text))


def _of_json(text: str) -> list[Statement]:
    """A review answered as JSON: its findings and its verdict."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    found: list[Statement] = []
    findings = value.get("findings")
    for finding in findings if isinstance(findings, list) else []:
        if isinstance(finding, dict):
            title, body = str(finding.get("title", "")), str(finding.get("body", ""))
            title = re.sub(r"^\[P\d\]\s*", "", title)
            found += [Statement(clean(title), True, True, first=True)] if title else []
            found += [Statement(clean(part)) for part in sentences(body)]
    for key in ("overall_explanation", "explanation", "summary"):
        if isinstance(value.get(key), str):
            found += [
                Statement(clean(part), first=not at)
                for at, part in enumerate(sentences(value[key]))
            ]
    return found


def _of_lines(text: str) -> Iterator[Statement]:
    under, fenced = "", False
    paragraph: list[str] = []
    item: tuple[list[str], bool] | None = None

    def flush() -> Iterator[Statement]:
        nonlocal item
        lines, bullet, numbered = (item[0], True, item[1]) if item else (paragraph, False, False)
        # Lines that each begin anew are no wrapped sentence: verse, an address, `key: value`.
        anew = len(lines) > 2 and (
            all(line[:1].isupper() for line in lines) or max(map(len, lines)) <= _VERSE_CHARS
        )
        for block in lines if anew else [_joined(lines)]:
            for at, part in enumerate(sentences(block)):
                said = clean(part)
                if said:
                    yield Statement(said, bullet, numbered, under, first=not at and not anew)
        paragraph.clear()
        item = None

    for line in text.splitlines():
        if _FENCE.match(line):
            yield from flush()
            fenced = not fenced
            continue
        bare = line.strip()
        if fenced or bare.startswith(("|", ">", "────", "`★", "`──", "---")):
            continue
        heading = _HEADING.match(line) or _BOLD_LINE.match(line)
        bullet = _BULLET.match(line)
        if heading:
            yield from flush()
            under = clean(heading.group(1))
        elif bullet:
            yield from flush()
            item = ([bullet.group(2)], bool(_NUMBERED.match(line)))
        elif not bare:
            yield from flush()
        elif item is not None and line.startswith((" ", "\t")):
            item[0].append(bare)
        else:
            if item is not None:
                yield from flush()
            paragraph.append(bare)
    yield from flush()


def _joined(lines: list[str]) -> str:
    """Wrapped lines as one; between two of Chinese or Japanese there is no blank."""
    text = ""
    for line in lines:
        close = text and ord(text[-1]) > _WIDE and ord(line[0]) > _WIDE
        text += line if not text or close else f" {line}"
    return text


def sentences(text: str) -> list[str]:
    """``text`` at its sentence ends; abbreviations do not end one."""
    parts: list[str] = []
    for part in _END.split(text):
        if parts and _ABBREVIATED.search(parts[-1]):
            parts[-1] = f"{parts[-1]} {part}"
        elif part.strip():
            parts.append(part.strip())
    return parts


def clean(text: str) -> str:
    """A sentence without markdown, tags and decoration."""
    text = _LINK.sub(lambda m: _link_text(m.group(1)), text)
    text = _TAG.sub("", text)
    for _ in range(2):
        text = _EMPHASIS.sub(r"\1", text)
    text = _UNDERLINE.sub(r"\1", text)
    text = _ICON.sub("", text.replace("**", ""))
    text = "".join(c for c in text if c.isprintable())
    return " ".join(text.split()).strip(" -–—·|")


def _link_text(text: str) -> str:
    return text.strip("`") if "/" not in text.strip("`") else f"`{text.strip('`')}`"
