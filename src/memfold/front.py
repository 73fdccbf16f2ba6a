"""The house as the doors see it, and what to do while it cannot be opened.

A store that cannot be opened (written by a newer memfold, read-only, full) does not end the
daemon: hooks are refused and keep their events in the spool, and status says what is wrong.
"""

from __future__ import annotations

import logging
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from memfold import wire
from memfold.backlog import now_ms
from memfold.capture.intake import Taken
from memfold.errors import MemfoldError, MigrationFailed, StoreDamaged
from memfold.hosts.answers import session_start_answer
from memfold.house import House
from memfold.records import Caller, Entry, Project, ToolReply

log = logging.getLogger(__name__)
RETRY_S = 10.0  # how soon a store that could not be opened is tried again
LATER_S = 600.0  # what time alone does not mend: a damaged file, an upgrade that failed


class Front:
    """Implements serve.http.Rooms."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self.on_stop: Callable[[], None] = lambda: None  # set once there is a server to stop
        self.on_touch: Callable[[], None] = lambda: None  # something was captured
        self._house: House | None = None
        self._trouble: MemfoldError | None = None
        self._tried_at = 0.0
        self._lock = Lock()
        self._began = time.time()
        self.port = 0

    @property
    def house(self) -> House:
        """The house, opened on first use. Raises what keeps it shut."""
        if self._house is not None:
            return self._house
        with self._lock:
            return self._house or self._open()

    def _open(self) -> House:
        if self._trouble is not None:
            lasting = isinstance(self._trouble, (StoreDamaged, MigrationFailed))
            if time.monotonic() - self._tried_at < (LATER_S if lasting else RETRY_S):
                raise self._trouble
        self._tried_at = time.monotonic()
        try:
            house = House.open(self._home)
        except MemfoldError as error:
            log.warning("%s: %s", error.code, error)
            self._trouble = error
            raise
        self._trouble = None
        self._house = house
        house.backlog.start(house.forgetter.finish)
        return house

    def take_hook(self, host: str, body: bytes, at_ms: int) -> Taken:
        taken = self.house.intake.take_hook(host, body, at_ms)
        self.on_touch()
        return taken

    def settle(self, timeout_s: float) -> bool:
        return self.house.backlog.settle(timeout_s)

    def after(self, taken: Taken) -> None:
        self.house.backlog.after(taken)
        self.house.make_gate_ready(taken)
        self.house.take_new_commits(taken)

    def session_context(self, taken: Taken) -> str:
        """What the session's hook prints, in the host's form."""
        return session_start_answer(taken.host, self.house.session_context(taken))

    def context(self, cwd: str, host: str) -> str:
        self.house.backlog.settle(1.0)
        return self.house.context(cwd, host)

    def directory_index(self, folder: str) -> dict[str, Any]:
        self.house.backlog.settle(1.0)
        index = self.house.directory_index(folder)
        return {
            "text": index.text,
            "files": index.files,
            "observations": index.observations,
            "files_left_out": index.files_left_out,
        }

    def caller(self, *, cwd: str, host: str = "", session: str = "", project: str = "") -> Caller:
        return self.house.caller(cwd=cwd, host=host, session=session, project=project)

    def call(self, name: str, args: Mapping[str, Any], caller: Caller) -> ToolReply:
        return self.house.toolbox.call(name, args, caller)

    def import_sessions(self, host: str, path: str) -> Iterator[dict[str, Any]]:
        return self.house.backlog.import_sessions(host, Path(path) if path else None)

    def import_source(self, source: str, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        return self.house.import_source(source, given)

    def follow(self, host: str, path: str) -> dict[str, Any]:
        return self.house.backlog.follow(host, Path(path))

    def collect(self, days: int | None, *, dry_run: bool) -> Iterator[dict[str, Any]]:
        return self.house.retention.collect(days, dry_run=dry_run)

    def reobserve(
        self, since_ms: int, project: str, *, dry_run: bool, anew: bool
    ) -> Iterator[dict[str, Any]]:
        return self.house.reobserve(since_ms, project, dry_run=dry_run, anew=anew)

    def observer(self, calls: int) -> dict[str, Any]:
        return self.house.observer(calls)

    def gate(self, host: str, body: bytes, wanted: Callable[[], bool]) -> bytes:
        return self.house.gatekeeper.answer(host, body, wanted)

    def find_symbols(self, wish: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        from memfold.code.index.tool import told_symbols  # late: the parsers take 25 ms

        return told_symbols(self.house.symbols, wish)

    def gate_log(self, limit: int) -> dict[str, Any]:
        return self.house.gatekeeper.told_all(limit)

    def forget(self, wish: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        return self.house.forgetter.run(wish)

    def back_up(self, path: str) -> dict[str, Any]:
        from memfold.backing_up import back_up  # late: for a person's command alone

        target, made = back_up(self._home, self.house.store, path, now_ms())
        return {"path": str(target), "bytes": made.bytes, "schema": made.schema}

    def export(self, path: str) -> Iterator[dict[str, Any]]:
        from memfold.transfer import export_to  # late: as above

        return export_to(self.house.store, Path(path))

    def import_export(self, path: str) -> Iterator[dict[str, Any]]:
        return self.house.import_export(path)

    def verify(self, *, fix: bool) -> list[dict[str, Any]]:
        """Each project's lists against their log; ``fix`` makes again what differs."""
        return self.house.verify(fix=fix)

    def probe_from(self, nonce: str) -> str | None:
        return self.house.store.probe_from(nonce)

    def pin(self, given: str, cwd: str, project: str, *, on: bool) -> dict[str, Any]:
        return self.house.pin(given, cwd, project, on=on)

    def pins(self, cwd: str, project: str) -> list[Entry]:
        return self.house.pins(cwd, project)

    def why(self, given: str, cwd: str, project: str) -> dict[str, Any]:
        return self.house.why(given, cwd, project)

    def projects(self) -> list[dict[str, Any]]:
        return [
            {
                "id": row.project.id,
                "name": row.project.name,
                "sessions": row.sessions,
                "tool_uses": row.tool_uses,
                "observations": row.observations,
                "last_at": row.last_at_ms,
                "aliases": [{"kind": a.kind, "value": a.value} for a in row.aliases],
            }
            for row in self.house.store.all_projects()
        ]

    def merge(self, names: list[str], into: str) -> Project:
        return self.house.merge(names, into)

    def rename(self, name: str, to: str) -> Project:
        return self.house.rename(name, to)

    def status(self, *, check: bool = False) -> dict[str, Any]:
        """What runs, what is kept, what waits, and what is wrong."""
        said: dict[str, Any] = {
            "pid": os.getpid(),
            "version": wire.VERSION,
            "protocol": wire.PROTOCOL,
            "port": self.port,
            "uptime_s": round(time.time() - self._began, 1),
            "rss_bytes": rss_bytes(),
            "spooled": _spooled(self._home / wire.SPOOL),
            "trouble": "",
        }
        try:
            self._tell(said, check=check)
        except MemfoldError as error:
            said["trouble"] = str(error)
            said["database"] = {"trouble": str(error), "code": error.code}
        return said

    def _tell(self, said: dict[str, Any], *, check: bool) -> None:
        store = self.house.store
        if check:  # reads the whole file: for `doctor`, not for every look
            said["database"] = store.health()
        count = store.counts()
        self.look_at_spool()  # who asks wants to see it empty
        for name in (
            "projects", "sessions", "prompts", "tool_uses", "waiting", "observations", "summaries",
            "bytes_on_disk",
        ):  # fmt: skip
            said[name] = getattr(count, name)
        said["trouble"] = store.trouble()
        said["last_event"] = dict(count.last_event)
        gate = self.house.store.decision_counts(0)
        usable = self.house.mode()
        said["mode"] = {
            "set": self.house.settings.text("mode"),
            "id": usable.mode.id,
            "name": usable.mode.name,
            "trouble": usable.trouble,
        }
        said["gate"] = {
            "decisions": sum(one.count for one in gate),
            "blocks": sum(one.count for one in gate if one.kind == "block"),
            "saved_tokens": sum(one.saved_tokens for one in gate),
        }
        if self.house.settings.text("observer") != "builtin":
            said["observer"] = self.house.observer()
        said["semantic"] = store.embedder.name if store.embedder is not None else ""

    def look_at_spool(self) -> None:
        """Events that were kept while this daemon was busy starting are taken in."""
        if self._house is not None:
            self._house.backlog.look_at_spool()

    def sweep(self) -> None:
        """Turns in which nothing happens any more are looked at."""
        self.house.backlog.sweep()

    def stop(self) -> None:
        self.on_stop()

    def seen_version(self, version: str, protocol: str) -> None:
        """A newer hook or bridge: this daemon makes room, the next event starts the newer one."""
        newer = wire.numbers(version) > wire.numbers(wire.VERSION)
        if newer or (protocol.isdigit() and int(protocol) > wire.PROTOCOL):
            log.info("version %s is there; handing over", version)
            self.on_stop()

    def close(self) -> None:
        if self._house is not None:
            self._house.close()


def _spooled(folder: Path) -> int:
    return sum(1 for _ in folder.glob("*.evt")) if folder.is_dir() else 0


def rss_bytes() -> int:
    """Memory this process holds now; its peak where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
