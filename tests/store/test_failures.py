"""Full disks, damaged files and failing jobs: nothing half written, one clear sentence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from stores import Says

from memfold.errors import StoreError, StoreFull
from memfold.records import Alias
from memfold.store.sqlite.store import SqliteStore
from memfold.store.sqlite.writer import Writer

SAYS = Says()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(tmp_path / "m.db")
    opened.create("app", [Alias("directory", "/code/app")])
    yield opened
    opened.close()


def limit_pages(store: SqliteStore, pages: int) -> None:
    """As a full disk does: SQLite may not grow the file any further."""
    db = store._writer._connection  # a full disk cannot be had otherwise
    db.execute(f"PRAGMA max_page_count = {pages}")


def test_a_full_disk_is_said_and_what_was_there_stays(store: SqliteStore) -> None:
    store.ingest(1, [SAYS.use("t1", 1)])
    limit_pages(store, 1)
    noise = os.urandom(300_000).hex()
    with pytest.raises(StoreFull, match="cannot be written") as told:
        store.ingest(1, [SAYS.use("t2", 2, response=noise)])
    assert "spool" in told.value.next_step
    assert [use.key for use in store.tool_uses([1, 2], None)] == ["t1"]
    limit_pages(store, 1 << 30)
    store.ingest(1, [SAYS.use("t2", 2, response=noise)])
    assert store.counts().tool_uses == 2


def test_a_job_that_fails_leaves_its_neighbours_alone(store: SqliteStore) -> None:
    """Jobs that arrive together share a transaction, each with its own savepoint."""
    gate = threading.Event()
    outcomes: dict[str, object] = {}

    def waits(_db: apsw.Connection) -> None:
        gate.wait(10)

    def fails(_db: apsw.Connection) -> None:
        raise ValueError("mine alone")

    def run(name: str, job: object) -> None:
        try:
            outcomes[name] = store._write(job)  # type: ignore[arg-type]
        except ValueError as error:
            outcomes[name] = error

    def good(db: apsw.Connection) -> int:
        db.execute("INSERT INTO import_offsets VALUES ('/x', 1, '')")
        return 1

    first = threading.Thread(target=run, args=("waits", waits))
    first.start()
    others = [
        threading.Thread(target=run, args=(n, j)) for n, j in (("bad", fails), ("good", good))
    ]
    for thread in others:
        thread.start()
    gate.set()
    for thread in (first, *others):
        thread.join(10)
    assert isinstance(outcomes["bad"], ValueError)
    assert outcomes["good"] == 1
    assert store.import_offset("/x") == (1, "")


def test_a_closed_store_refuses(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "m.db")
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.set_import_offset("/x", 1, "")


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "m.db").write_bytes(b"not a database, but long enough to look at" * 100)
    with pytest.raises(StoreError, match="damaged") as told:
        SqliteStore.open(tmp_path / "m.db")
    assert "backups" in told.value.next_step


def test_a_directory_in_its_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "m.db").mkdir()
    with pytest.raises(StoreFull, match=r"m\.db"):
        SqliteStore.open(tmp_path / "m.db")


def test_a_database_that_may_only_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    SqliteStore.open(path).close()
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    writer = Writer(connection, path)
    with pytest.raises(StoreFull, match="cannot be written") as told:
        writer.run(lambda db: list(db.execute("DELETE FROM import_offsets")))
    assert "writable" in told.value.next_step
    writer.close()


def test_many_threads_write_at_once(store: SqliteStore) -> None:
    def send(sender: int) -> None:
        for number in range(20):
            store.ingest(1, [Says(f"s{sender}").use(f"t{number}", number)])

    threads = [threading.Thread(target=send, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.counts().tool_uses == 160
    assert store.health()["trouble"] == ""


CHILD = """
import sys
from pathlib import Path
from memfold.records import Alias, ToolUsed
from memfold.store.sqlite.store import SqliteStore
store = SqliteStore.open(Path(sys.argv[1]))
store.create("app", [Alias("directory", "/x")])
for number in range(100_000):
    use = ToolUsed(host="h", session="s", at_ms=number, key=str(number), tool="T", input={}, response=1)
    store.ingest(1, [use])
    print(number, flush=True)
"""


def test_what_was_answered_survives_a_kill(tmp_path: Path) -> None:
    """SIGKILL while it writes: every ingest that returned is there, once."""
    path = tmp_path / "m.db"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    last = -1
    for line in child.stdout:
        last = int(line)
        if last >= 150:
            break
    child.send_signal(signal.SIGKILL)
    last = max([last, *(int(line) for line in child.stdout.read().split() if line.isdigit())])
    child.wait(10)
    child.stdout.close()
    store = SqliteStore.open(path)
    keys = [use.key for use in store.tool_uses(range(1, last + 10), None)]
    assert keys[: last + 1] == [str(number) for number in range(last + 1)]
    assert len(set(keys)) == len(keys)
    store.close()
