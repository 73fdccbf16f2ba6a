"""`memfold why` and `memfold eval observer` over a real daemon; sessions are of our own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import Running, running
from terminal import Terminal


class Person(Terminal):
    """Somebody who imported one session of two turns: a change, and its taking back."""

    def __init__(self, here: Running, cwd: Path, folder: Path) -> None:
        super().__init__(here, cwd)
        folder.mkdir()
        (folder / "s1.jsonl").write_text("\n".join(json.dumps(one) for one in _session(cwd)))
        here.start()
        self.said("import", "claude-code", str(folder))


def _session(cwd: Path) -> list[dict[str, Any]]:
    file = str(cwd / "pool.py")
    edit = {"file_path": file, "old_string": "take()", "new_string": "take(wait=True)"}
    back = {"command": "git checkout -- pool.py"}
    lines: list[dict[str, Any]] = []

    def add(kind: str, content: Any) -> None:
        number = len(lines)
        lines.append(
            {
                "type": kind,
                "uuid": f"u{number}",
                "parentUuid": f"u{number - 1}" if number else None,
                "sessionId": "s1",
                "cwd": str(cwd),
                "timestamp": f"2026-03-01T10:00:{number:02}.000Z",
                "message": {"role": kind, "content": content},
            }
        )

    def call(key: str, tool: str, given: dict[str, Any], result: str) -> None:
        add("assistant", [{"type": "tool_use", "id": key, "name": tool, "input": given}])
        add("user", [{"type": "tool_result", "tool_use_id": key, "content": result}])

    def say(text: str) -> None:
        add("assistant", [{"type": "text", "text": text}])

    add("user", "the pool runs empty")
    call("t1", "Bash", {"command": "ls"}, "pool.py")
    call("t2", "Edit", edit, "The file has been updated.")
    say("`Pool.take` now waits because the last connection may come back. Let me know!")
    add("user", "that makes it slow, undo it")
    call("t3", "Bash", back, "Updated 1 path from the index")
    say("Reverted the waiting in `pool.py`, because every request became slow.")
    add("user", "thanks")
    return lines


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    for name in ("app", "nowhere"):
        (tmp_path / name).mkdir()
    with running(tmp_path / "home") as here:
        yield Person(here, tmp_path / "app", tmp_path / "sessions")


def test_why_names_rule_sentence_tool_uses_and_what_was_left_out(person: Person) -> None:
    text = person.said("why", "1")
    assert text.startswith("[1] `Pool.take` now waits because the last connection may come back\n")
    assert "builtin/2" in text
    assert "title: the agent said it (" in text
    assert "says how it is now +2.5" in text
    assert "left out: " in text
    assert "1 looked for files or text" in text
    assert "Edit " in text
    assert "Bash ls" not in text
    data = json.loads(person.said("why", "1", "--json"))
    assert data["said"].startswith("`Pool.take` now waits")
    assert [use["teaches_nothing"] for use in data["tool_uses"]] == [""]


def test_what_was_taken_back_says_by_what(person: Person) -> None:
    assert json.loads(person.said("why", "1", "--json"))["superseded_by"] == 2
    assert "Superseded by 2." in person.said("why", "1")
    assert "(superseded by 2)" in person.said("context")


def test_a_note_says_that_it_was_written_down(person: Person) -> None:
    person.said("call", "memory_note", '{"title": "Deploys go out on Tuesdays only"}')
    assert "Somebody wrote it down" in person.said("why", "3")


@pytest.mark.parametrize(
    ("given", "said"),
    [("99", "There is no observation 99"), ("S1", "is a summary"), ("x", "Ids look like 41")],
)
def test_a_wrong_id_is_refused_in_a_sentence(person: Person, given: str, said: str) -> None:
    done = person.run("why", given)
    assert done.returncode == 1
    assert said in done.stderr


def test_another_projects_observation_is_not_explained(person: Person, tmp_path: Path) -> None:
    done = person.run("why", "1", cwd=tmp_path / "nowhere")
    assert done.returncode == 1
    assert "belongs to the project" in done.stderr


def test_eval_observer_draws_the_same_ones_and_counts(person: Person, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "claude-code").mkdir(parents=True)
    (data / "unheard-of").mkdir()
    (data / "claude-code" / "s1.jsonl").write_bytes(
        (tmp_path / "sessions" / "s1.jsonl").read_bytes()
    )
    asked = ("eval", "observer", "--data", str(data), "--sample", "1", "--json")
    first, second = (json.loads(person.said(*asked)) for _ in range(2))
    assert first["sample"] == second["sample"]
    (host,) = first["hosts"]
    assert (host["host"], host["tool_uses"], host["observations"]) == ("claude-code", 3, 2)
    assert host["nothing"] == {"looked for files or text": 1}
    assert list(first["left_out"]) == ["unheard-of"]
    assert "tool uses" in person.said("eval", "observer", "--data", str(data), "--sample", "1")
    wrong = person.run("eval", "observer", "--data", str(tmp_path / "gone"))
    assert wrong.returncode == 1
    assert "--data" in wrong.stderr
