"""What is left to do after a hook was answered: spool, transcript, turns to observe, old evidence.

One thread does it, in order. All of it is a query over what is stored or lies in the spool, so
a crash at any moment loses nothing: the next daemon finds the same work.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLong
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from memfold.capture import spool
from memfold.capture.intake import Intake, Taken
from memfold.capture.transcripts.find import find_transcripts
from memfold.disclose.details import price_observation, price_summary
from memfold.errors import BadPayload, MemfoldError, StoreError
from memfold.records import Digest, Draft, FileMark, SummaryDraft, ToolUsed, Turn
from memfold.retention import EvidenceRetention
from memfold.store.ports import Store
from memfold.workstate.lists import MIRRORS
from memfold.workstate.mirror import mirrored_rows
from memfold.workstate.plan import Plan, plan_of

log = logging.getLogger(__name__)
PLANNERS = {*MIRRORS, "TaskUpdate"}  # tools of the hosts that write to-do lists
IDLE_MS = 10 * 60 * 1000  # a turn in which nothing happens for so long has ended
AT_WORK_MS = 12 * 3600 * 1000  # a session that was heard of no earlier may still go on
_EMBEDDED_AT_ONCE = 64  # entries; hooks and turns need not wait for the rest
_MAX_HASHED_BYTES = 4 * 1024 * 1024
_MAX_HASHED_FILES = 20


class Backlog:
    """The work behind the hooks, over one store and one data directory."""

    def __init__(
        self,
        home: Path,
        store: Store,
        intake: Intake,
        clock: Callable[[], int],
        *,
        mirror: bool,
        retention: EvidenceRetention | None = None,
        observed: Callable[[], None] = lambda: None,
    ) -> None:
        """``observed``: told when turns were observed, and memory shows more than before."""
        self._spool = home / "spool"
        self._store = store
        self._intake = intake
        self._clock = clock
        self._mirror = mirror
        self._retention = retention
        self._observed = observed
        self._observing = threading.Lock()  # an import observes too
        self._mirroring = threading.Lock()  # and mirrors
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="memfold-backlog")

    def start(self, finish: Callable[[], None] = lambda: None) -> None:
        """Take up what an earlier daemon left; ``finish`` ends what it was at, first."""
        self._submit(finish)
        self._submit(self._drain)
        self._submit(self.mirror_plans)
        self._submit(self.observe)
        self._submit(self.embed)

    def after(self, taken: Taken) -> None:
        """Everything that one answered hook makes possible; returns at once."""
        if taken.ends_turn and taken.transcript:
            self._submit(self._catch_up, taken)
        if _has_plan(taken):
            self._submit(self.mirror_plans)
        if taken.ends_turn:
            self._submit(self.observe)
            self._submit(self.embed)
            self._submit(self._retire)
        self.look_at_spool()

    def look_at_spool(self) -> None:
        """Take in what hooks kept since the last look; returns at once."""
        if spool.any_waiting(self._spool):
            self._submit(self._drain)
            self._submit(self.mirror_plans)
            self._submit(self.observe)
            self._submit(self.embed)

    def take_in(self) -> None:
        """All that waits in the spool is stored when this returns. Raises StoreError."""
        try:
            self._pool.submit(self._drain).result()
        except RuntimeError as error:
            raise StoreError("memfold is ending.", "Run the command again.") from error

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Nothing is observed and no plan is mirrored meanwhile."""
        with self._observing, self._mirroring:
            yield

    def summarise_missing(self) -> None:
        """Sessions that lost their summary get one of what is left."""
        from memfold.observe.summary import summarise  # late: as in _observe_one

        with self._observing:
            for session_id in self._store.sessions_without_summary():
                self._summarise(session_id, summarise)

    def settle(self, timeout_s: float) -> bool:
        """Wait until all that was submitted so far is done; False when time ran out."""
        try:
            self._pool.submit(lambda: None).result(timeout_s)
        except (TooLong, RuntimeError):
            return False
        return True

    def sweep(self) -> None:
        """Observe turns that ended without a word, and retire old evidence where that is due."""
        self._submit(self.observe)
        self._submit(self.embed)
        self._submit(self._retire)

    def close(self) -> None:
        """End after the step under way; the rest is found again at the next start."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _submit(self, work: Callable[..., object], *args: object) -> None:
        def guarded() -> None:
            try:
                work(*args)
            except MemfoldError as error:
                log.warning("%s: %s", work.__name__, error.code)
            except Exception:
                log.exception("%s failed", work.__name__)

        try:
            self._pool.submit(guarded)
        except RuntimeError:
            log.info("closing: %s is left for the next start", work.__name__)

    def _drain(self) -> None:
        for path in spool.waiting(self._spool):
            try:
                event = spool.read(path)
                taken = self._intake.take_hook(event.host, event.body, event.at_ms)
            except BadPayload as error:
                log.warning("a spooled event was set aside: %s", error.message)
                spool.set_aside(path)
                continue
            except StoreError:
                return  # it stays in the spool until the store can be written
            except Exception:
                # Not ours to lose, but it must not hold up all that wait behind it.
                log.exception("a spooled event could not be taken and was set aside")
                spool.set_aside(path)
                continue
            spool.remove(path)
            if taken.ends_turn and taken.transcript:
                self._catch_up(taken)

    def _catch_up(self, taken: Taken) -> None:
        path = Path(taken.transcript)
        if path.is_file():
            self._intake.take_transcript(taken.host, path, from_offset=True)
            self.mirror_plans()

    def mirror_plans(self) -> None:
        """Bring the lists of the hosts' own to-do tools up to date with the evidence."""
        if not self._mirror:
            return
        with self._mirroring:
            new = self._store.new_plans()
            if not new.session_ids:
                return
            plans: dict[int, list[Plan]] = {}
            for session_id in new.session_ids:
                found = self._store.plan_calls(session_id)
                if found is not None:
                    session, calls = found
                    plans.setdefault(session.project_id, []).append(
                        plan_of(session.host_session, calls)
                    )
            for project_id, theirs in plans.items():
                self._mirror_into(project_id, theirs, new.seen)
            self._store.plans_seen(new.newest)

    def _mirror_into(self, project_id: int, plans: Sequence[Plan], seen: int) -> None:
        current = [row for name in MIRRORS for row in self._store.current([project_id], name)]
        owners = {str(row.fields.get("host_session", "")) for row in current}
        alive = self._store.at_work(
            owners | {plan.session for plan in plans}, since_ms=self._clock() - AT_WORK_MS
        )
        rows = mirrored_rows(plans, current, seen=seen, alive=alive)
        if rows:
            self._store.append(project_id, rows)

    def observe(self) -> None:
        """Observe every closed turn that waits."""
        count = 0
        with self._observing:
            while True:
                now_ms = self._clock()
                turn = self._store.next_turn(idle_before_ms=now_ms - IDLE_MS)
                if turn is None:
                    break
                self._observe_one(turn, now_ms)
                count += 1
        if count:
            self._observed()

    def _retire(self) -> None:
        # Step by step, so that what comes meanwhile is looked at in between.
        if self._retention is not None and self._retention.step():
            self._submit(self._retire)

    def embed(self) -> None:
        """Give vectors to some entries that lack them, and come back for the others."""
        if self._store.embed_waiting(_EMBEDDED_AT_ONCE) == _EMBEDDED_AT_ONCE:
            self._submit(self.embed)

    def _observe_one(self, turn: Turn, now_ms: int) -> None:
        # Late: the observer's rules take 50 ms, which a cold start need not wait for.
        from memfold.observe.builtin.observer import observe_turn
        from memfold.observe.summary import summarise

        try:
            drafts: Sequence[Draft] = observe_turn(turn)
        except Exception:
            # A turn the observer cannot read must not hold up all later ones for ever.
            log.exception("turn %d could not be observed", turn.id)
            drafts = ()
        priced = [self._priced(draft, turn.session.cwd) for draft in drafts]
        self._store.record(turn, priced, at_ms=now_ms)
        self._summarise(turn.session.id, summarise)

    def _summarise(self, session_id: int, summarise: Callable[[Digest], SummaryDraft]) -> None:
        summary = summarise(self._store.digest(session_id))
        if summary.request:
            priced = replace(summary, read_tokens=price_summary(summary))
            self._store.put_summary(session_id, priced)

    def _priced(self, draft: Draft, cwd: str) -> Draft:
        marks = tuple(
            _hashed(mark, cwd) if at < _MAX_HASHED_FILES else mark
            for at, mark in enumerate(draft.files_changed)
        )
        marked = replace(draft, files_changed=marks)
        return replace(marked, read_tokens=price_observation(marked))

    def import_sessions(self, host: str, path: Path | None) -> Iterator[dict[str, Any]]:
        """Progress lines ``{"done", "total"}``, then ``{"result": ...}``: what this run added."""
        files = find_transcripts(host, path)
        before = self._store.counts()
        total: dict[str, Any] = {
            "files": len(files),
            "sessions": 0,
            "prompts": 0,
            "tool_uses_seen": 0,
            "tool_uses_stored": 0,
            "tool_uses_known": 0,
            "tool_uses_skipped": 0,
            "skipped_reasons": {},
            "observations": 0,
            "bad_lines": 0,
        }
        for done, file in enumerate(files, 1):
            count = self._intake.take_transcript(host, file, from_offset=False)
            total["prompts"] += count.prompts
            total["tool_uses_seen"] += count.tool_uses_seen
            total["tool_uses_stored"] += count.tool_uses_stored
            total["tool_uses_known"] += count.tool_uses_known
            total["bad_lines"] += count.bad_lines
            for reason, number in count.skipped.items():
                total["tool_uses_skipped"] += number
                reasons = total["skipped_reasons"]
                reasons[reason] = reasons.get(reason, 0) + number
            yield {"done": done, "total": len(files)}
        self.mirror_plans()
        self.observe()
        self._submit(self.embed)
        after = self._store.counts()  # whoever observed them, they came with this run
        total["observations"] = after.observations - before.observations
        total["sessions"] = after.sessions - before.sessions
        yield {"result": total}


def _has_plan(taken: Taken) -> bool:
    return any(isinstance(event, ToolUsed) and event.tool in PLANNERS for event in taken.events)


def _hashed(mark: FileMark, cwd: str) -> FileMark:
    """The file as it is now; unhashed where it cannot be read or is too large."""
    path = Path(cwd, mark.path)
    try:
        if not path.is_file() or path.stat().st_size > _MAX_HASHED_BYTES:
            return mark
        return replace(mark, sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    except OSError:
        return mark


def now_ms() -> int:
    return time.time_ns() // 1_000_000
