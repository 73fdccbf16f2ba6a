"""`memfold import` and `memfold watch` for every host, with a real daemon, killed and not."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import host_sessions as samples
import pytest
from running import BOUND_S, PLAIN, Running, running

from memfold.capture.transcripts.folders import HOSTS

KILLS = int(os.environ.get("MEMFOLD_IMPORT_KILLS", "20"))
SEED = int(os.environ.get("MEMFOLD_KILL_SEED", "20261202"))
COMMAND = [sys.executable, "-c", "from memfold.cli.main import main; main()"]


class User:
    """A home folder with sessions of every host, and a memory."""

    def __init__(self, root: Path, here: Running) -> None:
        self.here, self.home, self.project = here, root / "user", root / "app"
        self.files = samples.write_sessions(self.home, self.project)
        keep = {"PATH": os.environ["PATH"], "HOME": str(self.home), **PLAIN}
        self.env = {**keep, "MEMFOLD_HOME": str(here.home), "MEMFOLD_TIMEZONE": "UTC"}

    def begin(self, *args: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*COMMAND, *args],
            cwd=self.project,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def said(self, *args: str) -> str:
        with self.begin(*args) as process:
            out, err = process.communicate(timeout=BOUND_S * 2)
        assert process.returncode == 0, err.decode()
        return out.decode()

    def data(self, *args: str) -> Any:
        return json.loads(self.said(*args, "--json"))


@pytest.fixture
def user(tmp_path: Path) -> Iterator[User]:
    with running(tmp_path / "memory") as here:
        yield User(tmp_path, here)


def test_import_all_takes_every_host_once(user: User) -> None:
    first = user.data("import", "all")["hosts"]
    assert tuple(first) == HOSTS
    for host, result in first.items():
        assert (result["sessions"], result["prompts"]) == (1, 1), host
        assert result["tool_uses_stored"] == samples.USES, host
        assert (result["bad_lines"], result["placed"], result["tool_uses_skipped"]) == (0, 0, 0)
    # The same fact in the same project is one observation, whichever host it came from.
    assert [host for host in HOSTS if first[host]["observations"]] == ["claude-code", "specstory"]
    second = user.data("import", "all")["hosts"]
    for host, result in second.items():
        added = ("sessions", "prompts", "tool_uses_stored", "observations")
        assert [result[key] for key in added] == [0, 0, 0, 0], host
        assert result["tool_uses_known"] == samples.USES, host
    table = user.said("import", "all").splitlines()
    assert table[0].split()[:3] == ["host", "files", "sessions"]
    assert [row.split()[0] for row in table[1 : 1 + len(HOSTS)]] == list(HOSTS)


def test_import_all_takes_a_folder_with_a_folder_a_host(user: User, tmp_path: Path) -> None:
    for host in ("codex", "pi"):
        place = tmp_path / "sessions" / host
        place.mkdir(parents=True)
        (place / user.files[host].name).write_bytes(user.files[host].read_bytes())
    results = user.data("import", "all", str(tmp_path / "sessions"))["hosts"]
    assert {host: one["tool_uses_stored"] for host, one in results.items()} == {
        "codex": samples.USES,
        "pi": samples.USES,
    }


def test_import_says_what_it_cannot_do(user: User) -> None:
    for args, words in [
        (("import", "all", "x"), "x holds no folder named as a host"),
        (("import", "pi", "missing"), "is not there"),
    ]:
        with user.begin(*args) as process:
            _, err = process.communicate(timeout=BOUND_S)
        assert process.returncode == 1
        assert words in err.decode()


@pytest.mark.timeout(180)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_watch_takes_what_is_appended_and_ends_cleanly(user: User, number: int) -> None:
    file = user.files["windsurf"]
    with user.begin("watch", "windsurf", "pi", "--json") as watch:
        assert watch.stdout is not None
        told = [json.loads(watch.stdout.readline()) for _ in range(2)]
        assert {line["host"] for line in told} == {"windsurf", "pi"}
        assert {line["tool_uses_stored"] for line in told} == {samples.USES}
        more = {"type": "user_input", "status": "done", "user_input": {"user_response": "go on"}}
        with file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(more) + "\n")
        line = json.loads(watch.stdout.readline())
        assert (line["host"], line["prompts"], line["tool_uses_stored"]) == ("windsurf", 1, 0)
        watch.send_signal(number)
        rest, err = watch.communicate(timeout=BOUND_S)
    assert (watch.returncode, rest, err) == (0, b"", b"")
    # It goes on where it was; an import finds nothing new either.
    assert user.said("watch", "windsurf", "pi", "--once", "--json") == ""
    again = user.data("import", "windsurf")
    assert (again["prompts"], again["tool_uses_stored"]) == (0, 0)


def test_watch_follows_files_that_are_written_anew(user: User) -> None:
    file = user.files["specstory"]
    user.said("watch", "--once")
    more = "_**User (2026-05-04 09:05:00Z)**_\n\nAnd the tests?\n\n---\n\n"
    file.write_text(samples.SPECSTORY + more, "utf-8")
    told = [json.loads(line) for line in user.said("watch", "--once", "--json").splitlines()]
    assert [(line["host"], line["prompts"]) for line in told] == [("specstory", 1)]


@pytest.mark.timeout(300)
def test_killed_at_random_and_resumed_the_rows_are_the_same(user: User, tmp_path: Path) -> None:
    """Daemon and command are killed in turn; then one import runs to its end."""
    chance = random.Random(SEED)
    _more_sessions(user.files["claude-code"].parent)
    cut_short = 0
    for number in range(KILLS):
        user.here.start()
        pid = user.here.pid()
        process = user.begin("import", "all")
        time.sleep(chance.uniform(0.05, 0.4))
        running_still = process.poll() is None
        cut_short += running_still
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid if number % 2 else process.pid, signal.SIGKILL)
        process.communicate(timeout=BOUND_S)
    assert cut_short, "no import was under way when something was killed: the test proves nothing"
    user.said("import", "all")
    user.here.end()
    with running(tmp_path / "undisturbed") as other:
        calm = User.__new__(User)
        calm.__dict__.update(user.__dict__, here=other)
        calm.env = {**user.env, "MEMFOLD_HOME": str(other.home)}
        calm.said("import", "all")
        other.end()
        assert _rows(user.here.home) == _rows(other.home)


def _more_sessions(folder: Path) -> None:
    for session in range(25):
        lines = []
        for turn in range(8):
            for at, line in enumerate(samples.claude_code()):
                text = json.dumps({**line, "sessionId": f"m-{session}"})
                text = text.replace('"t1"', f'"t1-{turn}"').replace('"t2"', f'"t2-{turn}"')
                text = text.replace("09:00:", f"09:{turn:02d}:").replace(samples.ASKED, f"{turn}?")
                lines.append(text.replace(samples.FOUND, f"{turn} of {session}: {samples.FOUND}"))
                assert at < 60
        (folder / f"m-{session}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


def _rows(home: Path) -> list[tuple[Any, ...]]:
    """All that was captured, without ids that depend on the order of arrival."""
    (file,) = home.glob("*.db")
    db = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    queries = (
        "SELECT 'use', s.host_session, u.key, u.tool, u.ok, u.at_ms, p.text FROM tool_uses u"
        " JOIN sessions s ON s.id = u.session_id LEFT JOIN prompts p ON p.turn_id = u.turn_id",
        "SELECT 'prompt', s.host_session, p.text, p.at_ms, p.prompt_key, 0, '' FROM prompts p"
        " JOIN sessions s ON s.id = p.session_id",
        "SELECT 'reply', s.host_session, r.text, r.at_ms, p.text, 0, '' FROM replies r"
        " JOIN sessions s ON s.id = r.session_id LEFT JOIN prompts p ON p.turn_id = r.turn_id",
    )
    return sorted(row for query in queries for row in db.execute(query))
