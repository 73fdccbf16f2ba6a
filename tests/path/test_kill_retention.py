"""Killed at any moment while evidence retires, a store has lost nothing but what was to go.

spec/00 promise 2. Seeded: MEMFOLD_KILL_SEED chooses other moments.
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
from aged_memory import DAY_MS, day_of_work, grow_old
from running import BOUND_S, Running, running

from memfold import wire
from memfold.backlog import now_ms
from memfold.store.sqlite.store import SqliteStore

SEED = int(os.environ.get("MEMFOLD_KILL_SEED", "20261203"))
KILLS = int(os.environ.get("MEMFOLD_KILL_RETIRING", "8"))
NOW = now_ms()
OLD = [NOW - ago * DAY_MS for ago in range(150, 120, -1)]
YOUNG = [NOW - ago * DAY_MS for ago in (3, 2, 1)]
USES = 100  # a day


@pytest.mark.timeout(600)
def test_killed_while_it_retires_only_old_evidence_is_gone(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    with running(tmp_path / "home") as here:
        cwd = tmp_path / "work"
        total = grow_old(here.home, cwd, [*OLD, *YOUNG], USES)
        kept: list[int] = [total]
        for _ in range(KILLS):
            here.start()
            _kill_while_it_retires(here, chance)
            kept.append(_checked(here, total))
        here.start()
        here.ask("POST", "/gc", b"{}")
        here.end()
        assert _checked(here, total) == len(YOUNG) * USES
        assert any(len(YOUNG) * USES < left < total for left in kept), (
            f"no kill met a run under way: the test proves nothing ({kept})"
        )


def _kill_while_it_retires(here: Running, chance: random.Random) -> None:
    """SIGKILL some time after one of the first batches was told."""
    pid = here.pid()
    peer = wire.send("POST", "/gc", b"{}", folder=str(here.home), timeout_s=BOUND_S)
    try:
        batches, heard = chance.randint(0, 2), b""
        while heard.count(b'"done"') < batches and b'"result"' not in heard:
            part = peer.recv(4_096)
            if not part:
                break
            heard += part
        time.sleep(chance.uniform(0, 0.02))
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        while here.answers():
            time.sleep(0.005)
    finally:
        peer.close()


def _checked(here: Running, total: int) -> int:
    """Tool uses that are left, after everything was looked at."""
    store = SqliteStore.open(here.home / wire.DATABASE)
    try:
        assert store.health()["trouble"] == ""
        counts = store.counts()
        assert (counts.observations, counts.sessions) == (total, len(OLD) + len(YOUNG))
        found = store.tool_uses(range(1, total + 50), None)
        keys = {use.key for use in found}
        assert {f"toolu-{at}-{n}" for at in YOUNG for n in range(USES)} <= keys
        details = store.details([("observation", n, 1) for n in range(1, total + 1)])
        assert len(details) == total
        for one in details:
            told = (len(one.evidence), one.evidence_retired)
            assert told == ((1, 0) if one.entry.title.split()[1] in keys else (0, 1))
        for number, at_ms in enumerate([*OLD, *YOUNG], 1):
            digest = store.digest(number)
            assert [p.text for p in digest.prompts] == [f"prompt of {at_ms}"]
            assert [r.text for r in digest.replies] == [f"reply of {at_ms}"]
            # Each tool use is there or known to be retired: never neither.
            again = store.ingest(1, day_of_work(at_ms, USES))
            assert (again.tool_uses, again.prompts, again.replies) == (0, 0, 0)
        return counts.tool_uses
    finally:
        store.close()


def test_the_lines_of_a_run_are_json(tmp_path: Path) -> None:
    """What the test above reads of them."""
    with running(tmp_path / "home") as here:
        grow_old(here.home, tmp_path / "work", [OLD[0], NOW], 2)
        here.start()
        lines = [json.loads(line) for line in here.ask("POST", "/gc", b"{}").splitlines()]
        assert lines[0] == {"done": 2, "total": 2}
        assert lines[1]["result"]["tool_uses"] == 2
