"""A statement as a title: one line, at most 120 characters, never cut inside a clause."""

from __future__ import annotations

import re

from memfold.observe.builtin import cues_cjk
from memfold.observe.builtin.clauses import DANGLING, LONGEST, fitted

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
_WRITTEN = re.compile(
    r"^(?:i|we)(?:(?:'|’)ve| have)? (?:also |now |just )*(?:written|wrote) ", re.IGNORECASE
)
# Where a cause is or that there is one, before the cause itself: `The bug is in the cleanup — ...`
_POINTER = re.compile(
    r"^(?:so |and |but )?(?:the |a )?(?:(?:real|actual|main|root|underlying|core) )?(?:bug|problem|issue|cause"
    r"|culprit|reason|error|fix|failure|trouble|answer|explanation)s? (?:(?:is|was|are|lies|lay|sits|lives|comes|turned out to be)\b"
    r"(?:[^—–:]|:(?=\d)){0,80}?|here)\s*(?:[—–]|:|\s-)\s+(?=\S{3})(?=.{25})",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^([A-Z][^:：`.!?—]{3,60}): (?=(?:The |A |An |It |`|[A-Z]\w+ (?:is|are|was)\b).{30})"
)
_PLACE = re.compile(
    r"^(?:(?:fixed|added|changed|updated) )?(?:in |at )?`?[\w./-]*[\w-]\.[a-z]{1,5}(?::\d+(?:[-,]\d+)*)?`?"
    r"\s*(?:—|–|-|:)\s+(?=\S{3})",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^\(?\d{1,2}[.)]\s+|^so (?=`|the |[a-z])", re.IGNORECASE)
_ADVISED = re.compile(r"^i(?:'|’)d (?=drop|keep|go|leave|use|prefer|skip)", re.IGNORECASE)
_TAIL = re.compile(r"\s+(?:with|including|for|by|to|in|of|and|the following)$", re.IGNORECASE)
_ABSOLUTE = re.compile(r"(?<![\w:/])/(?:[\w.@+-]+/){3,}([\w.@+-]+(?:/[\w.@+-]+)?)")


def title_of(statement: str) -> str:
    """The title, or '' where none can be made without cutting a thought in two."""
    text = statement.strip()
    for _ in range(3):
        shorter = text
        for lead in (_ITEM, _LEADS, _POINTER, _PLACE, _PERSON, _ADVISED):
            shorter = lead.sub("", shorter)
        shorter = _WRITTEN.sub("Wrote ", _without_label(shorter)).strip()
        shorter = cues_cjk.LEADS.sub("", shorter).strip()
        if shorter == text or len(shorter) < 8:
            break
        text = shorter
    text = _ABSOLUTE.sub(lambda m: m.group(1), text).replace("``", "`")
    text = text.strip().rstrip(".。;；,，:：! ").strip()
    if len(text) > LONGEST:
        text = fitted(text)
    if len(text) <= LONGEST and DANGLING.search(text):
        text = _TAIL.sub("", text).rstrip(" ,:")
    if text.count("`") % 2 or text.count('"') % 2 or text.count("“") != text.count("”"):
        return ""  # half of a quotation
    if not text or _is_place_alone(text):
        return ""
    if not cues_cjk.WRITTEN.search(text) and (len(text) < 12 or not _says_enough(text)):
        return ""
    return text[0].upper() + text[1:] if text[0].islower() and not _is_name(text) else text


def _without_label(text: str) -> str:
    """``Missing Checks: The reader ...`` without its label: what is said of it holds the fact."""
    label = _LABEL.match(text)
    if not label:
        return text
    words = [word for word in label.group(1).split() if len(word) > 3]
    capitals = sum(word[0].isupper() for word in words)
    return text[label.end() :] if len(words) > 1 and capitals == len(words) else text


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


def _is_name(text: str) -> bool:
    """Whether the first word is an identifier whose case matters."""
    word = text.split(maxsplit=1)[0]
    return bool(re.search(r"[A-Z_/.()=\d]", word[1:])) or word.startswith("`")


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
