"""Where no more hooks fit in, their events end in the spool, and none is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import Running, running, tool_use

from memfold import wire
from memfold.store.sqlite.store import SqliteStore

FULL = wire.MAX_BODY_BYTES  # one payload of this size leaves room for no other


@pytest.mark.timeout(90)
def test_events_that_find_the_house_full_come_in_later_in_their_order(tmp_path: Path) -> None:
    """Back-pressure rather than growth: a payload that is still on its way fills the house."""
    with running(tmp_path / "home") as here:
        here.start()
        holder = wire.connect(str(here.home), 30.0)
        head = f"POST /hook/claude-code HTTP/1.1\r\nHost: memfold\r\nContent-Length: {FULL}\r\n\r\n"
        holder.sendall(head.encode() + b"{")
        full_from_now_on(here, tmp_path)
        for number in range(1, 7):
            done = here.hook(tool_use(number, tmp_path, session=f"agent-{number % 2}"))
            assert (done.returncode, done.stdout) == (0, b"")
        assert len(here.spooled()) == 7
        holder.close()
        here.settled(7)
        store = SqliteStore.open(here.home / "memfold.db")
        uses = [use for use in store.tool_uses(range(1, 20), None) if use.key != "first"]
        store.close()
    assert [use.key for use in uses] == [f"toolu_{number:06d}" for number in range(1, 7)]
    assert [use.at_ms for use in uses] == sorted(use.at_ms for use in uses)


def full_from_now_on(here: Running, folder: Path) -> None:
    """The daemon has seen the large one when it sends a small one away."""
    body = tool_use(0, folder, session="agent-0", tool_use_id="first")
    for _ in range(200):
        before = len(here.spooled())
        assert here.hook(body).returncode == 0
        if len(here.spooled()) > before:
            return
    pytest.fail("a full house let everybody in")


def test_a_busy_answer_says_what_to_do(tmp_path: Path) -> None:
    """Source: http hooks get it too; the host ignores it, and the transcript has the event."""
    with running(tmp_path / "home") as here:
        here.start()
        holder = wire.connect(str(here.home), 30.0)
        head = f"POST /hook/claude-code HTTP/1.1\r\nHost: memfold\r\nContent-Length: {FULL}\r\n\r\n"
        holder.sendall(head.encode())
        body = json.dumps(tool_use(1, tmp_path)).encode()
        for _ in range(200):
            status, answer = wire.request(
                "POST", "/hook/claude-code", body, folder=str(here.home), timeout_s=30.0
            )
            if status != 200:
                break
        holder.close()
    assert status == 503
    assert json.loads(answer)["error"]["code"] == "busy"
