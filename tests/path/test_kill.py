"""Nothing that a hook acknowledged or spooled is lost or doubled, whenever the daemon is killed.

spec/00 promise 2. Seeded: MEMFOLD_KILL_SEED chooses other moments.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest
from running import BOUND_S, Running, bell, running, tool_use

from memfold.hosts import quick
from memfold.store.sqlite.store import SqliteStore

EVENTS = int(os.environ.get("MEMFOLD_KILL_EVENTS", "2000"))
KILLS = int(os.environ.get("MEMFOLD_KILL_KILLS", "200"))
SEED = int(os.environ.get("MEMFOLD_KILL_SEED", "20261201"))
SENDERS = 3
WAYS = ("", quick.perl())  # every other event by the quick hook, where there is one


@pytest.mark.timeout(1_500)
def test_killed_at_random_moments_every_event_is_stored_once(tmp_path: Path) -> None:
    with running(tmp_path / "home") as here:
        here.start()
        sending = Sending(here, tmp_path)
        killer = Killer(here, sending)
        killer.start()
        for sender in sending.senders:
            sender.start()
        for sender in sending.senders:
            sender.join()
        sending.over.set()
        killer.join()
        here.start()
        here.settled(EVENTS)
        here.end()
        assert sending.refused == []
        assert killer.kills == KILLS
        stored = _keys(here)
        assert len(stored) == EVENTS
        assert set(stored) == {f"toolu_{number:06d}" for number in range(EVENTS)}
        assert sending.spooled > 0, "no event met a dead daemon: the test proves nothing"
        assert sending.spooled < EVENTS, "no event met a living daemon: the test proves nothing"


class Sending:
    """Hooks from several agents at once, each a process of its own."""

    def __init__(self, here: Running, folder: Path) -> None:
        self.here = here
        self.folder = folder
        self.sent = 0
        self.refused: list[int] = []
        self.spooled = 0  # events seen waiting in the spool
        self.over = threading.Event()
        self._next = iter(range(EVENTS))
        self._lock = threading.Lock()
        self.senders = [threading.Thread(target=self._send, args=(n,)) for n in range(SENDERS)]

    def _send(self, sender: int) -> None:
        file = self.folder / f"payload-{sender}.json"
        while True:
            with self._lock:
                number = next(self._next, None)
            if number is None:
                return
            file.write_bytes(_payload(number, self.folder, sender))
            status = _ring(self.here, file, WAYS[number % 2])
            with self._lock:
                self.sent += 1
                if status:
                    self.refused.append(number)


class Killer(threading.Thread):
    """Kills the daemon at moments spread over all that is sent."""

    def __init__(self, here: Running, sending: Sending) -> None:
        super().__init__()
        self._here = here
        self._sending = sending
        self._chance = random.Random(SEED)
        self.kills = 0

    def run(self) -> None:
        moments = sorted(self._chance.uniform(0, EVENTS * 0.98) for _ in range(KILLS))
        for moment in moments:
            while self._sending.sent < moment and not self._sending.over.is_set():
                time.sleep(0.002)
            self._kill_one(self._chance.uniform(0, 0.05))

    def _kill_one(self, delay_s: float) -> None:
        until = time.monotonic() + BOUND_S
        while time.monotonic() < until:
            pid = _daemon_pid(self._here)
            if pid:
                time.sleep(delay_s)
                self._sending.spooled += len(self._here.spooled())
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    self.kills += 1
                    return
            elif self._sending.over.is_set():
                self._here.start()
            time.sleep(0.005)


def _daemon_pid(here: Running) -> int:
    """Who holds the daemon's lock, from the kernel's table; 0 for nobody."""
    try:
        inode = (here.home / "daemon.lock").stat().st_ino
        table = Path("/proc/locks").read_text("ascii")
    except OSError:
        return here.pid() if here.answers() else 0
    for line in table.splitlines():
        words = line.split()
        if words[1] == "FLOCK" and words[5].rsplit(":", 1)[-1] == str(inode):
            return int(words[4])
    return 0


def _payload(number: int, folder: Path, sender: int) -> bytes:

    return json.dumps(tool_use(number, folder, session=f"agent-{sender}")).encode()


def _ring(here: Running, file: Path, perl: str) -> int:
    command = bell("claude-code", perl=perl)
    actions = [(os.POSIX_SPAWN_OPEN, 0, str(file), os.O_RDONLY, 0)]
    child = os.posix_spawn(command[0], command, here.env(), file_actions=actions)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _keys(here: Running) -> list[str]:
    store = SqliteStore.open(here.home / "memfold.db")
    try:
        ids = range(1, store.counts().tool_uses + 50)
        return [use.key for use in store.tool_uses(ids, None)]
    finally:
        store.close()
