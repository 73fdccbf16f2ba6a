"""Commits that teach nothing: merges, bumps, work in progress, formatting. Each with its reason."""

from __future__ import annotations

import re

from memfold.observe.history.kinds import is_aside
from memfold.observe.history.subjects import Subject
from memfold.records import Commit

_VERSION = r"v?\d+(?:\.\d+){1,3}(?:[-.+]?[\w.]+)?"
_DEPENDENCY = re.compile(
    r"^(?:bump|upgrade|update|pin)s? .{1,160}? (?:from|to) \S*\d|^(?:update|bump|upgrade)s? "
    r"(?:dependenc(?:y|ies)|deps|lock ?files?|submodules?|\S+ digest|all dependencies)\b"
    r"|^lock file maintenance|^(?:build|chore)?\(?deps?(?:-dev)?\)?:",
    re.IGNORECASE,
)
_RELEASE = re.compile(
    rf"^(?:(?:bump|prepare|cut|publish|tag|set)s?\b.{{0,40}}\b)?(?:release|version)s?\b.{{0,20}}$"
    rf"|^(?:(?:release|version|bump(?: to)?|bump version(?: to)?|prepare)s?:? )?{_VERSION}"
    r"(?: release)?$"
    r"|^(?:start|begin|prepare) (?:the )?next .{0,20}(?:development|iteration|version)",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"^(?:wip|temp|tmp|checkpoint|work in progress|save(?: point| work)?|fixup!|squash!|amend!"
    r"|asdf?|test|testing|stuff|misc|\.+|-+|x+|oops|try(?: again)?|more|done|foo|bar)\b"
    r"(?:[ :\-].*)?$",
    re.IGNORECASE,
)
_UNFINISHED_MARK = re.compile(r"^(?:wip\b|fixup!|squash!|amend!)", re.IGNORECASE)
_FORMAT = re.compile(
    r"^(?:(?:run|apply|fix|fixes|fixed|re)?[ -]?)?(?:(?:auto)?format(?:ting|ted)?|prettier|black"
    r"|gofmt|rustfmt|clang-format|ruff(?: format)?|isort|eslint|lint(?:er|ing)?(?: errors?| fix(?:es)?)?"
    r"|white ?space|indentation|trailing (?:white)?spaces?|typos?|spelling|imports?)"
    r"(?: (?:the )?(?:code|files?|fix(?:es)?|errors?|issues?|in \S+|only|changes))?\.?$",
    re.IGNORECASE,
)
_REVIEW = re.compile(
    r"^(?:address|apply|more|fix)?(?:es|ed)? ?(?:the )?(?:code )?review"
    r"(?: (?:comments?|feedback|suggestions?|remarks?))?$|^(?:pr|review) (?:feedback|comments?)$",
    re.IGNORECASE,
)
_MACHINE = re.compile(r"\[(?:skip ci|ci skip)\]|^Apply automatic changes", re.IGNORECASE)
_LEAST_WORDS = 3
_ASIDE_WORDS = 7  # fewer words about tests, texts or settings alone are a heading, not a fact
_LEAST_CHARS_UNSPACED = 6  # of a script that puts no blanks between words
_TELLING_BODY_CHARS = 60


def why_not(commit: Commit, subject: Subject, body: str) -> str:
    """Why nothing is to be learned from it; '' where something is. ``body``: without trailers."""
    if commit.parents > 1:
        return "merge"
    if not commit.files:
        return "no change to a file"
    if not subject.title:
        return "says too little"
    if subject.reverted:
        return ""
    reason = _routine(commit, subject)
    if not reason and len(body) < _TELLING_BODY_CHARS:
        reason = _silent(commit, subject.title)
    return reason


def _routine(commit: Commit, subject: Subject) -> str:
    """What no text below the first line makes better."""
    title = subject.title
    line = commit.message.split("\n", 1)[0].strip()
    about_deps = subject.prefix == "deps" or subject.scope.startswith("deps")
    rules = (
        ("dependency bump", about_deps or _DEPENDENCY.match(title)),
        ("version bump", "release" in subject[1:3] or _RELEASE.match(title)),
        ("work in progress", subject.prefix == "wip" or _UNFINISHED_MARK.match(line)),
        ("formatting", subject.prefix == "style" or _FORMAT.match(title)),
    )
    return next((reason for reason, holds in rules if holds), "")


def _silent(commit: Commit, title: str) -> str:
    """First lines that say too little to stand alone."""
    few = len(title.split()) < _ASIDE_WORDS
    rules = (
        ("work in progress", _UNFINISHED.match(title)),
        ("made by a machine", _MACHINE.search(commit.message)),
        ("says too little", _REVIEW.match(title) or not says_something(title)),
        (
            "tests, texts or settings, in few words",
            few and all(is_aside(one.path) for one in commit.files),
        ),
    )
    return next((reason for reason, holds in rules if holds), "")


def says_something(title: str) -> bool:
    """Whether a first line can stand alone."""
    if title.isascii():
        return len(title.split()) >= _LEAST_WORDS
    return len(title) >= _LEAST_CHARS_UNSPACED
