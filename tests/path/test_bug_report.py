"""The log and the bug report after a day of traffic, much of it hostile: helpful and silent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import Running, running, session_start, tool_use
from terminal import Terminal

# Words and secrets that stand in prompts, outputs, paths and requests, and nowhere else.
WORDS = ("bluebird", "zanzibar", "marmalade", "quixotic", "haversack", "obsidian-lake", "tangerine")
KEYS = ("sk-ant-api03-" + "Zq7" * 30 + "AA", "ghp_" + "A1b2" * 9, "AKIA" + "QWERTYUIOPASDFGH"[:16])


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Running]:
    with running(tmp_path / "home") as found:
        yield found


def a_day(here: Running, cwd: Path) -> Terminal:
    """Everything that happens, and everything that goes wrong."""
    cwd.mkdir()
    person = Terminal(here, cwd)
    here.start()
    here.hook(session_start(cwd))
    told = f"Find out why bluebird fails with {KEYS[0]}"
    prompt = {"session_id": "s1", "cwd": str(cwd), "hook_event_name": "UserPromptSubmit",
              "transcript_path": "", "prompt": told}  # fmt: skip
    here.hook(prompt)
    for number in range(3):
        output = {"stdout": f"zanzibar {KEYS[1]} {number}", "stderr": ""}
        here.hook(tool_use(number, cwd, tool_response=output))
    bad = cwd / "transcript.jsonl"
    bad.write_text('{"type": "user", "message": "marmalade"\n{]marmalade\n' + KEYS[2])
    here.hook(
        {
            "session_id": "s1",
            "cwd": str(cwd),
            "hook_event_name": "Stop",
            "transcript_path": str(bad),
            "last_assistant_message": "The quixotic cause.",
        }
    )
    spool = here.home / "spool"
    spool.mkdir(exist_ok=True)
    (spool / "00000000000000000001-1.evt").write_bytes(f"haversack {KEYS[1]}".encode())
    (spool / "00000000000000000002-1.evt").write_bytes(
        b'memfold-spool 1 claude-code 5\n{"session_id": "haversack", "hook_event_name": 7'
    )
    here.settled(3)
    for body in (
        b"quixotic {",
        b'{"tool_name": "tangerine"}',
        b"[" * 5_000,
        f'"{KEYS[0]}"'.encode(),
    ):
        here.hook(body)
        here.once("POST", "/hook/tangerine", body)
        here.once("POST", "/tool/mem_search", body)
        here.once("POST", "/forget", body)
    for arguments in (
        '{"query": "obsidian-lake"}',
        '{"obsidian-lake": 1}',
        '{"ids": [{"a": "tangerine"}]}',
    ):
        person.run("call", "mem_search", arguments)
        person.run("call", "get_observations", arguments)
    person.run("import", "memfold", str(bad))
    person.run("import", "claude-code", str(bad))
    person.run("project", "rename", "tangerine", "quixotic")
    here.kill()
    here.hook(tool_use(9, cwd, tool_response={"stdout": "tangerine", "stderr": ""}))
    here.start()
    here.settled(4)
    return person


def test_after_a_day_the_log_and_the_report_hold_nothing_of_it(
    here: Running, tmp_path: Path
) -> None:
    person = a_day(here, tmp_path / "tangerine-repository")
    log = (here.home / "daemon.log").read_text()
    report = person.said("bug-report")
    as_data = person.said("bug-report", "--json")
    for text in (log, report, as_data):
        for word in (*WORDS, *KEYS):
            assert word.casefold() not in text.casefold(), word
    for name in (str(tmp_path), "tangerine-repository"):
        assert name not in report
        assert name not in as_data
    # And yet they help.
    assert re.search(r"version \d+\.\d+\.\d+ serves", log)
    assert log.count("set aside") == 2
    assert "versions: memfold" in report
    assert "tool_uses 4" in report
    assert "heard of: claude-code" in report
    assert "set aside" in report
    assert json.loads(as_data)["counts"]["sessions"] == 1


def test_settings_that_were_changed_are_told_of_without_what_is_private(
    here: Running, tmp_path: Path
) -> None:
    here.home.mkdir()
    (here.home / "settings.toml").write_text(
        'index_observations = 7\nexcluded_projects = ["/secret/haversack"]\n'
        'observer = "openai"\nobserver_model = "m"\nobserver_base_url = "http://bluebird.example/"\n'
    )
    report = Terminal(here, tmp_path).said("bug-report")
    assert "index_observations = 7" in report
    assert "excluded_projects = (set)" in report
    assert "observer_base_url = (set)" in report
    assert "haversack" not in report
    assert "bluebird" not in report


def test_a_report_is_written_to_a_new_file_only(here: Running, tmp_path: Path) -> None:
    person = Terminal(here, tmp_path)
    person.said("bug-report", "report.txt")
    assert "versions: memfold" in (tmp_path / "report.txt").read_text()
    again = person.run("bug-report", "report.txt")
    assert again.returncode == 1
    assert "cannot be written" in again.stderr


def test_a_report_is_there_when_nothing_else_works(here: Running, tmp_path: Path) -> None:
    here.home.mkdir()
    (here.home / "memfold.db").write_bytes(b"no database" * 1_000)
    (here.home / "settings.toml").write_text("{")
    report = Terminal(here, tmp_path).said("bug-report")
    assert "WRONG settings" in report
    assert "end of the log:" in report
