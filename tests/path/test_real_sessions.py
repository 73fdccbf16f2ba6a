"""Real sessions, taken in as a new user would: nothing is lost, and later it is found again.

The sessions lie beside a checkout (../shared/data/transcripts) and are never copied here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from running import PLAIN

from memfold import measure

REPO = Path(__file__).resolve().parents[2]
TRANSCRIPTS = REPO.parent / "shared" / "data" / "transcripts"
QUESTIONS = json.loads((REPO / "src/memfold/evals/questions.json").read_text("utf-8"))
GIT_SYNC = (
    "/Users/dev01/Work/entire/devenv/git-sync",
    "/Users/dev01/Work/entire/devenv/gitsync",
    "/Users/dev08/wks/gitsync",
    "/Users/dev13/work/entire/git-sync",
    "/Users/dev13/work/entire/gitsync",
)
SPOTTER = ("/home/dev03/projects/spotter", "/home/USER/projects/spotter-worktrees/spotter-gqc")

pytestmark = [
    pytest.mark.shared_data,
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("real_sessions"),
    pytest.mark.skipif(
        not TRANSCRIPTS.is_dir(), reason="../shared/data/transcripts is not beside this checkout"
    ),
]


@dataclass(frozen=True)
class Memory:
    """One data directory with every Claude Code and Codex session in it."""

    home: Path
    first: dict[str, Any]
    second: dict[str, Any]
    codex: dict[str, Any]

    def run(self, *args: str) -> str:
        return memfold(self.home, *args)


def memfold(home: Path, *args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", "from memfold.cli.main import main; main()", *args],
        env={**os.environ, "MEMFOLD_HOME": str(home), "MEMFOLD_TIMEZONE": "UTC", **PLAIN},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    home = tmp_path_factory.mktemp("memory")
    claude = ("import", "claude-code", str(TRANSCRIPTS / "claude-code" / "projects"), "--json")
    try:
        first = json.loads(memfold(home, *claude))
        codex = json.loads(memfold(home, "import", "codex", str(TRANSCRIPTS / "codex"), "--json"))
        second = json.loads(memfold(home, *claude))
        memfold(home, "project", "merge", *GIT_SYNC[1:], "--into", GIT_SYNC[0])
        memfold(home, "project", "merge", SPOTTER[1], "--into", SPOTTER[0])
        yield Memory(home, first, second, codex)
    finally:
        memfold(home, "stop")


def test_every_tool_use_is_stored_or_counted_with_a_reason(memory: Memory) -> None:
    """data/transcripts/README.md counts 568 tool calls in 29 Claude Code files."""
    assert memory.first["files"] == 29
    stored, skipped = memory.first["tool_uses_stored"], memory.first["tool_uses_skipped"]
    assert stored + skipped == 568
    assert sum(memory.first["skipped_reasons"].values()) == skipped
    assert stored > 540


def test_bad_lines_are_counted_and_not_fatal(memory: Memory) -> None:
    """Five lines of two files are not JSON in their sources either."""
    assert memory.first["bad_lines"] == 5


def test_a_second_import_adds_nothing(memory: Memory) -> None:
    added = ("sessions", "prompts", "tool_uses_stored", "observations")
    assert {name: memory.second[name] for name in added} == dict.fromkeys(added, 0)


@pytest.mark.parametrize("directories", [GIT_SYNC, SPOTTER], ids=["git-sync", "spotter"])
def test_merged_directories_show_one_memory(memory: Memory, directories: tuple[str, ...]) -> None:
    """A directory that is gone is a project of its own until it is merged."""
    texts = {_undated(memory.run("context", "--cwd", path)) for path in directories}
    assert len(texts) == 1
    assert measure.utf16_units(texts.pop()) <= 10_000


def test_no_line_says_only_which_tool_ran(memory: Memory) -> None:
    """spec/70 names what is worthless in an index."""
    text = memory.run("context", "--cwd", GIT_SYNC[0])
    worthless = ("Ran ", "Edited ", "Updated file", "Read ", "Executed ", "Completed task")
    titles = [line.split(maxsplit=3)[-1] for line in text.splitlines() if line[:1].isdigit()]
    assert len(titles) >= 10
    assert [t for t in titles if t.startswith(worthless)] == []


def test_questions_find_their_session(memory: Memory) -> None:
    """At least 17 of 20 questions are answered by the session that holds the answer."""
    missed = [q for q in QUESTIONS["questions"] if not _finds(memory, q)]
    assert len(missed) <= 3, json.dumps(missed, indent=1)


def _finds(memory: Memory, question: dict[str, str]) -> bool:
    arguments = json.dumps({"query": question["query"], "mode": "auto", "project": "*"})
    reply = json.loads(memory.run("call", "mem_search", arguments, "--json"))
    return question["session"] in [entry["session"] for entry in reply["entries"][:5]]


def _undated(text: str) -> str:
    """Without the line that says what time it is."""
    return "\n".join(line for line in text.splitlines() if "recent context, " not in line)
