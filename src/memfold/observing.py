"""Turns that wait are observed: what they taught is priced and stored, and what it took back.

The built-in observer always; where a model is set, it is shown the turns that gave too little.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from memfold.disclose.details import price_observation, price_summary
from memfold.records import Draft, FileMark, Observation, ToolUse, Turn
from memfold.store.ports import Store

if TYPE_CHECKING:
    from memfold.observe.model.worker import ModelWorker

log = logging.getLogger(__name__)
IDLE_MS = 10 * 60 * 1000  # a turn in which nothing happens for so long has ended
FRESH_MS = 2 * 24 * 3600 * 1000  # older sessions that are imported go to a model by reobserve only
_MAX_HASHED_BYTES = 4 * 1024 * 1024
_MAX_HASHED_FILES = 20


class Observing:
    """The observers over one store. Safe to use from any thread: one observes at a time."""

    def __init__(
        self, store: Store, clock: Callable[[], int], model: ModelWorker | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._model = model
        self.lock = threading.Lock()  # held while turns are observed

    def all_waiting(self) -> int:
        """Observe every closed turn that waits; how many there were."""
        count = 0
        with self.lock:
            while True:
                now_ms = self._clock()
                turn = self._store.next_turn(idle_before_ms=now_ms - IDLE_MS)
                if turn is None:
                    break
                self._observe_one(turn, now_ms)
                count += 1
        if count and self._model is not None:
            self._model.wake()
        return count

    def summarise_missing(self) -> None:
        """Sessions whose summary is lost, or older than what they taught, get one anew."""
        with self.lock:
            for session_id in self._store.sessions_to_summarise():
                self._summarise(session_id)

    def _observe_one(self, turn: Turn, now_ms: int) -> None:
        # Late: the observer's rules take 50 ms, which a cold start need not wait for.
        from memfold.observe.builtin.observer import observe_turn
        from memfold.observe.repeats import as_known

        try:
            drafts: Sequence[Draft] = observe_turn(turn)
        except Exception:
            # A turn the observer cannot read must not hold up all later ones for ever.
            log.exception("turn %d could not be observed", turn.id)
            drafts = ()
        if self._model is not None and turn.session.last_at_ms > now_ms - FRESH_MS:
            from memfold.observe.model.need import needs_model  # late: as above

            if needs_model(turn, drafts):
                self._model.wait(turn.id)  # before it counts as observed: a crash repeats both
        earlier = self._store.digest(turn.session.id).observations if drafts else ()
        known = [as_known(draft, earlier) for draft in drafts]
        priced = [self._priced(draft, turn.session.cwd) for draft in known]
        undone = self._taken_back(turn, priced, earlier)
        self._store.record(turn, priced, at_ms=now_ms, taken_back=undone)
        self._summarise(turn.session.id)

    def _summarise(self, session_id: int) -> None:
        from memfold.observe.summary import summarise  # late: as above

        summary = summarise(self._store.digest(session_id))
        if summary.request:
            priced = replace(summary, read_tokens=price_summary(summary))
            self._store.put_summary(session_id, priced)

    def _taken_back(
        self, turn: Turn, drafts: Sequence[Draft], earlier: Sequence[Observation]
    ) -> list[Sequence[int]]:
        """For each draft the earlier observations of its session that it takes back."""
        from memfold.observe.reverts import taken_back, undone_by  # late: as above

        uses = {step.id: step for step in turn.steps if isinstance(step, ToolUse)}
        if not earlier or not undone_by(uses.values()):
            return []
        ids = [one.id for one in earlier]
        links = self._store.evidence_of(ids, [earlier[0].project_id])
        evidence = {one: self._store.tool_uses(of, None) for one, of in links}
        found: list[Sequence[int]] = []
        for draft in drafts:
            undone = undone_by(uses[i] for i in draft.evidence if i in uses)
            found.append(taken_back(undone, earlier, evidence) if undone else ())
        return found

    def _priced(self, draft: Draft, cwd: str) -> Draft:
        marks = tuple(
            _hashed(mark, cwd) if at < _MAX_HASHED_FILES else mark
            for at, mark in enumerate(draft.files_changed)
        )
        marked = replace(draft, files_changed=marks)
        return replace(marked, read_tokens=price_observation(marked))


def _hashed(mark: FileMark, cwd: str) -> FileMark:
    """The file as it is now; unhashed where it cannot be read or is too large."""
    path = Path(cwd, mark.path)
    try:
        if not path.is_file() or path.stat().st_size > _MAX_HASHED_BYTES:
            return mark
        return replace(mark, sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    except OSError:
        return mark
