"""A statement as a title: one line, at most 120 characters, never cut inside a clause."""

from __future__ import annotations

import re

from memfold.observe.builtin import cues_cjk

LONGEST = 120
_SHORTEST = 20
_WIDE = 0x2E80  # scripts without blanks between words
_LEADS = re.compile(
    r"^(?:(?:done|great|good|perfect|nice|agreed|yes|no|ok(?:ay)?|all done|all green|fixed it|so|and|but"
    r"|also|however|in short|overall|basically|essentially|note|important|tl;?dr|summary|result|verdict"
    r"|conclusion|recommendation|worse|better|already fixed|my take|bottom line|finding|high|medium|low|critical|severity|p[0-3]|fix|problem|issue"
    r"|root cause|the core idea is right|now|then|finally|first|second|third|next)\b\s*[:!,.—–-]+(?:\s+|$))+",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"^(?:i(?:'|’)?(?:ve| have)?|we(?:'|’)?(?:ve| have)?)\s+(?:also |now |just |successfully |already )*"
    r"(?=(?:added|fixed|removed|renamed|dropped|replaced|switched|updated|moved|changed|bumped|kept|made"
    r"|introduced|implemented|extracted|split|merged|rewrote|refactored|converted|created|deleted|reverted"
    r"|applied|found|verified|confirmed|checked|decided|chose|tightened|limited)\b)",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"^(?:(?:fixed|added|changed|updated) )?(?:in |at )?`?[\w./-]*[\w-]\.[a-z]{1,5}(?::\d+(?:[-,]\d+)*)?`?"
    r"\s*(?:—|–|-|:)\s+(?=\S{3})",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^\(?\d{1,2}[.)]\s+|^so (?=`|the |[a-z])", re.IGNORECASE)
_ADVISED = re.compile(r"^i(?:'|’)d (?=drop|keep|go|leave|use|prefer|skip)", re.IGNORECASE)
_BREAKS = (". ", "; ", "。", "；", "：", " — ", " – ", " - ", ", so ", ", but ", ", which ", ", because ",
           ", since ", ", and ", " because ", ": ", "，", "、", "（", " (", ", ", " so that ", " instead of ",
           " rather than ", " when ", " while ", " and ", " which ", " with ", " via ", " from ", " in ", " at ")  # fmt: skip
_DANGLING = re.compile(
    r"(?:\b(?:and|or|but|so|with|for|to|of|in|on|at|by|from|the|a|an|that|which|via|into|is|are|was|were"
    r"|as|if|when|because|since|not|its?|their|this|e\.g|i\.e)|[,:;(\[–—-])$",
    re.IGNORECASE,
)
_TAIL = re.compile(r"\s+(?:with|including|for|by|to|in|of|and|the following)$", re.IGNORECASE)
_UNFINISHED = re.compile(
    r"(?:any|every|each|all|whoever|those|anything) .{0,60}\b(?:that|which|who)\b[^,]*$", re.I
)
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("「", "」"), ("（", "）"))
_ABSOLUTE = re.compile(r"(?<![\w:/])/(?:[\w.@+-]+/){3,}([\w.@+-]+(?:/[\w.@+-]+)?)")


def title_of(statement: str) -> str:
    """The title, or '' where none can be made without cutting a thought in two."""
    text = statement.strip()
    for _ in range(3):
        shorter = _ADVISED.sub(
            "", _PERSON.sub("", _PLACE.sub("", _LEADS.sub("", _ITEM.sub("", text))))
        ).strip()
        shorter = cues_cjk.LEADS.sub("", shorter).strip()
        if shorter == text or len(shorter) < 8:
            break
        text = shorter
    text = _ABSOLUTE.sub(lambda m: m.group(1), text).replace("``", "`")
    text = text.strip().rstrip(".。;；,，:：! ").strip()
    if len(text) > LONGEST:
        text = _without_asides(text)
    if len(text) > LONGEST:
        text = _clause(text)
    if len(text) <= LONGEST and _DANGLING.search(text):
        text = _TAIL.sub("", text).rstrip(" ,:")
    if text.count("`") % 2 or text.count('"') % 2 or text.count("“") != text.count("”"):
        return ""  # half of a quotation
    if not text or _is_place_alone(text):
        return ""
    if not cues_cjk.WRITTEN.search(text) and (len(text) < 12 or not _says_enough(text)):
        return ""
    return text[0].upper() + text[1:] if text[0].islower() and not _is_name(text) else text


def _says_enough(text: str) -> bool:
    """Four words, or three with a name in them."""
    words = text.split()
    return len(words) > 3 or (len(words) == 3 and bool(re.search(r"[`_/\d]|\w\.\w", text)))


def shortened(text: str, limit: int = LONGEST) -> str:
    """``text`` up to ``limit`` characters, ended between words and outside code spans."""
    if len(text) <= limit:
        return text
    part = text[:limit]
    if part[-1].isalnum() and text[limit].isalnum() and ord(part[-1]) < _WIDE:
        part = part[: part.rfind(" ")] if " " in part else ""
    if part.count("`") % 2:
        part = part[: part.rindex("`")]
    return part.rstrip(" ,;:，、；：(（[“「-–—")


def _is_place_alone(text: str) -> bool:
    """A file with nothing said of it but an aside: ``README.md:167（...）``."""
    return bool(
        re.fullmatch(r"`[^`]*`|`?[\w./-]+\.\w{1,5}(?::\d+)?`?\s*(?:[（(][^（()）]*[)）])?", text)
    )


def _without_asides(text: str) -> str:
    """``text`` without its parentheses; those inside code stay."""
    codes = re.findall(r"`[^`]*`", text)
    numbers = iter(range(len(codes)))
    shell = re.sub(r"`[^`]*`", lambda _: f"\x00{next(numbers)}\x00", text)
    shell = re.sub(r"\s*\([^()]*\)", "", shell)
    return re.sub("\x00(\\d+)\x00", lambda m: codes[int(m.group(1))], shell)


def _is_name(text: str) -> bool:
    """Whether the first word is an identifier whose case matters."""
    word = text.split(maxsplit=1)[0]
    return bool(re.search(r"[A-Z_/.()=\d]", word[1:])) or word.startswith("`")


def _clause(text: str) -> str:
    """The longest start of ``text`` that ends where a clause ends."""
    best = ""
    for mark in _BREAKS:
        at = text.find(mark)
        while 0 <= at <= LONGEST:
            part = text[:at].rstrip(" ,;:—–-")
            if len(part) > len(best) and _stands_alone(part):
                best = part
            at = text.find(mark, at + 1)
        # The marks stand in the order of how cleanly they end a thought.
        if len(best) >= 40:
            return best
    return best if len(best) >= _SHORTEST or not text.isascii() else ""


def _stands_alone(part: str) -> bool:
    if (
        _UNFINISHED.match(part)
        or part.count("`") % 2
        or part.count('"') % 2
        or _DANGLING.search(part)
        or re.search(r"\b[A-Z]\.[A-Z]$", part)
    ):
        return False
    return all(part.count(left) == part.count(right) for left, right in _PAIRS)


_WORDS = re.compile(r"\w+")
_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff]+")  # no blanks: compared by pairs


def alike(one: str, other: str) -> bool:
    """Whether two titles say the same: most of the words of the shorter are in the longer."""
    first, second = (set(stems(text)) for text in (one, other))
    small = min(len(first), len(second))
    return first == second or (small > 2 and len(first & second) >= 0.7 * small)


_EMPTY = {"the", "and", "for", "with", "from", "that", "this", "into", "was", "are", "not"}


def stems(text: str) -> list[str]:
    """Its telling words, each by its first five letters; Chinese and Japanese by pairs."""
    words = (word.casefold() for word in _WORDS.findall(_HAN.sub(" ", text)) if len(word) > 2)
    pairs = [run[at : at + 2] for run in _HAN.findall(text) for at in range(max(len(run) - 1, 1))]
    return [word[:5] for word in words if word not in _EMPTY] + pairs
