"""Killed at any moment while it forgets, memory has all of it or nothing, and the end is nothing.

Seeded: MEMFOLD_KILL_SEED chooses other moments.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import time
from pathlib import Path

import pytest
from aged_memory import grow_old
from running import BOUND_S, Running, running

from memfold import wire
from memfold.backlog import now_ms
from memfold.store.sqlite.store import SqliteStore

SEED = int(os.environ.get("MEMFOLD_KILL_SEED", "20261202"))
KILLS = int(os.environ.get("MEMFOLD_KILL_FORGETTING", "3"))
USES = 30
WISH = json.dumps({"text": "toolu"}).encode()


@pytest.mark.timeout(300)
def test_killed_while_it_forgets_all_or_nothing_is_gone(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    before = now_ms() - 1_000_000
    for number in range(KILLS):
        with running(tmp_path / f"home{number}") as here:
            days = [before - ago * 1_000_000 for ago in range(10)]
            total = grow_old(here.home, tmp_path / "work", days, USES)
            here.start()
            _kill_while_it_forgets(here, chance)
            store = SqliteStore.open(here.home / wire.DATABASE)
            left = store.counts().tool_uses
            unswept = store.is_unswept()
            store.close()
            assert left in {0, total}
            here.start()
            if left:
                here.ask("POST", "/forget", WISH)
            here.ask("POST", "/forget", b'{"text": "toolu", "dry_run": true}')  # waits for a sweep
            here.end()
            store = SqliteStore.open(here.home / wire.DATABASE)
            assert store.counts().tool_uses == 0
            assert not store.is_unswept()
            assert store.counts().prompts == len(days)
            store.close()
            for path in here.home.rglob("*"):
                if path.is_file():
                    assert b"toolu" not in path.read_bytes(), (path.name, left, unswept)


def _kill_while_it_forgets(here: Running, chance: random.Random) -> None:
    """SIGKILL some time after the wish was sent."""
    pid = here.pid()
    peer = wire.send("POST", "/forget", WISH, folder=str(here.home), timeout_s=BOUND_S)
    with contextlib.closing(peer):
        heard = b""
        while b'"removing"' not in heard:
            part = peer.recv(4_096)
            assert part, heard
            heard += part
        time.sleep(chance.choice((0.0, 0.005, 0.02, 0.04, 0.08)))  # which moment, not how long
        os.kill(pid, signal.SIGKILL)
    until = time.monotonic() + BOUND_S
    while here.answers() and time.monotonic() < until:
        time.sleep(0.005)
