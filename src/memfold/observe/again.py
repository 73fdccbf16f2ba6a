"""The present observer over evidence that is stored: what it says better is said in place.

An observation keeps its id, count and pins. One that the observer no longer makes is kept: a
session may have quoted its id. What a model or a person wrote is not overwritten by rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from memfold.observe.builtin.observer import OBSERVER, observe_turn
from memfold.observe.model.need import needs_model
from memfold.records import Draft, Turn
from memfold.store.ports import Known, Rewrite, Rewriting

BUILTIN = "builtin/"
_AT_ONCE = 25  # turns of one transaction
_ALIKE = 0.5  # of the evidence of both, for two to be about the same


@dataclass(slots=True)
class Matched:
    """What the drafts mean for the observations that are there."""

    changed: dict[int, Draft] = field(default_factory=dict)
    added: list[Draft] = field(default_factory=list)
    same: int = 0
    kept: int = 0  # no longer made, left as they are


def matched(drafts: Sequence[Draft], known: Sequence[Known]) -> Matched:
    """Each draft with the observation it says anew: the same title, else the same evidence. Pure."""
    found = Matched()
    left = {one.observation.id: one for one in known}
    for draft in drafts:
        one = _counterpart(draft, [*left.values()])
        if one is None:
            if not any(_overlap(draft, other.observation.draft) >= _ALIKE for other in known):
                found.added.append(draft)
            continue
        observation = left.pop(one.observation.id).observation
        before = observation.draft
        fixed = one.shared or not before.observer.startswith(BUILTIN)
        if fixed or _words(before) == _words(draft):
            found.same += 1
        else:
            found.changed[observation.id] = _in_place(draft, before)
    found.kept = sum(one.observation.draft.observer.startswith(BUILTIN) for one in left.values())
    return found


def _counterpart(draft: Draft, known: Sequence[Known]) -> Known | None:
    title = _key(draft.title)
    for one in known:
        if _key(one.observation.draft.title) == title:
            return one
    best = max(known, key=lambda one: _overlap(draft, one.observation.draft), default=None)
    if best is None or _overlap(draft, best.observation.draft) < _ALIKE:
        return None
    return best


def _key(title: str) -> str:
    return " ".join(title.casefold().split())


def _overlap(one: Draft, other: Draft) -> float:
    first, second = set(one.evidence), set(other.evidence)
    if not first and not second:
        return float(one.at_ms == other.at_ms and not one.files_read and not other.files_read)
    return len(first & second) / len(first | second)


def _words(draft: Draft) -> tuple[object, ...]:
    paths = tuple(mark.path for mark in draft.files_changed)
    return (
        draft.type, draft.title, draft.narrative, draft.facts, draft.concepts, draft.files_read, paths,
    )  # fmt: skip


def _in_place(draft: Draft, before: Draft) -> Draft:
    """Files keep the hash of that time, which nobody can take again."""
    marks = {mark.path: mark for mark in before.files_changed}
    return replace(
        draft,
        files_changed=tuple(marks.get(mark.path, mark) for mark in draft.files_changed),
        at_ms=before.at_ms,
        work_tokens=before.work_tokens,
    )


@dataclass(slots=True)
class Again:
    """One run over the turns of a span."""

    desk: Rewriting
    read_tokens: Callable[[Draft], int]
    clock: Callable[[], int]
    quiet: Callable[[], AbstractContextManager[object]]  # held while nobody else may observe
    model: str = ""  # the model in use; empty for none
    ask: Callable[[int], None] = lambda _turn_id: None  # let it see that turn

    def run(
        self, since_ms: int, project_id: int | None, *, dry_run: bool, anew: bool
    ) -> Iterator[dict[str, Any]]:
        """Progress lines ``{"done", "total"}`` (turns), then ``{"result": ...}``.

        ``anew``: turns too that this observer has been through. ``dry_run``: nothing is changed.
        """
        observer = self.model or OBSERVER
        if anew and not dry_run:
            self.desk.forget_reobserved()
        skip = "" if anew else observer
        total = self.desk.count_to_reobserve(since_ms, project_id, skip)
        told: dict[str, Any] = {
            "observer": observer, "dry_run": dry_run, "turns": 0, "changed": 0, "added": 0,
            "same": 0, "kept": 0, "asked": 0, "examples": [],
        }  # fmt: skip
        after: Turn | None = None
        while ids := self.desk.to_reobserve(since_ms, project_id, skip, _AT_ONCE, after):
            with self.quiet():
                last = self._some(ids, told, observer, dry_run=dry_run)
            if last is None:
                break  # all of them were forgotten meanwhile
            after = last
            yield {"done": told["turns"], "total": max(total, told["turns"])}
        yield {"result": told}

    def _some(
        self, ids: Sequence[int], told: dict[str, Any], observer: str, *, dry_run: bool
    ) -> Turn | None:
        rewrites: list[Rewrite] = []
        last: Turn | None = None
        for turn_id in ids:
            turn = self.desk.whole_turn(turn_id)
            if turn is None:
                continue
            last = turn
            drafts = observe_turn(turn)
            known = self.desk.known_of(turn)
            found = matched(drafts, known)
            self._tell(told, found, known)
            rewrites.append(
                Rewrite(
                    turn_id,
                    {at: self._priced(draft) for at, draft in found.changed.items()},
                    [self._priced(draft) for draft in found.added],
                )
            )
            if self.model and needs_model(turn, drafts) and not _by(self.model, known):
                told["asked"] += 1
                if not dry_run:
                    self.ask(turn_id)
        if not dry_run:
            self.desk.rewrite(rewrites, observer=observer)
        return last

    def _tell(self, told: dict[str, Any], found: Matched, known: Sequence[Known]) -> None:
        told["turns"] += 1
        told["changed"] += len(found.changed)
        told["added"] += len(found.added)
        told["same"] += found.same
        told["kept"] += found.kept
        titles = {one.observation.id: one.observation.draft.title for one in known}
        for at, draft in found.changed.items():
            if len(told["examples"]) < 10 and titles[at] != draft.title:
                told["examples"].append({"id": at, "was": titles[at], "is": draft.title})

    def _priced(self, draft: Draft) -> Draft:
        return replace(draft, read_tokens=self.read_tokens(draft))


def _by(model: str, known: Sequence[Known]) -> bool:
    return any(one.observation.draft.observer == model for one in known)
