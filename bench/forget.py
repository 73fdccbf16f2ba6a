"""What forgetting costs on a filled store: finding and removing, then rewriting the file."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from memfold.records import Alias, Draft, Event, PromptGiven, ToolUse, ToolUsed, TurnEnded
from memfold.store.needs.forgetting import Scope
from memfold.store.sqlite.store import SqliteStore

USES = 20  # a session
WORD = "zanzibarium"
NOW_MS = 1 << 40


def session(number: int) -> list[Event]:
    name, at_ms = f"s{number}", number * 3_600_000 + 1
    word = WORD if number % 100 == 0 else "cache"
    events: list[Event] = [
        PromptGiven(host="bench", session=name, at_ms=at_ms, text=f"Why is the {word} slow?")
    ]
    events += [
        ToolUsed(
            host="bench",
            session=name,
            at_ms=at_ms + each + 1,
            key=f"k{number}-{each}",
            tool="Bash",
            input={"command": f"make part{each}"},
            response=f"line {each} of the {word} of {number}\n" * 60,
        )
        for each in range(USES)
    ]
    return [*events, TurnEnded(host="bench", session=name, at_ms=at_ms + USES + 2)]


def filled(path: Path, sessions: int) -> SqliteStore:
    store = SqliteStore.open(path)
    where = store.create("app", [Alias("directory", "/x")]).id
    for number in range(sessions):
        store.ingest(where, session(number))
        turn = store.next_turn(idle_before_ms=NOW_MS)
        assert turn is not None
        uses = [step for step in turn.steps if isinstance(step, ToolUse)]
        drafts = [
            Draft(
                type="discovery",
                title=f"Part {use.id} of session {number} is slow",
                narrative="It reads the whole file for each line of it. " * 5,
                evidence=(use.id,),
                at_ms=use.at_ms,
            )
            for use in uses[::4]
        ]
        store.record(turn, drafts, at_ms=NOW_MS)
    return store


def took(work: Callable[[], object]) -> tuple[float, object]:
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def main() -> None:
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "m.db"
        store = filled(path, sessions)
        size = path.stat().st_size / 1e6
        print(f"{sessions:,} sessions, {sessions * USES:,} tool uses, {size:,.0f} MB")
        for what, scope in (
            ("one session", Scope(session="s7")),
            ("a text that stands in 1 of 100", Scope(text=WORD)),
            ("a tenth of the time", Scope(until_ms=sessions * 360_000)),
        ):
            seconds, count = took(partial(store.forget, scope, NOW_MS, dry_run=False))
            swept, _ = took(store.sweep)
            print(f"{what:34} removed in {seconds:7.2f} s, rewritten in {swept:6.2f} s  {count}")
        store.close()


if __name__ == "__main__":
    main()
