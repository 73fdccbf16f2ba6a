"""A commit's first line as a title: prefixes, pull request numbers and pictures taken off."""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_TITLE_CHARS = 120
_LEAST_CLAUSE_CHARS = 30
_CONVENTIONAL = re.compile(r"^([A-Za-z]{2,12})(?:\(([^()]{1,60})\))?(!)?:\s+(?=\S)")
_KNOWN = frozenset(
    [
        "feat",
        "feature",
        "fix",
        "bugfix",
        "hotfix",
        "docs",
        "doc",
        "style",
        "refactor",
        "perf",
        "test",
        "tests",
        "build",
        "ci",
        "chore",
        "revert",
        "security",
        "sec",
        "deps",
        "release",
        "wip",
        "change",
        "improvement",
        "merge",
    ]
)
_PICTURES = re.compile(r"^(?:\s|:[a-z0-9_+-]{2,40}:|[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])+")
_NUMBERS = re.compile(r"\s*\((?:#|GH-|!)(\d{1,7})\)\s*$")
_REVERT = re.compile(r'^Revert\s+"(.+)"$', re.DOTALL)
_REAPPLY = re.compile(r'^(?:Reapply\s+"(.+)"|Revert\s+"Revert\s+"(.+)"")$', re.DOTALL)
_SENTENCE_START = re.compile(r"[a-z]+(?=[ ,]|$)")


class Subject(NamedTuple):
    """What a first line says."""

    title: str  # at most MAX_TITLE_CHARS characters
    prefix: str = ""  # feat, fix, ... in lower case
    scope: str = ""
    number: str = ""  # of the pull request
    reverted: str = ""  # the first line of what is taken back
    whole: bool = True  # nothing was cut off


def subject_of(line: str) -> Subject:
    """The parts of a first line; its title is empty where it says nothing."""
    line = " ".join(line.split())
    numbers = _NUMBERS.search(line)
    number = numbers.group(1) if numbers else ""
    while found := _NUMBERS.search(line):
        line = line[: found.start()]
    again = _REAPPLY.match(line)
    if again:
        inner = subject_of(again.group(1) or again.group(2))
        title, whole = cut(f"Applied again: {inner.title}")
        # What it takes back is the revert, under the name that git gave that.
        taken_back = f'Revert "{again.group(1) or again.group(2)}"'
        return Subject(title, "", inner.scope, number, taken_back, whole)
    reverted = _REVERT.match(line)
    if reverted:
        inner = subject_of(reverted.group(1))
        title, whole = cut(f"Reverted: {inner.title}")
        return Subject(title, "revert", inner.scope, number, reverted.group(1), whole)
    line = _PICTURES.sub("", line)
    prefix = scope = ""
    found = _CONVENTIONAL.match(line)
    if found and found.group(1).lower() in _KNOWN:
        prefix, scope = found.group(1).lower(), (found.group(2) or "").strip()
        line = _PICTURES.sub("", line[found.end() :])
    title = line.strip().rstrip(".")
    if prefix:  # where a prefix stood, small letters are the custom
        title = _capital(title)
    if scope and scope.casefold() not in title.casefold():
        title = f"{scope}: {line.strip().rstrip('.')}"
    title, whole = cut(title)
    return Subject(title, prefix, scope, number, whole=whole)


def _capital(text: str) -> str:
    """A plain first word begins with a capital; a name such as ``git_dir`` stays as it is."""
    return text[0].upper() + text[1:] if _SENTENCE_START.match(text) else text


def cut(text: str) -> tuple[str, bool]:
    """(the text within MAX_TITLE_CHARS, whether that is all of it)."""
    if len(text) <= MAX_TITLE_CHARS:
        return text, True
    clause = text[:MAX_TITLE_CHARS].rfind("; ")
    if clause >= _LEAST_CLAUSE_CHARS:  # what is left says something whole
        return text[:clause], False
    kept = text[: MAX_TITLE_CHARS - 1]
    at = kept.rfind(" ")
    kept = kept[:at] if at > MAX_TITLE_CHARS // 2 else kept
    return kept.rstrip(" ,;:") + "…", False
