"""`memfold import git` and `import claude-mem` as a person types them, over a real daemon."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from claude_mem_database import usual
from repositories import Repository
from running import BOUND_S, Running, running, session_start
from terminal import Terminal

from memfold import wire
from memfold.store.sqlite.store import SqliteStore

SEED = int(os.environ.get("MEMFOLD_KILL_SEED", "20261204"))


class Person(Terminal):
    def __init__(self, here: Running, repo: Repository) -> None:
        super().__init__(here, repo.place)
        self.repo = repo

    def call(self, tool: str, **args: Any) -> dict[str, Any]:
        done = self.run("call", tool, json.dumps(args), "--json")
        reply: dict[str, Any] = json.loads(done.stdout)
        return reply


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    with running(tmp_path / "home") as here:
        yield Person(here, Repository(tmp_path / "app"))


def test_history_from_the_import_to_the_change_itself(person: Person) -> None:
    repo = person.repo
    repo.commit("feat(pool): give connections back (#7)\n\nThey leaked.", pool_py="limit = 5\n")
    repo.commit("wip")
    said = person.said("import", "git")
    assert said == "app: 2 commits, 1 new observation\n1 commit left out: work in progress\n"
    assert person.said("import", "git", ".") == (
        "app: 2 commits, 0 new observations\n2 commits known before\n"
    )
    assert "◆ pool: give connections back" in person.said("context")
    (entry,) = person.call("mem_search", query="connections")["entries"]
    text = person.call("get_tool_uses", observation_ids=[entry["id"]])["text"]
    assert "They leaked." in text
    assert "+limit = 5" in text
    result = json.loads(person.said("import", "git", "--since", "1d", "--limit", "5", "--json"))
    assert result["commits"] == 0
    for wrong in (("--since", "yesterday-ish"), ("/no/such/place",)):
        done = person.run("import", "git", *wrong)
        assert done.returncode == 1
        assert done.stderr.startswith("memfold: ")
        assert "Traceback" not in done.stderr


def test_a_session_that_starts_brings_new_commits_once_history_was_imported(
    person: Person,
) -> None:
    repo = person.repo
    repo.commit("The pool has a limit")
    person.here.start()
    person.here.hook(session_start(repo.place))
    assert "The pool has a limit" not in person.said("context")
    person.said("import", "git")
    repo.commit("The pool says when it is full")
    person.here.hook(session_start(repo.place, "s2"))
    until = time.monotonic() + BOUND_S
    while "The pool says when it is full" not in person.said("context"):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_claude_mem_from_the_import_to_its_old_ids(person: Person, tmp_path: Path) -> None:
    path = usual(tmp_path / "cm.db").close()
    lines = person.said("import", "claude-mem", str(path)).splitlines()
    assert lines[0] == "2 sessions; ids begin with cm"
    assert lines[2].split() == ["observations", "6", "6", "0", "0"]
    assert json.loads(person.said("import", "claude-mem", str(path), "--json"))["sessions"] == 2
    text = person.call("get_observations", ids=["cm4", "cmS2", "[cmP1]"], project="app")["text"]
    assert "Pool 1 part 0 is given back on errors" in text
    assert "Find leak 1" in text
    assert "why does pool 0 leak" in text
    text = person.call("get_tool_uses", observation_ids=["cm1"])["text"]
    assert "the text of it" in text
    why = json.loads(person.said("why", "cm4", "--project", "app", "--json"))
    assert why["title"] == "Pool 1 part 0 is given back on errors"
    assert json.loads(person.said("pin", "cm4", "--project", "app", "--json"))["id"] == why["id"]
    assert person.call("work_state_read")["text"].count("ship") == 1


def test_an_old_id_chooses_only_what_was_listed(person: Person, tmp_path: Path) -> None:
    person.said("import", "claude-mem", str(usual(tmp_path / "cm.db").close()))
    step = person.call("mem_search", query="pool 0 part 0 given back", limit=1)
    own = {entry["id"] for entry in step["entries"]}
    listed = next(f"cm{n}" for n in range(1, 7) if _stands_for(person, f"cm{n}") in own)
    other = next(f"cm{n}" for n in range(1, 7) if f"cm{n}" != listed)
    refused = person.call("mem_search", continuation=step["cursor"], selectedIds=[other])
    assert refused["error"] == "invalid_selection"
    chosen = person.call("mem_search", continuation=step["cursor"], selectedIds=[listed])
    assert own <= {entry["id"] for entry in chosen["entries"]}
    unknown = person.call("get_observations", ids=["cm999"])
    assert unknown["error"] == "invalid_input"


def _stands_for(person: Person, alias: str) -> str:
    (entry,) = person.call("get_observations", ids=[alias], project="app")["entries"]
    return str(entry["id"])


def test_what_is_no_database_is_refused(person: Person, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("no database " * 500)
    for wrong in (str(file), str(tmp_path / "gone.db"), str(tmp_path)):
        done = person.run("import", "claude-mem", wrong)
        assert done.returncode == 1
        assert wrong in done.stderr
        assert "Traceback" not in done.stderr


def test_killed_while_it_takes_over_the_next_import_goes_on(tmp_path: Path) -> None:
    """Every entry once, each with its alias, wherever the kill fell."""
    chance = random.Random(SEED)
    path = usual(tmp_path / "cm.db", sessions=40, observations=3).close()
    with running(tmp_path / "home") as here:
        for _ in range(2):
            here.start()
            _kill_on_the_way(here, path, chance)
        here.start()
        told = [json.loads(one) for one in _import(here, path).splitlines()]
        tables = {one["table"]: one for one in told[-1]["result"]["tables"]}
        assert 0 < tables["observations"]["new"] < 120, "no kill met a run under way"
        assert all(one["new"] + one["known"] == one["rows"] for one in tables.values())
    store = SqliteStore.open(tmp_path / "home" / wire.DATABASE)
    try:
        counts = store.counts()
        assert (counts.observations, counts.tool_uses, counts.prompts) == (120, 120, 40)
        assert counts.waiting == 0
        assert len({store.entry_of_alias(1, "observation", n) for n in range(1, 121)}) == 120
    finally:
        store.close()


def _import(here: Running, path: Path) -> str:
    body = json.dumps({"path": str(path)}).encode()
    return here.ask("POST", "/import/claude-mem", body).decode()


def _kill_on_the_way(here: Running, path: Path, chance: random.Random) -> None:
    pid = here.pid()
    body = json.dumps({"path": str(path)}).encode()
    peer = wire.send("POST", "/import/claude-mem", body, folder=str(here.home), timeout_s=BOUND_S)
    try:
        heard, lines = b"", chance.randint(1, 15)
        while heard.count(b'"done"') < lines:
            part = peer.recv(4_096)
            if not part:
                break
            heard += part
    finally:
        os.kill(pid, signal.SIGKILL)
        peer.close()
    while here.answers():
        time.sleep(0.01)
