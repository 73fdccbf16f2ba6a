"""A turn in episodes: each ends with a commit the agent made, the last with the turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memfold.observe.builtin.actions import Commit, commit_of
from memfold.records import Reply, ToolUse

MOST = 6


@dataclass(slots=True)
class Episode:
    """What was done and said up to a commit or the end."""

    uses: list[ToolUse] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    commits: list[Commit] = field(default_factory=list)
    last: bool = False  # it ends with the turn: its last reply is the agent's conclusion

    @property
    def changed(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(path for use in self.uses for path in use.files_changed))


def episodes(steps: Sequence[ToolUse | Reply]) -> list[Episode]:
    """At least one, in order. What follows a commit without changing anything belongs to it."""
    found = [Episode()]
    for step in steps:
        here = found[-1]
        if here.commits and isinstance(step, ToolUse) and (step.files_changed or commit_of(step)):
            here = Episode()
            found.append(here)
        if isinstance(step, Reply):
            here.replies.append(step)
            continue
        here.uses.append(step)
        commit = commit_of(step)
        if commit is not None:
            here.commits.append(commit)
    found[-1].last = True
    return _joined(found)


def _joined(found: list[Episode]) -> list[Episode]:
    """Not more than the turn may give: the earliest are put together."""
    while len(found) > MOST:
        small = min(range(len(found) - 1), key=lambda at: len(found[at].uses))
        after = found.pop(small + 1)
        found[small].uses += after.uses
        found[small].replies += after.replies
        found[small].commits += after.commits
        found[small].last = after.last
    return found
