"""Any page of the database overwritten with zeros: what can be read is kept, in a sound file."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest
from stores import Says

from memfold.errors import StoreDamaged
from memfold.records import Alias, Draft, ToolUse, WorkRow
from memfold.store.sqlite.recovery import Recovered, recover
from memfold.store.sqlite.store import SqliteStore

TABLES = ("projects", "sessions", "turns", "prompts", "replies", "tool_uses", "observations",
          "observation_evidence", "work_state_entries")  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of some months, in one file."""
    path = tmp_path_factory.mktemp("whole") / "m.db"
    store = SqliteStore.open(path)
    for name in ("app", "shop"):
        project = store.create(name, [Alias("directory", f"/code/{name}")]).id
        for session in range(4):
            says = Says(f"{name}-{session}")
            events = []
            for at in range(0, 60, 3):
                events += [
                    says.prompt(f"step {at} " + "x" * 300, at),
                    says.reply(f"did {at}", at + 1),
                ]
                events += [says.use(f"k{at}", at + 2, response="y" * 1_500)]
            store.ingest(project, events)
        store.append(project, [WorkRow("plan", {"task": f"t{n}"}, n) for n in range(40)])
    while (turn := store.next_turn(idle_before_ms=1 << 60)) is not None:
        uses = tuple(step.id for step in turn.steps if isinstance(step, ToolUse))
        draft = Draft(type="discovery", title=f"turn {turn.id}", narrative="z" * 400, evidence=uses)
        store.record(turn, [draft], at_ms=9)
    store.close()
    db = apsw.Connection(str(path))
    db.execute("PRAGMA journal_mode=DELETE")
    db.close()
    return path


def rows_in(path: Path) -> dict[str, int]:
    db = apsw.Connection(str(path))
    counts = {one: next(db.execute(f"SELECT count(*) FROM {one}"))[0] for one in TABLES}  # noqa: S608  # names of ours
    db.close()
    return counts


def zeroed(whole: Path, target: Path, page: int) -> Path:
    shutil.copy(whole, target)
    with target.open("r+b") as file:
        file.seek((page - 1) * 4_096)
        file.write(bytes(4_096))
    return target


def mended(damaged: Path, target: Path) -> Recovered:
    """Recovered, opened as the daemon does, and sound."""
    found = recover(damaged, target)
    store = SqliteStore.open(target)
    assert store.health()["trouble"] == ""
    assert (
        store.ingest(store.all_projects()[0].project.id, [Says("new").use("n", 99)]).tool_uses == 1
    )
    store.close()
    db = apsw.Connection(str(target))
    assert list(db.execute("PRAGMA foreign_key_check")) == []
    assert list(db.execute("PRAGMA integrity_check")) == [("ok",)]
    db.close()
    return found


def test_of_a_sound_file_everything_is_kept(whole: Path, tmp_path: Path) -> None:
    found = mended(whole, tmp_path / "new.db")
    assert found.unreadable == {}
    assert found.placeholders == {}
    before, after = rows_in(whole), rows_in(tmp_path / "new.db")
    assert {**after, "tool_uses": after["tool_uses"] - 1, "sessions": after["sessions"] - 1,
            "turns": after["turns"] - 1} == before  # fmt: skip


def test_whichever_page_is_lost_nearly_all_the_rest_is_kept(whole: Path, tmp_path: Path) -> None:
    """A page holds a few rows. Some pages name others: what those hold cannot be reached."""
    pages = whole.stat().st_size // 4_096
    before = rows_in(whole)
    assert pages > 150
    looked, much = 0, 0
    for page in range(2, pages + 1, 5):
        target = tmp_path / f"new{page}.db"
        found = mended(zeroed(whole, tmp_path / "bad.db", page), target)
        after = rows_in(target)
        lost = sum(max(before[name] - after[name], 0) for name in TABLES)
        looked, much = looked + 1, much + (lost > 20)
        assert len(found.tables_lost) <= 8, page  # a page of the list of tables names so many
        target.unlink()
    assert much <= looked * 0.2


def test_two_pages_of_one_table_are_worked_around(whole: Path, tmp_path: Path) -> None:
    db = apsw.Connection(str(whole))
    before = next(db.execute("SELECT count(*) FROM tool_uses"))[0]
    db.close()
    leaves = [
        page for page in range(2, whole.stat().st_size // 4_096) if _is_leaf_of_uses(whole, page)
    ]
    assert len(leaves) > 10
    bad = zeroed(whole, tmp_path / "bad.db", leaves[2])
    bad = zeroed(bad, tmp_path / "bad2.db", leaves[-3])
    found = mended(bad, tmp_path / "new.db")
    assert found.unreadable["tool_uses"] >= 2
    assert before - 12 <= found.rows["tool_uses"] < before


def _is_leaf_of_uses(whole: Path, page: int) -> bool:
    with whole.open("rb") as file:
        file.seek((page - 1) * 4_096)
        body = file.read(4_096)
    return body[0] == 0x0D and body.count(b"y" * 1_000) > 0


def test_without_its_first_page_a_backup_is_the_way(whole: Path, tmp_path: Path) -> None:
    bad = zeroed(whole, tmp_path / "bad.db", 1)
    with pytest.raises(StoreDamaged, match="first page") as told:
        recover(bad, tmp_path / "new.db")
    assert "memfold restore" in told.value.next_step
