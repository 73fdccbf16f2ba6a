"""Full disks, damaged files and failing jobs: nothing half written, one clear sentence."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
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


@pytest.fixture
def as_nobody() -> Iterator[None]:
    """Without the rights of root, who may write everywhere."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def read_only(store: SqliteStore) -> Iterator[Path]:
    """A directory, with a database in it, that may be read and not written."""
    store.ingest(1, [SAYS.use("t1", 1)])
    store.close()
    with tempfile.TemporaryDirectory() as name:  # the folders of tmp_path are root's alone
        folder = Path(name)
        shutil.copy(store._path, folder / "m.db")
        (folder / "m.db").chmod(0o444)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o700)


@pytest.mark.parametrize("name", ["m.db", "new.db"])
def test_a_directory_that_may_not_be_written_is_said(
    read_only: Path, name: str, as_nobody: None
) -> None:
    with pytest.raises(StoreFull, match="cannot be written") as told:
        SqliteStore.open(read_only / name)
    assert "writable" in told.value.next_step


def test_a_file_that_becomes_read_only_refuses_and_goes_on_later(store: SqliteStore) -> None:
    db = store._writer._connection  # an open file keeps its rights: only the engine can refuse
    db.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreFull, match="readonly"):
        store.ingest(1, [SAYS.use("t1", 1)])
    assert store.counts().tool_uses == 0
    db.execute("PRAGMA query_only = OFF")
    assert store.ingest(1, [SAYS.use("t1", 1)]).tool_uses == 1


def test_the_database_is_its_owners_alone(store: SqliteStore) -> None:
    store.ingest(1, [SAYS.use("t1", 1)])
    for file in store._path.parent.iterdir():
        assert file.stat().st_mode & 0o077 == 0, file.name


def test_as_many_connections_as_read_at_once_and_none_after_closing(store: SqliteStore) -> None:
    """A server's forty threads must not each hold a cache of their own."""
    for _ in range(20):
        thread = threading.Thread(target=store.counts)
        thread.start()
        thread.join()
    assert len(store._readers._free) == 1
    store.close()
    assert store._readers._free == []


def test_the_agents_own_lists_are_on_the_disk_before_the_answer(store: SqliteStore) -> None:
    """synchronous=FULL (2) for work state, NORMAL (1) for what can be read again elsewhere."""
    levels = [
        store._write(lambda db: next(iter(db.execute("PRAGMA synchronous")))[0], durable=durable)
        for durable in (True, False)
    ]
    assert levels == [2, 1]


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
    assert "doctor --fix" in told.value.next_step


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


def test_closing_finishes_what_was_handed_over(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "m.db")
    gate, begun = threading.Event(), threading.Event()

    def waits(_db: apsw.Connection) -> None:
        begun.set()
        gate.wait(10)

    threads = [threading.Thread(target=store._write, args=(waits,))]
    threads[0].start()
    assert begun.wait(10)
    more = ("/x", "/y")
    threads += [threading.Thread(target=store.set_import_offset, args=(p, 1, "")) for p in more]
    for thread in threads[1:]:
        thread.start()
    while store._writer._queue.qsize() < len(more):
        pass
    closing = threading.Thread(target=store.close)
    closing.start()
    gate.set()
    for thread in (*threads, closing):
        thread.join(10)
    again = SqliteStore.open(tmp_path / "m.db")
    assert [again.import_offset(path)[0] for path in more] == [1, 1]
    again.close()


WRITER = """
import sys
from pathlib import Path
from memfold.records import ToolUsed
from memfold.store.sqlite.store import SqliteStore
store = SqliteStore.open(Path(sys.argv[1]))
for number in range(100):
    use = ToolUsed(host="h", session=sys.argv[2], at_ms=number, key=str(number), tool="T", input={}, response=1)
    store.ingest(1, [use, use])
store.close()
"""


def test_two_processes_write_one_database(store: SqliteStore) -> None:
    """An older daemon may still be finishing while the newer one starts."""
    children = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(store._path), name]) for name in "ab"
    ]
    for number in range(50):
        store.ingest(1, [SAYS.use(f"t{number}", number)])
    assert [child.wait(60) for child in children] == [0, 0]
    assert store.counts().tool_uses == 250
    assert store.health()["trouble"] == ""


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
