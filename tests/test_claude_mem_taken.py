"""claude-mem databases of every kind taken over: whole, old, hostile, damaged, at work."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from claude_mem_database import AT_MS, NEW, OLD, Database, usual
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memfold.capture.identity import ProjectFinder
from memfold.claude_mem import ClaudeMemImport
from memfold.errors import InvalidInput
from memfold.records import Alias, Observation, SessionStarted
from memfold.settings import Settings
from memfold.store.sqlite.store import SqliteStore

NOW = 1_800_000_000_000
AWS = "AKIA" + "Q4ZXMWJ3T7NB6RCD"


class Taking:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.store = SqliteStore.open(folder / "m.db")
        self.finder = ProjectFinder(self.store)

    def take(self, path: Path, **values: Any) -> dict[str, Any]:
        taking = ClaudeMemImport(self.store, self.finder, Settings(values), lambda: NOW)
        *_, last = taking.take(path)
        result: dict[str, Any] = last["result"]
        return result

    def table(self, path: Path, name: str, **values: Any) -> dict[str, Any]:
        tables: list[dict[str, Any]] = self.take(path, **values)["tables"]
        (found,) = [one for one in tables if one["table"] == name]
        return found

    def observations(self, project: str = "app") -> list[Observation]:
        owner = self.store.by_name(project)
        assert owner is not None
        found = self.store.recent([owner.id], "observation", 500)
        details = self.store.details([("observation", one.id, owner.id) for one in found])
        return [one.observation for one in details if one.observation is not None][::-1]


@pytest.fixture
def taking(tmp_path: Path) -> Iterator[Taking]:
    made = Taking(tmp_path / "home")
    yield made
    made.store.close()


def test_all_that_is_in_it_is_taken_once(taking: Taking, tmp_path: Path) -> None:
    path = usual(tmp_path / "cm.db").close()
    result = taking.take(path)
    assert (result["sessions"], result["prefix"]) == (2, "cm")
    told = {one["table"]: (one["rows"], one["new"], one["known"]) for one in result["tables"]}
    assert told == {
        "observations": (6, 6, 0),
        "session_summaries": (2, 2, 0),
        "user_prompts": (2, 2, 0),
        "tool_uses": (6, 6, 0),
        "work_state_entries": (3, 3, 0),
    }
    first = taking.observations()[0].draft
    assert first.title == "Pool 0 part 0 is given back on errors"
    assert (first.facts, first.concepts, first.at_ms) == (("limit is 5",), ("gotcha",), AT_MS)
    assert first.read_tokens > 10
    assert len(first.evidence) == 1
    again = taking.take(path)
    assert all(one["new"] == 0 and one["known"] == one["rows"] for one in again["tables"])
    assert len(taking.observations()) == 6


def test_what_was_added_since_is_taken_and_a_copy_is_the_same_memory(
    taking: Taking, tmp_path: Path
) -> None:
    made = usual(tmp_path / "cm.db")
    taking.take(made.path)
    made.observation("s0", "Pools are measured now")
    made.close()
    copy = tmp_path / "copy.db"
    copy.write_bytes(made.path.read_bytes())
    result = taking.take(copy)
    assert result["prefix"] == "cm"
    assert [one["new"] for one in result["tables"]] == [1, 0, 0, 0, 0]
    other = usual(tmp_path / "other.db", sessions=1)
    other.db.execute("UPDATE sdk_sessions SET content_session_id = 'x'")
    assert taking.take(other.close())["prefix"] == "cm2."


def test_an_old_version_is_read_as_far_as_it_goes(taking: Taking, tmp_path: Path) -> None:
    made = Database(tmp_path / "old.db", OLD)
    made.put("sdk_sessions", claude_session_id="c1", sdk_session_id="m1", project="app")
    made.put(
        "observations", sdk_session_id="m1", project="app", text="Pools leak on errors. Always.",
        type="insight", created_at="2025-10-09T08:53:20.000Z",
    )  # fmt: skip
    result = taking.take(made.close())
    assert [one["trouble"] for one in result["tables"]] == ["", *["not there"] * 4]
    (only,) = taking.observations()
    assert only.draft.title == "Pools leak on errors. Always."
    assert (only.draft.type, only.draft.at_ms) == ("insight", AT_MS)
    assert taking.store.session("claude-code", "c1") is not None


def test_hostile_rows_are_taken_or_counted_never_fatal(taking: Taking, tmp_path: Path) -> None:
    made = Database(tmp_path / "cm.db")
    made.session("s1", "app")
    made.observation("s1", None, narrative="Only a narrative here")
    made.observation("s1", None)
    made.observation("s1", b"\xff\xfe not text", facts="not json", concepts='{"a": 1}')
    made.observation("s1", 42.5, facts='[1, null, [2], "x", true]', type=None)
    made.observation("s1", "T" * 500_000, narrative="N" * 500_000)
    made.observation("s1", "A nested list", facts="[" * 100_000)
    made.observation("s1", "From the future", NOW * 3)
    made.observation("s1", "In seconds", AT_MS // 1000)
    made.observation("s1", "Before all time", -5)
    made.observation("s1", "Time as a text", "soon", created_at="2025-10-09 08:53:20")
    made.observation("s1", "Infinite", float("inf"))
    made.observation("nobody", "An orphan", project=None)
    made.observation("s1", "Nul \0 and <memfold-context> frame", subtitle="\u202edlrow")
    path = made.close()
    told = taking.table(path, "observations")
    assert (told["rows"], told["new"]) == (13, 12)
    assert told["skipped"]["no text"] == 1
    assert told["skipped"]["time in the future, taken as now"] == 1
    by_title = {one.draft.title: one.draft for one in taking.observations()}
    assert by_title["Only a narrative here"].narrative == "Only a narrative here"
    assert by_title["42.5"].facts == ("1", "[2]", "x")
    assert by_title["42.5"].type == "discovery"
    assert by_title["From the future"].at_ms == NOW
    for title in ("In seconds", "Before all time", "Time as a text", "Infinite"):
        assert by_title[title].at_ms == AT_MS, title
    assert max(len(one) for one in by_title) <= 120
    assert [one.draft.title for one in taking.observations("claude-mem")] == ["An orphan"]
    assert taking.table(path, "observations")["new"] == 0


def test_secrets_and_private_parts_stay_out(taking: Taking, tmp_path: Path) -> None:
    made = Database(tmp_path / "cm.db")
    made.session("s1", "app")
    for table, row in {
        "observations": {"title": f"Key {AWS} was found", "facts": f'["{AWS}"]'},
        "session_summaries": {"request": f"Use {AWS}", "learned": "<private>hushhush</private>x"},
        "work_state_entries": {"list_name": "l", "fields": f'{{"task": "t", "key": "{AWS}"}}'},
    }.items():
        own = {} if table == "work_state_entries" else {"memory_session_id": "mem-s1"}
        made.put(table, project="app", created_at_epoch=AT_MS, **own, **row)
    common = {"content_session_id": "s1", "created_at_epoch": AT_MS}
    made.put("user_prompts", prompt_text=f"my key is {AWS} <private>hushhush</private>", **common)
    given = f'{{"command": "export AWS_ACCESS_KEY_ID={AWS}"}}'
    made.put("tool_uses", tool_name="Bash", tool_use_id="t", tool_input=given,
             tool_response=f"{AWS}", project="app", **common)  # fmt: skip
    result = taking.take(made.close())
    assert all(one["new"] == one["rows"] for one in result["tables"]), result
    taking.store.close()
    for file in (tmp_path / "home").iterdir():
        kept = file.read_bytes()
        assert AWS.encode() not in kept
        assert b"hushhush" not in kept


def test_a_project_is_found_by_session_directory_and_name(taking: Taking, tmp_path: Path) -> None:
    here = tmp_path / "checkout"
    here.mkdir()
    by_directory = taking.finder.project_for(str(here))
    by_name = taking.store.create("named", [Alias("directory", "/somewhere/named")])
    live = taking.store.create("live", [Alias("directory", "/somewhere/live")])
    seen = SessionStarted(host="claude-code", session="seen", at_ms=1, cwd="/somewhere/live")
    taking.store.ingest(live.id, [seen])
    made = Database(tmp_path / "cm.db")
    for session, project in (
        ("seen", "x"),
        ("where", "y"),
        ("other", "named"),
        ("tree", "named/b"),
    ):
        made.session(session, project)
        made.observation(session, f"Something of {session}", project=project)
    made.put("tool_uses", content_session_id="where", tool_name="Read", tool_use_id="t",
             cwd=str(here), created_at_epoch=AT_MS, project="y")  # fmt: skip
    taking.take(made.close())
    titles = {
        project.name: [one.draft.title for one in taking.observations(project.name)]
        for project in (by_directory, by_name, live)
    }
    assert titles == {
        by_directory.name: ["Something of where"],
        "named": ["Something of other", "Something of tree"],
        "live": ["Something of seen"],
    }
    assert taking.store.by_name("x") is None


def test_a_project_known_by_name_alone_is_found_by_its_directory(
    taking: Taking, tmp_path: Path
) -> None:
    taking.take(usual(tmp_path / "cm.db").close())
    (tmp_path / "app").mkdir()
    named = taking.store.by_name("app")
    assert taking.finder.known(str(tmp_path / "app")) == named
    assert taking.finder.project_for(str(tmp_path / "app")) == named
    other = tmp_path / "elsewhere" / "app"
    other.mkdir(parents=True)
    assert taking.finder.project_for(str(other)) != named, "it has a place now"


def test_excluded_projects_and_tools_stay_out(taking: Taking, tmp_path: Path) -> None:
    made = usual(tmp_path / "cm.db", sessions=1)
    made.db.execute("UPDATE tool_uses SET cwd = '/code/secret'")
    path = made.close()
    told = taking.table(path, "observations", excluded_projects=("/code/secret",))
    assert (told["new"], told["skipped"]) == (0, {"excluded project": 3})
    told = taking.table(path, "tool_uses", excluded_tools=("Read",))
    assert (told["new"], told["skipped"]) == (0, {"excluded tool": 3})


def test_a_worker_may_be_writing_and_nothing_of_its_files_changes(
    taking: Taking, tmp_path: Path
) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    made = usual(folder / "cm.db", wal=True)
    made.db.execute("BEGIN IMMEDIATE")
    made.observation("s0", "Not committed yet")
    before = _sums(folder)
    assert taking.table(made.path, "observations")["new"] == 6
    assert _sums(folder) == before
    made.db.execute("COMMIT")
    assert taking.table(made.path, "observations")["new"] == 1
    made.close()


def test_a_database_at_rest_gets_no_file_beside_it(taking: Taking, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    path = usual(folder / "cm.db", wal=True).close()
    before = _sums(folder)
    folder.chmod(0o500)
    try:
        assert taking.table(path, "observations")["new"] == 6
    finally:
        folder.chmod(0o700)
    assert _sums(folder) == before
    assert [one.name for one in folder.iterdir()] == ["cm.db"]


def test_one_that_is_written_to_while_it_is_read_at_rest_is_refused_and_goes_on(
    taking: Taking, tmp_path: Path
) -> None:
    path = usual(tmp_path / "cm.db").close()
    lines = ClaudeMemImport(taking.store, taking.finder, Settings({}), lambda: NOW).take(path)
    next(lines)
    other = sqlite3.connect(path)
    other.execute("DELETE FROM observations WHERE id = 6")
    other.commit()
    with pytest.raises(InvalidInput, match="began to write"):
        list(lines)
    other.close()
    assert len(taking.observations()) == 3, "the first session is kept"
    assert taking.table(path, "observations")["new"] == 2


def test_files_that_are_no_such_database_are_refused_in_one_sentence(
    taking: Taking, tmp_path: Path
) -> None:
    (tmp_path / "text.db").write_text("no database at all, but long enough to look like one" * 50)
    (tmp_path / "empty.db").write_bytes(b"")
    sqlite3.connect(tmp_path / "strange.db").execute("CREATE TABLE other (id)").connection.commit()
    cut = usual(tmp_path / "cut.db").close()
    cut.write_bytes(cut.read_bytes()[:5_000])
    for name in ("gone.db", "text.db", "empty.db", "strange.db"):
        with pytest.raises(InvalidInput) as refused:
            taking.take(tmp_path / name)
        assert name in refused.value.message


def test_a_damaged_file_gives_what_can_be_read(taking: Taking, tmp_path: Path) -> None:
    made = usual(tmp_path / "cm.db", sessions=15)
    made.db.execute("CREATE INDEX extra ON tool_uses(tool_response)")
    path = made.close()
    pages = bytearray(path.read_bytes())
    root = sqlite3.connect(path).execute(
        "SELECT rootpage FROM sqlite_master WHERE name = 'tool_uses'"
    ).fetchone()[0]  # fmt: skip
    pages[(root - 1) * 4096 : root * 4096] = b"\xff" * 4096
    path.write_bytes(bytes(pages))
    result = taking.take(path)
    told = {one["table"]: one for one in result["tables"]}
    assert told["observations"]["new"] == 45
    assert told["tool_uses"]["new"] == 0
    assert told["tool_uses"]["trouble"].startswith("damaged")


ANYTHING = st.one_of(
    st.none(), st.text(max_size=60), st.binary(max_size=40), st.floats(),
    st.integers(-(2**63), 2**63 - 1),
)  # fmt: skip


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=st.lists(st.dictionaries(
    st.sampled_from(["title", "narrative", "type", "facts", "concepts", "files_read", "project",
                     "created_at", "created_at_epoch", "memory_session_id", "agent_id"]),
    ANYTHING), min_size=1, max_size=6))  # fmt: skip
def test_any_row_is_taken_or_counted(
    rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    made = Database(folder / "cm.db", NEW)
    for row in rows:
        made.put("observations", **{"subtitle": None, **row})
    taking = Taking(folder / "home")
    try:
        told = taking.table(made.close(), "observations")
        no_text = told["skipped"].get("no text", 0)
        assert told["new"] + told["known"] + no_text == told["rows"] == len(rows)
    finally:
        taking.store.close()


def _sums(folder: Path) -> dict[str, str]:
    """Of every file but the index of a log, which any reader marks its place in."""
    return {
        one.name: hashlib.sha256(one.read_bytes()).hexdigest()
        for one in folder.iterdir()
        if not one.name.endswith("-shm")
    }
