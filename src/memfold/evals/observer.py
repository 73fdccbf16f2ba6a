"""What the observer made of recorded sessions: titles to read by hand, and figures a host."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memfold.observe.builtin.calls import in_a_line
from memfold.observe.builtin.judged import lessons
from memfold.records import Details, Entry, ToolUse
from memfold.store.ports import Store

_AT_ONCE = 200
_EVERY = 1_000_000  # more observations than any folder of sessions gives


@dataclass(frozen=True, slots=True)
class Shown:
    """One observation as a reader judges it."""

    entry: Entry
    said: str
    reason: str
    uses: tuple[str, ...]  # a line each


@dataclass(frozen=True, slots=True)
class Figures:
    """One host's sessions in numbers."""

    host: str
    tool_uses: int
    observations: int
    nothing: Mapping[str, int]  # why -> tool uses judged to teach nothing

    @property
    def per_use(self) -> float:
        return self.observations / self.tool_uses if self.tool_uses else 0.0

    @property
    def nothing_share(self) -> float:
        return sum(self.nothing.values()) / self.tool_uses if self.tool_uses else 0.0


def every_observation(store: Store) -> list[Entry]:
    """All of a store, by project and age."""
    ids = [row.project.id for row in store.all_projects()]
    found = store.recent(ids, "observation", _EVERY)
    return sorted(found, key=lambda entry: entry.id)


def drawn(store: Store, entries: Sequence[Entry], sample: int, seed: int) -> list[Shown]:
    """``sample`` of them (all where there are fewer), the same ones for the same seed."""
    chance = random.Random(seed)  # noqa: S311  # a sample to read, no secret
    chosen = chance.sample(list(entries), min(sample, len(entries)))
    refs = [("observation", one.id, one.project_id) for one in chosen]
    details = store.details(refs)  # type: ignore[arg-type]  # "observation" is a Kind
    return [_shown(store, one) for one in details]


def _shown(store: Store, details: Details) -> Shown:
    observation = details.observation
    uses = store.tool_uses(details.evidence, None)
    return Shown(
        details.entry,
        observation.draft.said if observation else "",
        observation.draft.reason if observation else "",
        tuple(in_a_line(use) for use in uses),
    )


def figures(store: Store, host: str, first: int, last: int, entries: Iterable[Entry]) -> Figures:
    """Of the host whose tool uses have the ids ``first`` to ``last``."""
    by_session: dict[int, list[ToolUse]] = {}
    for start in range(first, last + 1, _AT_ONCE):
        for use in store.tool_uses(range(start, min(start + _AT_ONCE, last + 1)), None):
            by_session.setdefault(use.session_id, []).append(use)
    judged = [why for uses in by_session.values() for why in lessons(uses).values()]
    return Figures(
        host=host,
        tool_uses=len(judged),
        observations=sum(entry.host == host for entry in entries),
        nothing=dict(Counter(why for why in judged if why).most_common()),
    )
