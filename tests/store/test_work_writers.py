"""Several writers of one list lose nothing. Source: spec of layer 0, "Storage"."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from memfold.errors import InvalidInput
from memfold.records import Caller, WorkRow
from memfold.store.sqlite.store import SqliteStore
from memfold.workstate.tools import write
from memfold.workstate.verify import verify

EACH = 60
CODE = """
import sys
from pathlib import Path
from memfold.records import WorkRow
from memfold.store.sqlite.store import SqliteStore
path, where, me, count = sys.argv[1:]
store = SqliteStore.open(Path(path))
print("ready", flush=True)
sys.stdin.readline()
for n in range(int(count)):
    rows = [WorkRow("plan", {"task": f"{me} {n}", "status": "doing"}, n, me),
            WorkRow("plan", {"task": "shared", me: n}, n, me)]
    store.append(int(where), rows)
store.close()
"""


def _holds_all(store: SqliteStore, where: int, writers: list[str]) -> None:
    assert len(store.log([where], "plan")) == 2 * EACH * len(writers)
    items = {row.task: dict(row.fields) for row in store.current([where], "plan")}
    assert items.pop("shared") == dict.fromkeys(writers, EACH - 1)
    assert set(items) == {f"{me} {n}" for me in writers for n in range(EACH)}
    assert verify(store, where).differences == []


def test_threads_that_write_one_list_lose_nothing(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "m.db")
    where = store.create("app", []).id
    writers = ["one", "two", "three"]

    def work(me: str) -> None:
        for n in range(EACH):
            items = [
                WorkRow("plan", {"task": f"{me} {n}"}, n),
                WorkRow("plan", {"task": "shared", me: n}, n),
            ]
            store.append(where, items)

    threads = [threading.Thread(target=work, args=(me,)) for me in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _holds_all(store, where, writers)
    store.close()


def test_processes_that_write_one_list_lose_nothing(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "m.db")
    where = store.create("app", []).id
    writers = ["one", "two"]
    command = [sys.executable, "-c", CODE, str(tmp_path / "m.db"), str(where)]
    running = [
        subprocess.Popen(
            [*command, me, str(EACH)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for me in writers
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        process.communicate(timeout=120)
        assert process.returncode == 0
    _holds_all(store, where, writers)
    store.close()


def test_two_sessions_cannot_make_a_cycle_together(tmp_path: Path) -> None:
    """Each alone is right; whoever comes second is refused, however close they are."""
    store = SqliteStore.open(tmp_path / "m.db")
    project = store.create("app", [])
    caller = Caller(project=project, project_ids=(project.id,))
    refused: list[str] = []

    def work(number: int, task: str, blocker: str) -> None:
        item = {"task": f"{task}{number}", "blocked_by": f"{blocker}{number}"}
        try:
            write(store, caller, {"list": "plan", "items": [item]}, 1)
        except InvalidInput:
            refused.append(task)

    for number in range(20):
        pair = [
            threading.Thread(target=work, args=(number, "a", "b")),
            threading.Thread(target=work, args=(number, "b", "a")),
        ]
        for thread in pair:
            thread.start()
        for thread in pair:
            thread.join()
    assert len(refused) == 20
    assert len(store.log([project.id])) == 20
    store.close()
