"""A mode of one's own: the page that tells of it, real commands, a real daemon.

Source: spec of layer 1, "Symbols and types"; docs/howto/add-a-mode.md; docs/decisions/0011.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import BOUND_S, Running, running

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "howto" / "add-a-mode.md"
MEMFOLD = Path(sys.executable).with_name("memfold")
FOUND = "The upload hangs because Client.retry waits on a closed connection."
FIXED = "Fixed the hang: Client.retry now opens a new connection for each attempt."


def example() -> str:
    """The page's own example, word for word."""
    return PAGE.read_text("utf-8").split("```json\n")[1].split("```")[0]


class Desk:
    """A person with a data directory and a project."""

    def __init__(self, root: Path, here: Running) -> None:
        self.here = here
        self.work = root / "work"
        self.work.mkdir()
        here.home.mkdir(mode=0o700)
        self.modes = here.home / "modes"

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(MEMFOLD), *words],
            cwd=self.work,
            env=self.here.env() | {"MEMFOLD_MODE": "ops", "CLAUDE_CONFIG_DIR": str(self.work)},
            capture_output=True,
            text=True,
            timeout=BOUND_S,
            check=False,
        )

    def said(self, *words: str) -> str:
        done = self.run(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def refused(self, *words: str) -> str:
        done = self.run(*words)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        return done.stderr

    def put(self, body: str, name: str = "ops.json") -> None:
        self.modes.mkdir(exist_ok=True)
        (self.modes / name).write_text(body, "utf-8")

    def remember(self) -> None:
        """A session in which something was found and something fixed."""
        lines: list[dict[str, Any]] = [{"role": "user", "content": "Why does the upload hang?"}]
        for number, said in enumerate((FOUND, FIXED)):
            key = f"toolu_{number}"
            edit = {"file_path": str(self.work / "client.py"), "old_string": "a", "new_string": "b"}
            use = {"type": "tool_use", "id": key, "name": "Edit", "input": edit}
            result = {"type": "tool_result", "tool_use_id": key, "content": "ok"}
            lines += [
                {"role": "assistant", "content": [use]},
                {"role": "user", "content": [result]},
                {"role": "assistant", "content": [{"type": "text", "text": said}]},
            ]
        file = self.work / "s-1.jsonl"
        with file.open("w", encoding="utf-8") as out:
            for number, message in enumerate(lines):
                stamp = f"2026-03-01T10:00:0{number}.000Z"
                line = {
                    "type": message["role"],
                    "message": message,
                    "sessionId": "s-1",
                    "cwd": str(self.work),
                    "version": "2.1.332",
                    "isSidechain": False,
                    "uuid": f"u{number}",
                    "parentUuid": f"u{number - 1}" if number else None,
                    "timestamp": stamp,
                }
                out.write(json.dumps(line) + "\n")
        self.said("import", "claude-code", str(file))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with running(tmp_path / "memory") as here:
        yield Desk(tmp_path, here)


def test_the_pages_example_is_a_mode_as_the_page_says(desk: Desk) -> None:
    draft = desk.work / "ops.json"
    draft.write_text(example(), "utf-8")
    said = desk.said("mode", "check", "ops.json")
    place = desk.modes / "ops.json"
    assert f"Its place is {place}." in said
    assert desk.refused("mode", "show", "ops").startswith("memfold: There is no mode 'ops'.")
    desk.put(example())
    shown = desk.said("mode", "show")
    assert shown.startswith("Operations (ops), language en\n")
    assert "extends code" in shown
    assert "  ▲ incident " in shown
    assert "refactor" not in shown
    data = json.loads(desk.said("mode", "show", "ops", "--json"))
    assert data["source"] == str(place)
    assert [one["id"] for one in data["types"]][:4] == ["incident", "runbook", "change", "bugfix"]
    assert data["types"][3]["from"] == "code"
    assert data["observer"]["instructions"].startswith("Write one observation")
    listed = desk.said("mode", "list")
    assert "ops (set): Operations, 10 types, 7 concepts; " in listed
    assert "code: Code, 9 types, 7 concepts; shipped with memfold\n" in listed
    desk.put("{", "bad.json")
    assert "WRONG modes/bad.json: it is not JSON" in desk.said("mode", "list")
    rows = json.loads(desk.said("mode", "list", "--json"))
    assert [row.get("id") for row in rows["modes"]] == ["code", "research", None, "ops"]
    assert rows["set"] == "ops"
    assert rows["trouble"] == ""


def test_a_running_daemon_follows_the_file_and_always_shows_an_index(desk: Desk) -> None:
    desk.put(example())
    desk.remember()
    context = desk.said("context")
    assert "Mode: Operations (ops). ▲ incident, ☰ runbook, ✓ change, ● bugfix," in context
    fixed = _symbol(context)
    assert fixed == "●"
    assert "mode: ops\n" in desk.said("status")

    own = '{"id": "ops", "name": "Ops", "types": [{"id": "x", "symbol": "¶", "label": "x", '
    desk.put(own + '"sentence": "An x."}]}')
    context = desk.said("context")
    assert "Mode: Ops (ops). ¶ x, ◎ session (S)." in context
    assert _symbol(context) == "□", "a type of another mode is shown"
    query = '{"query": "upload retry connection", "types": ["bugfix"]}'
    reply = desk.said("call", "mem_search", query)
    assert FIXED[:20] in reply
    assert " · □ · " in reply

    desk.put('{"id": "ops", "name": "Ops", "typs": []}')
    context = desk.said("context")
    assert "Mode: Code (code)." in context
    assert _symbol(context) == "●"
    why = "modes/ops.json: the file has an unknown key 'typs'. Did you mean `types`?"
    assert f"WRONG mode: code stands in for 'ops'. {why}\n" in desk.said("status")
    doctor = desk.run("doctor")
    assert doctor.returncode == 1
    assert f"WRONG mode: ops cannot be used, code stands in. {why}\n" in doctor.stdout
    assert " · ● · " in desk.said("call", "mem_search", query)
    assert why in desk.refused("mode", "show")
    assert why in desk.said("mode", "list")

    (desk.modes / "ops.json").unlink()
    assert "There is no mode 'ops'." in desk.said("status")
    desk.put(example())
    assert "Mode: Operations (ops)." in desk.said("context")
    assert why in (desk.here.home / "daemon.log").read_text("utf-8")


def test_a_cursor_outlives_a_change_of_the_mode(desk: Desk) -> None:
    """The tools are built anew for another mode; a search that was begun goes on."""
    desk.put(example())
    desk.remember()
    first = json.loads(desk.said("call", "mem_search", '{"query": "upload retry"}', "--json"))
    desk.put(example().replace("▲", "△"))
    ids = [first["entries"][0]["id"]]
    args = json.dumps({"continuation": first["cursor"], "selectedIds": ids})
    assert "step 2 of 3" in desk.said("call", "mem_search", args)


def _symbol(context: str) -> str:
    """The symbol on the line of what was fixed."""
    found = re.findall(r'^\d+ (?:[\d:]+[ap]m|") (.) Fixed the hang', context, re.MULTILINE)
    assert len(found) == 1, context
    return str(found[0])
