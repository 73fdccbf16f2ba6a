"""Work state by the real doors: hooks, tools, import, doctor, and a daemon that is killed.

Source: spec of layer 0.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from running import Running, running, session_start, tool_use

from memfold.store.sqlite.store import SqliteStore
from memfold.workstate.verify import verify

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "transcripts"
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="../shared/data/transcripts is not beside this checkout"
)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Running]:
    with running(tmp_path / "home") as started:
        started.start()
        yield started


@pytest.fixture
def code(tmp_path: Path) -> Path:
    folder = tmp_path / "code"
    folder.mkdir()
    return folder


def memfold(here: Running, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from memfold.cli.main import main; main()", *args],
        env=here.env() | {"CLAUDE_CONFIG_DIR": str(here.home / "claude")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def call(here: Running, tool: str, args: dict[str, Any], cwd: Path) -> dict[str, Any]:
    body = json.dumps({"args": args, "cwd": str(cwd), "session": "now"}).encode()
    return dict(json.loads(here.ask("POST", f"/tool/{tool}", body)))


def planned(number: int, cwd: Path, session: str = "s1", **status: str) -> dict[str, Any]:
    todos = [{"content": task, "status": word} for task, word in status.items()]
    return tool_use(
        number, cwd, session, tool_name="TodoWrite", tool_input={"todos": todos}, tool_response="ok"
    )


def prompt(cwd: Path, text: str, session: str = "s1") -> dict[str, Any]:
    return {
        "session_id": session,
        "transcript_path": "",
        "cwd": str(cwd),
        "hook_event_name": "UserPromptSubmit",
        "prompt": text,
    }


def shown(here: Running, cwd: Path, session: str) -> str:
    return here.hook(session_start(cwd, session)).stdout.decode()


def test_a_plan_of_the_hosts_own_tool_is_shown_to_the_next_session(
    here: Running, code: Path
) -> None:
    assert "Nothing is open." in shown(here, code, "s1")
    here.hook(planned(1, code, write="in_progress", test="pending", read="completed"))
    text = shown(here, code, "s2")
    assert "### TodoWrite\n[doing] write, updated just now\n[todo] test, updated just now" in text
    assert "] read," not in text


def test_a_plan_heard_of_while_the_daemon_was_away_is_mirrored_too(
    here: Running, code: Path
) -> None:
    here.hook(session_start(code))
    here.end()
    here.hook(planned(1, code, waits="pending"))
    here.start()
    here.settled(1)
    assert "[todo] waits" in shown(here, code, "s2")


def test_a_plan_is_mirrored_though_the_daemon_was_killed_before_it_could(
    here: Running, code: Path
) -> None:
    """What lies in the evidence is found again, whoever did not get round to it."""
    here.hook(session_start(code))
    here.hook(planned(1, code, later="pending"))
    here.settled(1)
    here.kill()
    db = apsw.Connection(str(here.home / "memfold.db"))
    db.set_busy_timeout(10_000)  # until the killed process is gone
    db.execute("DELETE FROM work_state_entries; DELETE FROM work_state_current")
    db.execute("UPDATE work_state_progress SET value = 0 WHERE name = 'mirrored'")
    db.close()
    here.start()
    assert "[todo] later" in shown(here, code, "s2")


def test_a_plan_of_a_private_turn_is_not_kept(here: Running, code: Path) -> None:
    here.hook(session_start(code))
    here.hook(prompt(code, "<private>buy the ring</private>"))
    here.hook(planned(1, code, ring="pending"))
    assert "ring" not in shown(here, code, "s2")
    assert call(here, "work_state_read", {}, code)["text"].startswith("No list has been written")


def test_the_mirror_can_be_turned_off(tmp_path: Path, code: Path) -> None:
    home = tmp_path / "quiet"
    home.mkdir(mode=0o700)
    (home / "settings.toml").write_text("work_state_mirror = false\n")
    with running(home) as quiet:
        quiet.start()
        quiet.hook(session_start(code))
        quiet.hook(planned(1, code, a="pending"))
        quiet.settled(1)
        assert "Nothing is open." in shown(quiet, code, "s2")


def test_an_acknowledged_write_outlives_a_kill(here: Running, code: Path) -> None:
    """spec: a write is durable when it is answered. Four writers, killed in their midst."""
    here.hook(session_start(code))
    acknowledged: list[str] = []
    enough = threading.Event()

    def write(me: int) -> None:
        for number in range(400):
            task = f"{me}-{number}"
            try:
                args = {"list": "plan", "items": [{"task": task, "status": "doing"}]}
                body = json.dumps({"args": args, "cwd": str(code)}).encode()
                answer = json.loads(here.once("POST", "/tool/work_state_write", body))
            except (OSError, ValueError):
                return
            assert not answer["is_error"], answer
            acknowledged.append(task)
            if len(acknowledged) >= 40:
                enough.set()

    writers = [threading.Thread(target=write, args=(me,)) for me in range(4)]
    for writer in writers:
        writer.start()
    enough.wait(60)
    here.kill()
    for writer in writers:
        writer.join()
    assert 40 <= len(acknowledged) < 1_600
    here.start()
    here.end()
    store = SqliteStore.open(here.home / "memfold.db")
    (project,) = store.all_projects()
    kept = {row.task for row in store.current([project.project.id], "plan")}
    assert set(acknowledged) <= kept
    assert verify(store, project.project.id).differences == []
    store.close()


def test_a_secret_in_a_to_do_does_not_reach_the_disk(here: Running, code: Path) -> None:
    secret = "AKIA" + "QXLTB7ZWOPN5RM3E"
    items = [{"task": f"rotate {secret}", "note": "x"}, {"task": "b", "api_key": secret}]
    reply = call(here, "work_state_write", {"list": "plan", "items": items}, code)
    assert "secrets left out." in reply["text"]
    assert "[todo] rotate [redacted:" in reply["text"]
    assert secret not in reply["text"]
    here.end()
    held = b"".join(file.read_bytes() for file in here.home.iterdir() if file.is_file())
    assert b"rotate" in held
    assert secret.encode() not in held


def test_doctor_names_each_item_that_is_not_as_its_log_says(here: Running, code: Path) -> None:
    args = {"list": "plan", "items": [{"task": "a"}, {"task": "b"}]}
    assert not call(here, "work_state_write", args, code)["is_error"]
    sound = memfold(here, "doctor", "--verify", "--json")
    assert "1 list is what its 2 rows say." in _work_state(sound.stdout)[0]["says"]
    db = apsw.Connection(str(here.home / "memfold.db"))
    db.execute("UPDATE work_state_current SET fields = '{\"pr\":1}' WHERE task = 'b'")
    broken = memfold(here, "doctor", "--verify")
    assert broken.returncode == 1
    assert "WRONG work state: code, list 'plan': item 'b' has another value of `pr`." in (
        broken.stdout
    )
    assert "Run `memfold doctor --fix`." in broken.stdout
    (mended,) = _work_state(memfold(here, "doctor", "--fix", "--json").stdout)
    assert mended["ok"]
    assert "Made again from the log." in mended["says"]
    (after,) = _work_state(memfold(here, "doctor", "--verify", "--json").stdout)
    assert after["ok"]
    assert "[todo] b" in call(here, "work_state_read", {}, code)["text"]
    assert _work_state(memfold(here, "doctor", "--json").stdout) == []


def _work_state(said: str) -> list[dict[str, Any]]:
    return [one for one in json.loads(said)["findings"] if one["name"] == "work state"]


def transcript(folder: Path, session: str, cwd: Path, day: int, *plans: dict[str, str]) -> None:
    """A session of Claude Code that planned so, one call after the other."""
    common = {"sessionId": session, "cwd": str(cwd), "version": "2.1.0", "isSidechain": False}
    lines: list[dict[str, Any]] = [
        {"type": "user", "message": {"role": "user", "content": "go on with the work"}}
    ]
    for number, plan in enumerate(plans):
        todos = [{"content": task, "status": word} for task, word in plan.items()]
        use = {"type": "tool_use", "id": f"{session}-{number}", "name": "TodoWrite"}
        answer = {"type": "tool_result", "tool_use_id": f"{session}-{number}", "content": "ok"}
        lines += [
            {
                "type": "assistant",
                "message": {"role": "assistant", "content": [use | {"input": {"todos": todos}}]},
            },
            {"type": "user", "message": {"role": "user", "content": [answer]}},
        ]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{session}.jsonl").open("w", encoding="utf-8") as out:
        for number, line in enumerate(lines):
            stamp = f"2026-03-{day:02}T10:00:{number:02}.000Z"
            extra = {"uuid": f"{session}{number}", "timestamp": stamp}
            out.write(json.dumps({**common, **extra, **line}) + "\n")


def _imported(here: Running, host: str, folder: Path) -> None:
    done = memfold(here, "import", host, str(folder))
    assert done.returncode == 0, done.stderr


def _log(here: Running) -> list[tuple[str, ...]]:
    db = apsw.Connection(str(here.home / "memfold.db"))
    return [tuple(map(str, row)) for row in db.execute("SELECT * FROM work_state_entries")]


def test_an_import_mirrors_the_last_plan_of_a_project_once(here: Running, code: Path) -> None:
    """Forty old sessions' abandoned to-dos are not shown; yesterday's plan is."""
    folder = here.home.parent / "sessions"
    for day in range(1, 21):
        transcript(folder, f"s{day:02}", code, day, {f"abandoned {day}": "pending"})
    last = {"a": "pending", "b": "pending"}, {"a": "completed", "b": "in_progress"}
    transcript(folder, "a-last", code, 21, *last)
    _imported(here, "claude-code", folder)
    text = shown(here, code, "new")
    assert "[doing] b" in text
    assert "abandoned" not in text
    before = _log(here)
    _imported(here, "claude-code", folder)
    assert _log(here) == before


def test_an_import_does_not_overturn_what_a_live_session_planned(here: Running, code: Path) -> None:
    folder = here.home.parent / "sessions"
    here.hook(session_start(code))
    here.hook(planned(1, code, now="in_progress"))
    here.settled(1)
    transcript(folder, "old", code, 2, {"now": "completed", "then": "pending"})
    _imported(here, "claude-code", folder)
    text = shown(here, code, "s2")
    assert "[doing] now" in text
    assert "then" not in text


@pytest.mark.shared_data
@pytest.mark.timeout(300)
@needs_shared
def test_the_plans_of_real_sessions_end_as_their_agents_left_them(here: Running) -> None:
    """Every last TodoWrite and update_plan of a project, read from the files themselves."""
    _imported(here, "claude-code", SHARED / "claude-code" / "projects")
    _imported(here, "codex", SHARED / "codex")
    last: dict[tuple[str, str], tuple[str, dict[str, str]]] = {}
    for file in sorted(SHARED.glob("c*/**/*.jsonl")):
        _read_plans(file, last)
    assert len(last) >= 4
    store = SqliteStore.open(here.home / "memfold.db")
    projects = [count.project.id for count in store.all_projects()]
    rows = [row for one in projects for row in store.current([one])]
    there = {(row.list_name, row.task): row.fields["status"] for row in rows if row.task}
    words = {"pending": "todo", "in_progress": "doing", "completed": "done"}
    wanted = {
        (tool, " ".join(task.split())): words[status]
        for (_, tool), (_, plan) in last.items()
        for task, status in plan.items()
    }
    assert len(wanted) > 20
    assert {key: there.get(key) for key in wanted} == wanted
    for count in store.all_projects():
        assert verify(store, count.project.id).differences == []
    store.close()
    before = _log(here)
    _imported(here, "claude-code", SHARED / "claude-code" / "projects")
    _imported(here, "codex", SHARED / "codex")
    assert _log(here) == before


def _read_plans(file: Path, last: dict[tuple[str, str], tuple[str, dict[str, str]]]) -> None:
    cwd = ""
    for text in file.read_text("utf-8", "replace").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        payload = line.get("payload") or {}
        cwd = line.get("cwd") or payload.get("cwd") or cwd
        for tool, todos, label in _plans(line, payload):
            plan = {one[label]: one["status"] for one in todos}
            if str(line["timestamp"]) >= last.get((cwd, tool), ("", {}))[0]:
                last[cwd, tool] = (str(line["timestamp"]), plan)


def _plans(
    line: dict[str, Any], payload: dict[str, Any]
) -> Iterator[tuple[str, list[dict[str, str]], str]]:
    if payload.get("name") == "update_plan":
        yield "update_plan", json.loads(payload["arguments"])["plan"], "step"
    content = (line.get("message") or {}).get("content")
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict) and part.get("name") == "TodoWrite":
            yield "TodoWrite", part["input"]["todos"], "content"
