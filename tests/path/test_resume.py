"""A session that is resumed is shown the very bytes it has, whatever happened to the daemon."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from running import running, session_start

from memfold import wire
from memfold.records import Alias, Draft, FileMark, PromptGiven, TurnEnded
from memfold.store.sqlite.store import SqliteStore


def remembered(home: Path, cwd: Path) -> None:
    """One observation, of a file as it is now."""
    home.mkdir()
    store = SqliteStore.open(home / wire.DATABASE)
    where = store.create("app", [Alias("directory", str(cwd))]).id
    common = {"host": "claude-code", "session": "old", "cwd": str(cwd), "at_ms": 1_777_500_000_000}
    store.ingest(where, [PromptGiven(**common, text="go"), TurnEnded(**common)])  # type: ignore[arg-type]
    turn = store.next_turn(idle_before_ms=0)
    assert turn is not None
    sha = hashlib.sha256((cwd / "a.py").read_bytes()).hexdigest()
    mark = FileMark("a.py", sha)
    draft = Draft(type="bugfix", title="One", files_changed=(mark,), at_ms=1_777_500_000_000)
    store.record(turn, [draft], at_ms=1_777_500_000_000)
    store.close()


def test_a_resumed_session_gets_its_bytes_from_a_daemon_that_was_restarted(tmp_path: Path) -> None:
    cwd = tmp_path / "app"
    cwd.mkdir()
    (cwd / "a.py").write_text("as it was")
    remembered(tmp_path / "home", cwd)
    with running(tmp_path / "home") as here:
        first = here.start()
        given = here.hook(session_start(cwd, "s1")).stdout
        assert "● One\n".encode() in given
        (cwd / "a.py").write_text("as it is now")
        here.end()
        assert here.start() != first
        shown = here.ask("GET", f"/context?cwd={cwd}&host=claude-code")
        assert "● One (stale: files changed)\n".encode() in shown
        assert here.hook(session_start(cwd, "s1", "resume")).stdout == given
        for session, source in (("s1", "startup"), ("s2", "resume")):
            anew = here.hook(session_start(cwd, session, source)).stdout
            assert b"stale" in anew
        note = {"list": "plan", "items": [{"task": "Measure"}]}
        wish = {"args": note, "cwd": str(cwd), "session": "s2"}
        assert json.loads(here.ask("POST", "/tool/work_state_write", json.dumps(wish).encode()))
        changed = here.hook(session_start(cwd, "s1", "resume")).stdout
        assert b"Measure" in changed, "memory has changed"
