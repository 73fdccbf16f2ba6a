"""`memfold gc` as a person types it, and the daily run of a real daemon's backlog."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aged_memory import DAY_MS, grow_old
from running import Running, running
from stores import Says
from terminal import Terminal

from memfold import wire
from memfold.backlog import now_ms
from memfold.house import House
from memfold.settings import Settings
from memfold.store.sqlite.store import SqliteStore

DAYS_AGO = (400, 100, 50, 1)
USES = 3


class Person(Terminal):
    """Somebody with months of work behind them, at a terminal."""

    def __init__(self, here: Running, cwd: Path) -> None:
        super().__init__(here, cwd)
        self.now = now_ms()
        grow_old(here.home, cwd, [self.now - ago * DAY_MS for ago in DAYS_AGO], USES)

    def data(self, *args: str) -> Any:
        return json.loads(self.said(*args, "--json"))


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    cwd = tmp_path / "work"
    cwd.mkdir()
    with running(tmp_path / "home") as here:
        yield Person(here, cwd)


def day(person: Person, ago: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime((person.now - ago * DAY_MS) / 1000))


def test_old_evidence_goes_and_the_rest_of_memory_stays(person: Person) -> None:
    would = person.said("gc", "--dry-run").splitlines()
    assert would[0].startswith("would retire: 6 tool uses, ")
    assert f"the oldest observed on {day(person, 400)} (90 days of evidence are kept" in would[0]
    assert would[1].startswith("  app: 6 tool uses, ")
    before = person.data("status")
    assert before["tool_uses"] == 12
    went = person.data("gc")
    assert (went["tool_uses"], went["days"], went["dry_run"]) == (6, 90, False)
    assert went["projects"] == [{"name": "app", "tool_uses": 6, "bytes": went["bytes"]}]
    after = person.data("status")
    assert after["tool_uses"] == 6
    for kept in ("sessions", "prompts", "observations", "summaries", "projects"):
        assert after[kept] == before[kept]
    assert person.said("gc").startswith("Nothing is old enough to go: 90 days of evidence are kept")


def test_an_observation_then_says_so(person: Person) -> None:
    wish = '{"observation_ids": [1]}'
    assert "observation 1" in person.said("call", "get_tool_uses", wish)
    person.said("gc")
    refused = person.run("call", "get_tool_uses", wish)
    assert refused.returncode == 1
    assert "1 tool use was retired by age" in refused.stderr
    assert "1 retired by age" in person.said("call", "get_observations", '{"ids": [1]}')


def test_days_may_be_given_and_nought_keeps_all(person: Person) -> None:
    assert person.said("gc", "--days", "0").startswith("--days is 0: evidence is kept for ever.")
    assert person.data("gc", "--days", "0")["tool_uses"] == 0
    assert person.data("gc", "--days", "20", "--dry-run")["tool_uses"] == 9
    assert person.data("gc", "--days", "20")["tool_uses"] == 9
    assert person.data("status")["tool_uses"] == 3


def test_the_setting_may_keep_all(person: Person) -> None:
    (person.here.home / "settings.toml").write_text("evidence_days = 0\n")
    text = person.said("gc")
    assert text == "evidence_days is 0: evidence is kept for ever. Nothing was retired.\n"
    assert person.data("gc", "--days", "90")["tool_uses"] == 6


@pytest.mark.parametrize("days", ["-1", "36501", "x"])
def test_days_out_of_range_are_wrong_usage(person: Person, days: str) -> None:
    done = person.run("gc", "--days", days)
    assert done.returncode == 2
    assert "--days" in done.stderr


@pytest.mark.parametrize(
    ("wish", "what"),
    [
        ({"days": True}, "`days` must be a whole number"),
        ({"days": 1.5}, "`days` must be a whole number"),
        ({"days": -1}, "0 to 36,500"),
        ({"dry_run": "yes"}, "`dry_run` must be true or false"),
    ],
)
def test_a_wrong_request_is_refused_in_one_sentence(
    person: Person, wish: dict[str, Any], what: str
) -> None:
    person.here.start()
    answer = json.loads(person.here.ask("POST", "/gc", json.dumps(wish).encode()))
    assert answer["error"]["code"] == "invalid_input"
    assert what in answer["error"]["message"]
    assert person.here.status()["tool_uses"] == 12


def test_freed_space_is_given_back(person: Person) -> None:
    big = person.now - 300 * DAY_MS
    store = SqliteStore.open(person.here.home / wire.DATABASE)
    noise = [Says("big").use(f"b{n}", big // 1000, response=os.urandom(200_000).hex())
             for n in range(20)]  # fmt: skip
    store.ingest(1, noise)
    turn = store.next_turn(idle_before_ms=1 << 60)
    assert turn is not None
    store.record(turn, [], at_ms=big)
    store.ingest(1, [Says("now").use("last", person.now // 1000)])
    store.close()
    size = (person.here.home / wire.DATABASE).stat().st_size
    text = person.said("gc")
    assert "given back to the file system: " in text
    person.said("stop")
    assert (person.here.home / wire.DATABASE).stat().st_size < size - 2_000_000


def test_the_backlog_retires_once_a_day_by_itself(person: Person) -> None:
    """Without anybody typing anything: when a turn has ended, and when nothing happens."""
    store = SqliteStore.open(person.here.home / wire.DATABASE)
    house = House(person.here.home, Settings(), store)
    house.backlog.sweep()
    assert house.backlog.settle(30)
    assert store.counts().tool_uses == 12, "it was only just started"
    house.retention._began_ms -= 120_000  # a minute passes
    taken_at = 0
    for expected in (9, 9):
        payload = {"session_id": "s", "cwd": str(person.cwd), "hook_event_name": "Stop"}
        taken = house.intake.take_hook("claude-code", json.dumps(payload).encode(), person.now)
        house.backlog.after(taken)
        _settled(house)
        assert store.counts().tool_uses == expected, "the oldest week a day"
        taken_at = store.retention_ran_at_ms() or 0
    store.note_retention(taken_at - DAY_MS)
    house.backlog.sweep()
    _settled(house)
    assert store.counts().tool_uses == 6
    assert store.counts().observations == 12
    house.close()


def _settled(house: House) -> None:
    # Each step of a run hands over the next one.
    for _ in range(30):
        assert house.backlog.settle(30)
