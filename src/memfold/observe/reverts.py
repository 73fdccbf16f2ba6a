"""What a turn took back of what its session had done: whole commits, files, single edits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memfold.observe.builtin.calls import Change, changes_of, command_of, output_of
from memfold.records import Observation, ToolUse

_REVERT = re.compile(r"\bgit\s+(?:-C\s+\S+\s+)?revert\b([^\n;&|]*)")
_HASH = re.compile(r"\b[0-9a-f]{7,40}\b")
_REVERTED = re.compile(r"This reverts commit ([0-9a-f]{7,40})")
_RESTORE = re.compile(
    r"\bgit\s+(?:-C\s+\S+\s+)?(?:checkout\s+(?:HEAD\s+)?--|restore(?!\s+--staged(?!.*--worktree)))\s+([^\n;&|]+)"
)
_ALL = re.compile(
    r"\bgit\s+(?:-C\s+\S+\s+)?(?:reset\s+--hard(?:\s+HEAD)?\s*(?:$|[;&|\n])|checkout\s+(?:--\s+)?\.(?:\s|$))"
)
_UNDO_TOOLS = {"undo_edit", "undo"}
_COMMIT_FACT = re.compile(r"^commit ([0-9a-f]{7,40}):")


@dataclass(frozen=True, slots=True)
class Undone:
    """What tool uses took back."""

    commits: tuple[str, ...] = ()  # hashes, as they were named
    files: tuple[str, ...] = ()  # names or paths, as they were named
    everything: bool = False  # all that was not committed
    edits: tuple[Change, ...] = ()  # edits that may restore an earlier text

    def __bool__(self) -> bool:
        return bool(self.commits or self.files or self.everything or self.edits)


def undone_by(uses: Iterable[ToolUse]) -> Undone:
    """What these took back, by their commands and edits; edits are candidates only."""
    commits: dict[str, None] = {}
    files: dict[str, None] = {}
    edits: list[Change] = []
    everything = False
    for use in uses:
        if not use.ok:
            continue
        command = command_of(use)
        for match in _REVERT.finditer(command):
            commits |= dict.fromkeys(_HASH.findall(match.group(1)))
            commits |= dict.fromkeys(_REVERTED.findall(output_of(use)))
        for match in _RESTORE.finditer(command):
            words = [word.strip("'\"") for word in match.group(1).split()]
            files |= dict.fromkeys(word for word in words if word and not word.startswith("-"))
        everything = everything or bool(_ALL.search(command))
        if use.tool in _UNDO_TOOLS:
            files |= dict.fromkeys(use.files_changed)
        edits += [one for one in changes_of(use) if one.old and one.new]
    everything = everything or "." in files
    named = tuple(name for name in files if name != ".")
    return Undone(tuple(commits), named, everything, tuple(edits))


def taken_back(
    undone: Undone, earlier: Sequence[Observation], evidence: Mapping[int, Sequence[ToolUse]]
) -> list[int]:
    """Ids of the earlier observations whose whole change is undone.

    ``evidence``: id -> its tool uses. An observation whose change was committed goes only with its
    commit; one of several files only when all of them are restored.
    """
    found = []
    for one in earlier:
        commit = next(
            (m.group(1) for fact in one.draft.facts if (m := _COMMIT_FACT.match(fact))), ""
        )
        if commit:
            gone = any(_same_commit(commit, name) for name in undone.commits)
        else:
            gone = _files_gone(one, undone) or _edits_gone(evidence.get(one.id, ()), undone.edits)
        if gone:
            found.append(one.id)
    return found


def _same_commit(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _files_gone(one: Observation, undone: Undone) -> bool:
    paths = [mark.path for mark in one.draft.files_changed]
    if not paths:
        return False
    return undone.everything or all(
        any(path == name or path.endswith(f"/{name}") or name.endswith(f"/{path}")
            for name in undone.files)
        for path in paths
    )  # fmt: skip


def _edits_gone(uses: Sequence[ToolUse], later: Sequence[Change]) -> bool:
    """Whether every edit among the uses has one that puts its old text back."""
    made = [change for use in uses for change in changes_of(use)]
    return bool(made) and all(
        any(
            back.path == change.path and back.new == change.old and back.old == change.new
            for back in later
        )
        for change in made
    )
