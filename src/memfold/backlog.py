"""What is left to do after a hook was answered: spool, transcript, turns to observe, old evidence.

One thread does it, in order. All of it is a query over what is stored or lies in the spool, so
a crash at any moment loses nothing: the next daemon finds the same work.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLong
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfold.capture import spool
from memfold.capture.intake import Intake, Taken
from memfold.capture.transcripts.find import READERS, find_transcripts, reader_of
from memfold.errors import BadPayload, InvalidInput, MemfoldError, StoreError
from memfold.observing import Observing
from memfold.records import ToolUsed
from memfold.retention import EvidenceRetention
from memfold.store.ports import Store
from memfold.workstate.lists import MIRRORS
from memfold.workstate.mirror import mirrored_rows
from memfold.workstate.plan import Plan, plan_of

if TYPE_CHECKING:
    from memfold.observe.model.worker import ModelWorker

log = logging.getLogger(__name__)
PLANNERS = {*MIRRORS, "TaskUpdate"}  # tools of the hosts that write to-do lists
AT_WORK_MS = 12 * 3600 * 1000  # a session that was heard of no earlier may still go on
_LOOKED_BACK_MS = 7 * 24 * 3600 * 1000  # sessions whose transcripts are looked at for more
_LOOKED_AT = 50  # such sessions at most, the last heard first
_HEARD = 4_096  # sessions that are remembered as heard of
_EMBEDDED_AT_ONCE = 64  # entries; hooks and turns need not wait for the rest


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
        model: ModelWorker | None = None,
    ) -> None:
        """``observed``: told when turns were observed, and memory shows more than before.

        ``model``: shown the turns of which the built-in observer made too little.
        """
        self._model = model
        self._spool = home / "spool"
        self._store = store
        self._intake = intake
        self._clock = clock
        self._mirror = mirror
        self._retention = retention
        self._observed = observed
        self._observing = Observing(store, clock, model)  # an import observes too
        self._mirroring = threading.Lock()  # and mirrors
        self._heard: set[tuple[str, str]] = set()  # by this daemon
        self._looking_back = threading.Lock()  # held from the asking until the look begins
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="memfold-backlog")
        # Of its own, so that no session waits at its start for what others left behind.
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="memfold-reader")

    def start(self, finish: Callable[[], None] = lambda: None) -> None:
        """Take up what an earlier daemon left; ``finish`` ends what it was at, first."""
        if self._model is not None:
            self._model.start()
        self._submit(finish)
        self._submit(self._drain)
        self._submit(self.mirror_plans)
        self._submit(self.observe)
        self._submit(self.summarise_missing)
        self._submit(self.embed)
        self._look_back()

    def after(self, taken: Taken) -> None:
        """Everything that one answered hook makes possible; returns at once."""
        if self._may_have_missed(taken):
            self._submit(self._catch_up, taken)
        if taken.wants_context:
            self._look_back()
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

    def later(self, work: Callable[..., object], *args: object) -> None:
        """Do something else of this kind behind what was submitted so far; returns at once."""
        self._submit(work, *args)

    def take_in(self) -> None:
        """All that waits in the spool is stored when this returns. Raises StoreError."""
        try:
            self._pool.submit(self._drain).result()
        except RuntimeError as error:
            raise StoreError("memfold is ending.", "Run the command again.") from error

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Nothing is observed and no plan is mirrored meanwhile."""
        with self._observing.lock, self._mirroring:
            yield

    def summarise_missing(self) -> None:
        """Sessions whose summary is lost, or older than what they taught, get one anew."""
        self._observing.summarise_missing()

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
        if self._model is not None:
            self._model.close()
        self._reader.shutdown(wait=True, cancel_futures=True)
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _submit(
        self,
        work: Callable[..., object],
        *args: object,
        pool: ThreadPoolExecutor | None = None,
    ) -> None:
        def guarded() -> None:
            try:
                work(*args)
            except MemfoldError as error:
                log.warning("%s: %s", work.__name__, error.code)
            except Exception:
                log.exception("%s failed", work.__name__)

        try:
            (pool or self._pool).submit(guarded)
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
            if self._may_have_missed(taken):
                self._catch_up(taken)

    def _may_have_missed(self, taken: Taken) -> bool:
        """Whether to read the transcript: the turn ends, or the session is new to this daemon.

        What happened while no daemon ran is in the transcript, if no hook kept it.
        """
        key = (taken.host, taken.session)
        if not taken.transcript or (key in self._heard and not taken.ends_turn):
            return False
        if len(self._heard) >= _HEARD:
            self._heard.clear()  # costs one look at each transcript
        self._heard.add(key)
        return True

    def _look_back(self) -> None:
        """Sessions that no event came from any more are read on where capture stopped."""
        if self._looking_back.acquire(blocking=False):  # else a look is about to begin
            self._submit(self._read_on, pool=self._reader)

    def _read_on(self) -> None:
        self._looking_back.release()
        since_ms = self._clock() - _LOOKED_BACK_MS
        read = 0
        for session in self._store.recent_transcripts(since_ms, _LOOKED_AT):
            path = Path(session.transcript)
            if session.host in READERS and self._intake.is_behind(path):
                self._intake.take_transcript(session.host, path, from_offset=True)
                read += 1
        if read:
            self._submit(self.mirror_plans)
            self._submit(self.observe)
            self._submit(self.embed)

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
        if self._observing.all_waiting():
            self._observed()

    def observing(self) -> threading.Lock:
        """Held while turns are observed."""
        return self._observing.lock

    def _retire(self) -> None:
        # Step by step, so that what comes meanwhile is looked at in between.
        if self._retention is not None and self._retention.step():
            self._submit(self._retire)

    def embed(self) -> None:
        """Give vectors to some entries that lack them, and come back for the others."""
        if self._store.embed_waiting(_EMBEDDED_AT_ONCE) == _EMBEDDED_AT_ONCE:
            self._submit(self.embed)

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
            "unreadable": 0,
            "placed": 0,
        }
        for done, file in enumerate(files, 1):
            count = self._intake.take_transcript(host, file, from_offset=False)
            total["prompts"] += count.prompts
            total["tool_uses_seen"] += count.tool_uses_seen
            total["tool_uses_stored"] += count.tool_uses_stored
            total["tool_uses_known"] += count.tool_uses_known
            total["bad_lines"] += count.bad_lines
            total["unreadable"] += count.unreadable
            total["placed"] += count.placed
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

    def follow(self, host: str, path: Path) -> dict[str, Any]:
        """What was appended to a session file since the last look, taken in; what that added.

        Raises InvalidInput where there is no reader for the host or no such file.
        """
        reader_of(host)
        if not path.is_file():
            raise InvalidInput(f"{path} is not a file.", "Name a session file.")
        count = self._intake.take_transcript(host, path, from_offset=True)
        if count.prompts or count.replies or count.tool_uses_stored:
            self._submit(self.mirror_plans)
            self._submit(self.observe)
            self._submit(self.embed)
        return {
            "host": host,
            "path": str(path),
            "prompts": count.prompts,
            "tool_uses_stored": count.tool_uses_stored,
            "replies": count.replies,
            "bad_lines": count.bad_lines,
            "unreadable": count.unreadable,
        }


def _has_plan(taken: Taken) -> bool:
    return any(isinstance(event, ToolUsed) and event.tool in PLANNERS for event in taken.events)


def now_ms() -> int:
    return time.time_ns() // 1_000_000
