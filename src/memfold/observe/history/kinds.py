"""Which type a commit is: from its prefix, else from its first words, else from its change."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memfold.observe.history.subjects import Subject
from memfold.records import Commit, CommitFile

_PREFIXES = {
    "feat": "feature",
    "feature": "feature",
    "fix": "bugfix",
    "bugfix": "bugfix",
    "hotfix": "bugfix",
    "refactor": "refactor",
    "security": "security_note",
    "sec": "security_note",
}
_SECURITY = re.compile(
    r"\b(CVE-\d{4}-\d+|GHSA-[\w-]+|vulnerabilit(?:y|ies)|XSS|CSRF|SSRF|RCE|SQL injection"
    r"|(?:command|path|header) injection|path traversal|privilege escalation"
    r"|leak(?:s|ed|ing)? (?:a |the )?(?:secret|password|token|key)s?)\b",
    re.IGNORECASE,
)
_WORDS = (  # of the title's beginning, in the order they are tried
    (
        "bugfix",
        r"(?:bug ?)?fix(?:e[sd]|ing)?|hotfix|corrects?(?:ed)?|repair(?:s|ed)?|prevent(?:s|ed)?"
        r"|avoid(?:s|ed)?|handle[sd]?|resolve[sd]?|stop(?:s|ped)?|guard(?:s|ed)?|work(?:ed)? around"
        r"|do not|don't|never|no longer|ensure[sd]?|restore[sd]?",
    ),
    (
        "feature",
        r"add(?:s|ed)?|introduce[sd]?|implement(?:s|ed)?|support(?:s|ed)?|allow(?:s|ed)?"
        r"|create[sd]?|enable[sd]?|provide[sd]?|expose[sd]?|new|initial|first",
    ),
    (
        "refactor",
        r"refactor(?:s|ed|ing)?|renam(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|extract(?:s|ed)?"
        r"|simplif(?:y|ies|ied)|clean(?:s|ed)?(?: ?up)?|split(?:s)?|reorgani[sz]e[sd]?"
        r"|restructure[sd]?|inline[sd]?|dedup\w*|consolidate[sd]?|unify|unifies|rewrite|rewrote",
    ),
    ("decision", r"decide[sd]?|adopt(?:s|ed)?|adr|switch(?:es|ed)? (?:\S+ ){0,3}(?:to|from)"),
)
_BEGINS = tuple(
    (kind, re.compile(rf"(?:\S+: )?(?:{words})\b", re.IGNORECASE)) for kind, words in _WORDS
)
_BROKEN = re.compile(
    r"\b(?:bug|crash(?:es|ed)?|deadlock|race condition|regression|segfault|off[- ]by[- ]one"
    r"|wrong(?:ly)?|broken|hang(?:s|ing)?|leak(?:s|ed|ing)?|instead of (?:crashing|failing))\b",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|in favou?r of|replaces?d? .+ (?:by|with))\b", re.I
)
_DECISIONS = re.compile(r"(?:^|/)(?:adr|adrs|decisions|rfcs?)/[^/]+\.(?:md|rst|txt|adoc)$", re.I)
_TEXTS = re.compile(r"\.(?:md|rst|txt|adoc)$|(?:^|/)docs?/", re.IGNORECASE)
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|spec|specs|__tests__|bench(?:marks?)?|examples?|fixtures?)/|(?:^|/)test_|[._]test\.|_spec\.",
    re.I,
)
_SETUP = re.compile(
    r"(?:^|/)(?:\.github|\.gitlab|\.circleci|ci)/|\.(?:toml|ya?ml|cfg|ini|lock)$"
    r"|(?:^|/)(?:Makefile|Dockerfile|package\.json|\.gitignore)$"
)


def type_of(commit: Commit, subject: Subject) -> str:
    """A type of the mode ``code``."""
    if subject.reverted:
        return "change"
    if _SECURITY.search(commit.message):
        return "security_note"
    if subject.prefix in _PREFIXES:
        return _PREFIXES[subject.prefix]
    if subject.prefix:
        return "change"
    return _by_words(subject.title, commit.files) or _by_files(commit.files)


def _by_words(title: str, files: Sequence[CommitFile]) -> str:
    code = _code(files)
    if not code:
        return "decision" if _only_decisions(files) else "change"
    for kind, begins in _BEGINS:
        if begins.match(title):
            return kind
    if _BROKEN.search(title):
        return "bugfix"
    return "decision" if _INSTEAD.search(title) else ""


def _by_files(files: Sequence[CommitFile]) -> str:
    """New code that outweighs what it replaced is a feature; code that mostly moved, a refactor."""
    code = _code(files)
    made = sum(one.added for one in code if one.kind == "A")
    added = sum(one.added for one in code)
    removed = sum(one.removed for one in code)
    if any(one.kind == "A" for one in code) and made * 2 >= added and added > 2 * removed:
        return "feature"
    moved = sum(one.kind in "RD" for one in code)
    if moved * 2 >= len(code) or (removed > 20 and 0.7 <= added / removed <= 1.3):
        return "refactor"
    return "change"


def _code(files: Sequence[CommitFile]) -> list[CommitFile]:
    return [one for one in files if not is_aside(one.path)]


def is_aside(path: str) -> bool:
    """Texts, tests and configuration: beside the code itself."""
    return bool(_TEXTS.search(path) or _TESTS.search(path) or _SETUP.search(path))


def is_text(path: str) -> bool:
    return bool(_TEXTS.search(path))


def _only_decisions(files: Sequence[CommitFile]) -> bool:
    made = [one for one in files if one.kind == "A" and not one.path.endswith("README.md")]
    return bool(made) and all(_DECISIONS.search(one.path) for one in made)
