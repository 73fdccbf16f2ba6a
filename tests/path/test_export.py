"""`memfold export` and `memfold import memfold`, with real daemons."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from running import BOUND_S, Running, running, tool_use
from terminal import Terminal

from memfold import wire


@pytest.fixture
def first(tmp_path: Path) -> Iterator[Terminal]:
    cwd = tmp_path / "work"
    cwd.mkdir()
    with running(tmp_path / "home") as here:
        here.start()
        yield Terminal(here, cwd)


@pytest.fixture
def second(tmp_path: Path) -> Iterator[Terminal]:
    with running(tmp_path / "home2") as here:
        here.start()
        yield Terminal(here, tmp_path / "work")


def work(person: Terminal, session: str, numbers: range) -> None:
    for number in numbers:
        person.here.hook(tool_use(number, person.cwd, session))
    person.here.hook(
        {"session_id": session, "cwd": str(person.cwd), "hook_event_name": "Stop",
         "transcript_path": "", "last_assistant_message": f"The cause was a leak in {session}."}
    )  # fmt: skip
    person.here.settled(len(numbers))


def test_another_machine_knows_what_this_one_did(
    first: Terminal, second: Terminal, tmp_path: Path
) -> None:
    work(first, "s1", range(3))
    first.said("call", "work_state_write", '{"list": "plan", "items": [{"task": "one"}]}')
    file = tmp_path / "memory.jsonl.zst"
    told = json.loads(first.said("export", str(file), "--json"))
    assert told["tables"]["tool_uses"] == 3
    lines = zstandard.ZstdDecompressor().stream_reader(file.read_bytes()).read().splitlines()
    assert json.loads(lines[0])[0] == "memfold"
    assert json.loads(lines[-1]) == ["end", {"lines": told["lines"]}]
    table = second.said("import", "memfold", str(file))
    assert any(line.split() == ["tool", "uses", "3", "0", "0"] for line in table.splitlines())
    assert second.here.status()["tool_uses"] == 3
    assert "one" in second.said("call", "work_state_read", '{"list": "plan"}')
    again = json.loads(second.said("import", "memfold", str(file), "--json"))
    assert again["new"] == {}
    second.said("export", str(tmp_path / "back.jsonl.zst"))
    assert (tmp_path / "back.jsonl.zst").read_bytes() == file.read_bytes()
    assert "is there already" in first.run("export", str(file)).stderr
    file.write_bytes(file.read_bytes()[:-30])
    cut = second.run("import", "memfold", str(file))
    assert cut.returncode == 1
    assert "export again" in cut.stderr


def test_killed_in_the_middle_the_next_run_ends_it(
    first: Terminal, second: Terminal, tmp_path: Path
) -> None:
    source, target = first.here, second.here
    store_many(source, 3_000)
    source.start()
    file = tmp_path / "memory.jsonl.zst"
    first.said("export", str(file))
    body = json.dumps({"path": str(file)}).encode()
    pid = target.pid()
    peer = wire.send("POST", "/import-memfold", body, folder=str(target.home), timeout_s=BOUND_S)
    with contextlib.closing(peer):
        heard = b""
        while b'"done"' not in heard:
            part = peer.recv(4_096)
            assert part, heard
            heard += part
        os.kill(pid, signal.SIGKILL)
    target.start()
    assert target.status()["tool_uses"] < 3_000
    told: dict[str, Any] = json.loads(second.said("import", "memfold", str(file), "--json"))
    assert told["renumbered"] == {}
    assert target.status()["tool_uses"] == 3_000
    second.said("export", str(tmp_path / "back.jsonl.zst"))
    assert (tmp_path / "back.jsonl.zst").read_bytes() == file.read_bytes()


def store_many(here: Running, number: int) -> None:
    """Tool uses that were observed and taught nothing, as fast as a store takes them."""
    from memfold.records import Alias, PromptGiven, ToolUsed
    from memfold.store.sqlite.store import SqliteStore

    here.end()
    store = SqliteStore.open(here.home / wire.DATABASE)
    project = store.create("app", [Alias("directory", "/code/app")]).id
    common: dict[str, Any] = {"host": "claude-code", "session": "many", "cwd": "/code/app"}
    events: list[Any] = [PromptGiven(**common, at_ms=1, text="go")]
    events += [
        ToolUsed(
            **common, at_ms=2 + at, key=f"k{at}", tool="Read", input={"at": at}, response="x" * 900
        )
        for at in range(number)
    ]
    store.ingest(project, events)
    while (turn := store.next_turn(idle_before_ms=1 << 60)) is not None:
        store.record(turn, [], at_ms=9)
    store.close()
