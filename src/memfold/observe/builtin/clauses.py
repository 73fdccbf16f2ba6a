"""A statement that is too long for a title, within it: what is left is whole and holds the fact."""

from __future__ import annotations

import re

LONGEST = 120
_SHORTEST = 20
_BREAKS = (". ", "; ", "。", "；", "：", " — ", " – ", " - ", ", so ", ", but ", ", which ", ", because ",
           ", since ", ", and ", " because ", ": ", "，", "、", "（", " (", ", ", " so that ", " instead of ",
           " rather than ", " when ", " while ", " and ", " which ", " with ", " via ", " from ", " in ", " at ")  # fmt: skip
DANGLING = re.compile(
    r"(?:\b(?:and|or|but|so|with|for|to|of|in|on|at|by|from|the|a|an|that|which|via|into|is|are|was|were"
    r"|as|if|when|because|since|not|its?|their|this|e\.g|i\.e)|[,:;(\[–—-])$",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"(?:any|every|each|all|whoever|those|anything) .{0,60}\b(?:that|which|who)\b[^,]*$", re.I
)
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("「", "」"), ("（", "）"))
_PATH = re.compile(r"`(?:[\w.@+~-]*/)+([\w.@+-]+\.\w{1,5}(?::[\d,:-]+)?)`")
_WHERE = re.compile(
    r" (?:in|at|inside|within) (?:both |the (?:file )?)?`[^`\s]*[./:][^`\s]*`(?! \w+s\b)"
)
# What follows is the point; what stands before it is granted.
_POINT = re.compile(r",? (?:but|yet)(?: then)? ")
_CONCLUDED = re.compile(r", so |; | because |, and | — ")  # before it stands a fact of its own
_SUBJECT = re.compile(
    r"^((?:the |a |an |this |these |`)?[^,;:]{2,70}?) (?=(?:is|was|are|were|has|have|had|does|do|did|can|could|will|would"
    r"|says?|uses?|attempts?|tries|calls?|returns?|passes|now|still|only|looks?|works?|handles?|reads?|writes?|sets?|takes?"
    r"|keeps?|makes?|checks?|gets?|builds?|sends?|claims?|shows?)\b)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"^(?:it |they |that |this )?(?=(?:also |now |still |only |then |later |always )*(?:is|was|are|were|has|have|had|does|do|did"
    r"|don't|doesn't|didn't|isn't|wasn't|aren't|can't|cannot|can|could|won't|would|never|fails?|failed|ignores?|misses|drops?|breaks?"
    r"|conflicts?|loses?|leaks?|returns?|skips?|leaves|needs?)\b)",
    re.IGNORECASE,
)
_NO_ANTECEDENT = re.compile(
    r"^(?:it|they|this|that|these|those|both|he|she|there|which|its|their|them|not|only|i|we|you)\b",
    re.IGNORECASE,
)
_NEEDS_MORE = (  # what these say is told by the second half: `with`, `to`, `into`
    (re.compile(r"^(?:replaced?|replaces|swap(?:s|ped)?|substitut\w+)\b|\bto replace\b", re.IGNORECASE), re.compile(r"\b(?:with|by|for)\b")),
    (re.compile(r"^(?:renamed?|renames|convert(?:s|ed)?|switch(?:es|ed)?|changed?|changes|migrated?|moved?|moves)\b", re.IGNORECASE),
     re.compile(r"\b(?:to|into|from|with|so|by|under|out|off)\b|→")),
)  # fmt: skip
_ENUMERATES = re.compile(r"(?:^|[:,]) [^,:]{1,40}(?:, [^,]{1,40}){1,}$|: [^,]{1,40}$")


def fitted(text: str) -> str:
    """``text`` within LONGEST characters, '' where that takes its point away.

    First goes what is beside the point: asides, folders of files, where in the code. Then whole
    clauses go; where one grants a thing and the next one says `but`, the first goes.
    """
    for shorten in (_without_asides, _without_folders, _without_where):
        text = shorten(text)
        if len(text) <= LONGEST:
            return text
    return _point(text) or _clause(text)


def _without_asides(text: str) -> str:
    """``text`` without its parentheses; those inside code stay."""
    codes = re.findall(r"`[^`]*`", text)
    numbers = iter(range(len(codes)))
    shell = re.sub(r"`[^`]*`", lambda _: f"\x00{next(numbers)}\x00", text)
    shell = re.sub(r"\s*\([^()]*\)", "", shell)
    return re.sub("\x00(\\d+)\x00", lambda m: codes[int(m.group(1))], shell)


def _without_folders(text: str) -> str:
    return _PATH.sub(lambda m: f"`{m.group(1)}`", text)


def _without_where(text: str) -> str:
    """``text`` without `in `file``, the last ones first, as few as it takes."""
    for found in reversed(list(_WHERE.finditer(text))):
        if len(text) <= LONGEST:
            break
        if found.start() > _SHORTEST:
            text = text[: found.start()] + text[found.end() :]
    return text


def _point(text: str) -> str:
    """What follows `but`, with the subject of what stands before where it has none of its own."""
    for found in _POINT.finditer(text):
        head, tail = text[: found.start()], text[found.end() :]
        if len(tail) < _SHORTEST or _CONCLUDED.search(head) or not _stands_alone(head):
            continue
        goes_on = _GOES_ON.match(tail)
        subject = _SUBJECT.match(head)
        if goes_on and not subject:
            continue
        if goes_on and subject:
            tail = f"{subject.group(1)} {tail[goes_on.end() :]}"
        elif _NO_ANTECEDENT.match(tail):
            continue
        part = tail if len(tail) <= LONGEST else _clause(tail)
        if len(part) >= 2 * _SHORTEST and len(part.split()) > 5:
            return part
    return ""


def _clause(text: str) -> str:
    """The longest start of ``text`` that ends where a clause ends."""
    best = ""
    for mark in _BREAKS:
        at = text.find(mark)
        while 0 <= at <= LONGEST:
            part = text[:at].rstrip(" ,;:—–-")
            listed = mark in {", and ", ", ", " and "} and _ENUMERATES.search(part)
            if len(part) > len(best) and not listed and _stands_alone(part):
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
        or DANGLING.search(part)
        or re.search(r"\b[A-Z]\.[A-Z]$", part)
        or any(verb.search(part) and not rest.search(part) for verb, rest in _NEEDS_MORE)
    ):
        return False
    return all(part.count(left) == part.count(right) for left, right in _PAIRS)
