"""One commit -> an observation, or why nothing is learned from it. Pure; docs/decisions says more."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from memfold.observe.history.kinds import is_text, type_of
from memfold.observe.history.subjects import Subject, cut, subject_of
from memfold.observe.history.worth import says_something, why_not
from memfold.records import Commit, CommitFile, Draft, FileMark

OBSERVER = "git/1"
MAX_FILES = 30  # named by an observation
_MAX_NAMED = 4  # files of one fact
_NARRATIVE_CHARS = 4_000
_TRAILER = re.compile(
    r"^(?:[A-Z][\w-]*-[Bb]y|Change-Id|Cc|CC|Reported-and-tested-by|git-svn-id|Claude-Session"
    r"|Generated-by|Assisted-by):\s.*$"
)
_ADVERT = re.compile(r"^(?:🤖 )?Generated with \[?\w+.*$")
_ISSUES = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?|see)[: ]+((?:[\w./-]{0,80}#|GH-)\d{1,7})\b",
    re.I,
)
_REVERTS = re.compile(r"\breverts? commit ([0-9a-f]{7,64})\b", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s")


class Observed(NamedTuple):
    """What a commit came to."""

    draft: Draft | None
    reason: str  # why there is none
    subject: str  # its first line, as written
    reverts: str = ""  # the id, or its beginning, of the commit it takes back
    reverted_subject: str = ""  # that commit's first line, where no id is given


def observe_commit(commit: Commit, now_ms: int) -> Observed:
    """The observation of one commit. ``now_ms`` bounds its time: clocks of others may be ahead."""
    first, _, rest = commit.message.partition("\n")
    subject = subject_of(first)
    body = _body(rest)
    reason = why_not(commit, subject, _without_revert_line(body))
    if reason:
        return Observed(None, reason, first)
    subject = _with_sentence(subject, body)
    reverts = _REVERTS.search(commit.message) if subject.reverted else None
    draft = Draft(
        type=type_of(commit, subject),
        title=subject.title,
        narrative=_narrative(first, subject, body),
        facts=_facts(commit, subject),
        concepts=("why-it-exists",) if len(_without_revert_line(body)) >= 80 else ("what-changed",),
        files_changed=tuple(FileMark(one.path) for one in _foremost(commit.files)),
        at_ms=_at_ms(commit, now_ms),
        observer=OBSERVER,
    )
    return Observed(draft, "", first, reverts.group(1) if reverts else "", subject.reverted)


def _with_sentence(subject: Subject, body: str) -> Subject:
    """A first line that cannot stand alone takes the first sentence of the text below along."""
    if says_something(subject.title):
        return subject
    sentence = re.split(r"(?<=[.!?])\s|\n", body, maxsplit=1)[0].strip().rstrip(".")
    title, whole = cut(f"{subject.title}: {sentence}" if sentence else subject.title)
    return subject._replace(title=title, whole=whole)


def _at_ms(commit: Commit, now_ms: int) -> int:
    """When it was written, which a rebase does not change; when it was committed, if that is odd."""
    for at_ms in (commit.authored_at_ms, commit.committed_at_ms):
        if 0 < at_ms <= now_ms:
            return at_ms
    return now_ms


def _body(rest: str) -> str:
    """The text below the first line, paragraphs unwrapped, lines about people left out."""
    lines = [line.rstrip() for line in rest.split("\n")]
    lines = [one for one in lines if not _TRAILER.match(one) and not _ADVERT.match(one)]
    joined: list[str] = []
    for line in lines:
        goes_on = joined and joined[-1] and line and not _BULLET.match(line)
        if goes_on and not line.startswith((" ", "\t", "#", ">", "|", "```")):
            joined[-1] += " " + line
        else:
            joined.append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(joined)).strip()


def _without_revert_line(body: str) -> str:
    return re.sub(r"This (?:reverts|reapplies) commit [0-9a-f]{7,64}[^.]*\.?", "", body).strip()


def _narrative(first: str, subject: Subject, body: str) -> str:
    text = body
    if not subject.whole:
        text = f"{' '.join(first.split())}\n{body}".strip()
    if len(text) <= _NARRATIVE_CHARS:
        return text
    kept = text[:_NARRATIVE_CHARS]
    return kept[: max(kept.rfind(" "), _NARRATIVE_CHARS // 2)].rstrip() + " …"


def _facts(commit: Commit, subject: Subject) -> tuple[str, ...]:
    added = sum(one.added for one in commit.files)
    removed = sum(one.removed for one in commit.files)
    count = max(commit.files_in_all, len(commit.files))
    files = "1 file" if count == 1 else f"{count:,} files"
    facts = [f"{files}, {added:,} lines added, {removed:,} removed"]
    by_kind = {kind: [one for one in commit.files if one.kind == kind] for kind in "ADR"}
    if by_kind["A"] and len(by_kind["A"]) < count:
        facts.append(f"New: {_named([one.path for one in by_kind['A']])}")
    if by_kind["D"]:
        facts.append(f"Removed: {_named([one.path for one in by_kind['D']])}")
    if by_kind["R"]:
        moved = [f"{one.before} to {one.path}" for one in by_kind["R"]]
        facts.append(f"Moved: {_named(moved)}")
    numbers = [f"#{subject.number}"] if subject.number else []
    numbers += [one for one in _ISSUES.findall(commit.message) if one not in numbers]
    if numbers:
        facts.append(f"Belongs to {', '.join(numbers[:6])}")
    return tuple(facts)


def _named(names: list[str]) -> str:
    left = len(names) - _MAX_NAMED
    return ", ".join(names[:_MAX_NAMED]) + (f" and {left:,} more" if left > 0 else "")


def _foremost(files: tuple[CommitFile, ...]) -> list[CommitFile]:
    """The files that changed most, code before texts; in their own order where few."""
    kept = [one for one in files if one.kind != "D"] or list(files)
    if len(kept) <= MAX_FILES:
        return kept
    return sorted(kept, key=lambda one: (is_text(one.path), -(one.added + one.removed)))[:MAX_FILES]


def count_reasons(reasons: list[str]) -> dict[str, int]:
    """reason -> how many, most frequent first."""
    return dict(Counter(reasons).most_common())
