"""A secret of every kind, in every place it may stand, by every way in: none is on the disk.

Through a real daemon, real hooks, the spool and an import; before the write-ahead log is taken
over and after.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from claude_mem_database import Database
from repositories import Repository
from running import Running, running
from secret_samples import CASES
from terminal import Terminal

from memfold import wire
from memfold.hook import spool
from memfold.store.sqlite.store import SqliteStore

# One text a kind, and what of it must be nowhere.
KINDS = {name: (text, secret) for name, text, secret in CASES}
TEXT = "\n".join(text for text, _ in KINDS.values())
LEAST_KINDS = 40
AT_MS = 1_777_536_000_000


def payloads(cwd: Path, session: str) -> list[dict[str, Any]]:
    """A turn as Claude Code reports it, the secrets in five places."""
    common = {"session_id": session, "cwd": str(cwd), "transcript_path": ""}
    secrets_file = cwd / "settings.txt"
    secrets_file.write_text(TEXT)  # the observer may look at a file that was changed

    def use(key: str, tool: str, given: Any, response: Any) -> dict[str, Any]:
        return {**common, "hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": given,
                "tool_response": response, "tool_use_id": f"{session}-{key}"}  # fmt: skip

    return [
        {**common, "hook_event_name": "UserPromptSubmit", "prompt": f"Why is it denied?\n{TEXT}"},
        use("1", "Bash", {"command": f"deploy <<EOF\n{TEXT}\nEOF"}, {"stdout": "ok"}),
        use("2", "Bash", {"command": "deploy --verbose"}, {"stdout": TEXT, "stderr": TEXT}),
        use("3", "Read", {"file_path": str(secrets_file)},
            {"type": "text", "file": {"filePath": str(secrets_file), "content": TEXT}}),
        use("4", "Edit", {"file_path": str(secrets_file), "old_string": "a", "new_string": TEXT},
            {"filePath": str(secrets_file)}),
        use("5", "Bash", {"command": "git commit -q -F message"},
            {"stdout": f"[main 1a2b3c4] Fix the leak in the pool\n{TEXT}\n 1 file changed"}),
        {**common, "hook_event_name": "Stop",
         "last_assistant_message": f"Fixed the leak: the pool kept its keys.\n{TEXT}"},
    ]  # fmt: skip


def transcript(path: Path, cwd: Path) -> None:
    """The same turn in a session file."""
    common = {"sessionId": "s-import", "cwd": str(cwd), "version": "2.1.0", "isSidechain": False}
    given = payloads(cwd, "s-import")
    messages: list[tuple[str, Any]] = [("user", given[0]["prompt"])]
    for event in given[1:-1]:
        uses = {"type": "tool_use", "id": event["tool_use_id"], "name": event["tool_name"],
                "input": event["tool_input"]}  # fmt: skip
        result = {"type": "tool_result", "tool_use_id": event["tool_use_id"],
                  "content": json.dumps(event["tool_response"])}  # fmt: skip
        messages += [("assistant", [uses]), ("user", [result])]
    messages.append(("assistant", [{"type": "text", "text": given[-1]["last_assistant_message"]}]))
    lines = [
        {**common, "type": role, "uuid": f"u{at}", "timestamp": f"2026-03-01T10:00:{at:02}.000Z",
         "message": {"role": role, "content": content}}
        for at, (role, content) in enumerate(messages)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def leaked(text: bytes) -> list[str]:
    """Kinds whose secret stands there, however its lines are wrapped."""
    bare = re.sub(rb"\s|\\n", b"", text)
    return [
        name for name, (_, secret) in KINDS.items() if re.sub(r"\s", "", secret).encode() in bare
    ]


def on_disk(home: Path) -> Iterator[tuple[str, list[str]]]:
    for path in sorted(home.rglob("*")):
        if path.is_file():
            yield path.name, leaked(path.read_bytes())


def in_rows(home: Path) -> list[str]:
    """What the store's packed rows hold, unpacked."""
    store = SqliteStore.open(home / wire.DATABASE)
    uses = store.tool_uses(range(1, 1_000), None)
    store.close()
    assert uses
    return leaked("\n".join(f"{use.input}{use.response}" for use in uses).encode())


def checked(here: Running) -> None:
    """Nothing is found, while the daemon runs and after it ended."""
    assert [found for found in on_disk(here.home) if found[1]] == []
    here.end()
    assert [found for found in on_disk(here.home) if found[1]] == []
    assert in_rows(here.home) == []


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    return place


def test_the_kinds_are_many_and_the_look_would_find_them(tmp_path: Path) -> None:
    assert len(KINDS) >= LEAST_KINDS
    (tmp_path / "f").write_text(TEXT)
    assert dict(on_disk(tmp_path)) == {"f": list(KINDS)}
    assert leaked(json.dumps({"a": TEXT}).replace('\\"', '"').encode()) == list(KINDS)


def test_by_hook(tmp_path: Path, cwd: Path) -> None:
    with running(tmp_path / "home") as here:
        here.start()
        for payload in payloads(cwd, "s-hook"):
            done = here.hook(payload)
            assert done.returncode == 0
        assert here.settled(5)["tool_uses"] == 5
        checked(here)


def test_by_the_spool(tmp_path: Path, cwd: Path) -> None:
    with running(tmp_path / "home") as here:
        here.home.mkdir()
        for at, payload in enumerate(payloads(cwd, "s-spool")):
            spool.keep(str(here.home), "claude-code", AT_MS + at, json.dumps(payload).encode())
        spool.keep(str(here.home), "claude-code", AT_MS, f"not JSON {TEXT}".encode())
        assert [found for found in on_disk(here.home) if found[1]] == []
        here.start()
        assert here.settled(5)["tool_uses"] == 5
        checked(here)


def test_by_import(tmp_path: Path, cwd: Path) -> None:
    path = tmp_path / "s-import.jsonl"
    transcript(path, cwd)
    with running(tmp_path / "home") as here:
        told = json.loads(Terminal(here, cwd).said("import", "claude-code", str(path), "--json"))
        assert told["tool_uses_stored"] == 5
        checked(here)


def test_by_the_history_of_a_repository(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "app")
    repo.commit(f"Fix the leak in the pool\n\n{TEXT}", settings_txt=TEXT)
    for number, (text, _) in enumerate(KINDS.values()):
        repo.commit(f"Use {text} in the pool", pool_py=f"limit = {number}\n")
    with running(tmp_path / "home") as here:
        person = Terminal(here, repo.place)
        assert json.loads(person.said("import", "git", "--json"))["commits"] == len(KINDS) + 1
        (entry, *_) = json.loads(
            person.said("call", "mem_search", '{"query": "fix the leak in the pool"}', "--json")
        )["entries"]
        asked = json.dumps({"observation_ids": [entry["id"]]})
        shown = person.said("call", "get_tool_uses", asked)
        assert "settings.txt" in shown
        assert leaked(shown.encode()) == []
        assert [found for found in on_disk(here.home) if found[1]] == []
        here.end()
        assert [found for found in on_disk(here.home) if found[1]] == []


def test_by_another_memory(tmp_path: Path, cwd: Path) -> None:
    other = Database(tmp_path / "cm.db")
    other.session("s1", "work")
    other.observation("s1", f"The key is {TEXT}", narrative=TEXT, facts=json.dumps([TEXT]))
    with running(tmp_path / "home") as here:
        Terminal(here, cwd).said("import", "claude-mem", str(other.close()))
        assert [found for found in on_disk(here.home) if found[1]] == []
        here.end()
        assert [found for found in on_disk(here.home) if found[1]] == []
