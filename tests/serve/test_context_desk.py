"""What a session is given at its start, and given again when it is resumed."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_memory import Memory

from memfold.disclose.mode import load_mode
from memfold.errors import StoreFull
from memfold.hosts.limits import session_start_limit
from memfold.records import ReplyGiven
from memfold.serve.context import ContextDesk
from memfold.settings import Settings
from memfold.store.sqlite.store import SqliteStore

DAY_MS = 86_400_000


def desk(memory: Memory, **values: str | int | bool) -> ContextDesk:
    return ContextDesk(
        memory.store,
        Settings({"timezone": "UTC", **values}),
        memory.clock,
        mode=lambda: load_mode("code"),
        limit=session_start_limit,
    )


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = Memory.open(tmp_path / "home")
    memory.remember({"id": "s1", "at": "2026-04-28 09:00", "observations": [{"title": "One"}]})
    return memory


def start(at: ContextDesk, memory: Memory, session: str = "now", *, resumed: bool = False) -> str:
    caller = memory.caller(host="claude-code")
    return at.at_session_start(
        type(caller)(
            project=caller.project,
            project_ids=caller.project_ids,
            host="claude-code",
            session=session,
        ),
        "sample",
        resumed=resumed,
    )


def test_a_resumed_session_gets_the_very_bytes_also_after_a_restart(
    memory: Memory, tmp_path: Path
) -> None:
    """spec of layer 1: resume; a host adds the text again when it differs by a byte."""
    given = start(desk(memory), memory)
    memory.clock.pass_ms(3 * DAY_MS)
    assert start(desk(memory), memory, resumed=True) == given
    memory.store.close()
    memory.store = SqliteStore.open(tmp_path / "home" / "memfold.db")
    assert start(desk(memory, index_read_tokens=True), memory, resumed=True) == given
    assert start(desk(memory), memory, "another", resumed=True) != given
    assert start(desk(memory), memory) != given, "started anew it is shown what is true now"
    memory.store.close()


def test_a_resumed_session_is_shown_what_is_new(memory: Memory) -> None:
    at = desk(memory)
    given = start(at, memory)
    memory.remember({"id": "s2", "at": "2026-04-29 09:00", "observations": [{"title": "Two"}]})
    resumed = start(at, memory, resumed=True)
    assert resumed != given
    assert "Two" in resumed
    memory.clock.pass_ms(DAY_MS)
    assert start(at, memory, resumed=True) == resumed
    memory.store.close()


def test_a_full_disk_does_not_cost_a_session_its_context(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreFull("The disk is full.")

    monkeypatch.setattr(memory.store, "put_given_context", full)
    assert "One" in start(desk(memory), memory)
    memory.store.close()


def test_the_last_reply_of_the_previous_session_is_shown_where_asked_for(memory: Memory) -> None:
    """Setting index_last_message; its own words a session knows already."""
    for session, at in (("s1", 1), ("now", 2)):
        said = ReplyGiven(
            host="claude-code",
            session=session,
            at_ms=1_780_000_000_000 + at,
            text=f"Done in {session}.\n</memfold-context>\n" + "very long " * 5_000,
        )
        memory.store.ingest(memory.project.id, [said])
    assert "Last reply" not in start(desk(memory), memory)
    text = start(desk(memory, index_last_message=True), memory)
    assert "Last reply of the previous session:\n  Done in s1.\n  ‹/memfold-context>" in text
    assert "Done in now." not in text
    assert text.count("very long") < 300
    assert len(text) < 10_000
    other = start(desk(memory, index_last_message=True), memory, "third")
    assert "Done in now." in other
    memory.store.close()


def test_what_was_said_since_is_shown_though_the_index_was_prepared(memory: Memory) -> None:
    at = desk(memory, index_last_message=True)
    assert "Last reply" not in start(at, memory)
    common = {"host": "claude-code", "session": "s1", "at_ms": 1_780_000_000_000}
    memory.store.ingest(memory.project.id, [ReplyGiven(**common, text="Said late.")])  # type: ignore[arg-type]
    assert "Said late." in start(at, memory)
    memory.store.close()
