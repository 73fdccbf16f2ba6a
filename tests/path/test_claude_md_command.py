"""`memfold claude-md` as a person types it: what is written, and all that is not."""

from __future__ import annotations

import codecs
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import PLAIN

from memfold.hosts.marked import BEGIN, END

MEMFOLD = Path(sys.executable).with_name("memfold")
TITLE = "Pool.run keeps the connection when a query raises"


class Checkout:
    """A checkout with `src/pool.py`, a memory of its own, and a person in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.top = root / "app"
        (self.top / "src").mkdir(parents=True)
        (self.top / ".git").mkdir()
        for name in ("HEAD", "config"):
            (self.top / ".git" / name).write_text(
                "ref: refs/heads/main\n" if name == "HEAD" else ""
            )
        (self.top / "src/pool.py").write_text("x")
        self.claude, self.agents = self.top / "CLAUDE.md", self.top / "AGENTS.md"
        self.env = {
            "PATH": os.environ["PATH"],
            **PLAIN,
            "HOME": str(root),
            "LANG": "C.UTF-8",
            "MEMFOLD_HOME": str(root / "memory"),
            "MEMFOLD_TIMEZONE": "UTC",
        }

    def run(self, *args: str | Path) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [str(MEMFOLD), *map(str, args)],
            cwd=self.top,
            env=self.env,
            capture_output=True,
            timeout=60,
            check=False,
        )

    def claude_md(self, *args: str | Path) -> str:
        done = self.run("claude-md", *args)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def data(self, *args: str | Path) -> Any:
        return json.loads(self.claude_md(*args, "--json"))

    def refused(self, *args: str | Path) -> str:
        done = self.run("claude-md", *args)
        assert done.returncode == 1
        assert done.stdout == b""
        assert done.stderr.count(b"\n") == 1
        return done.stderr.decode()

    def remember(self, cwd: Path, file: Path | str, session: str = "s-1") -> None:
        """A session in ``cwd`` that edited the file."""
        given = {"file_path": str(file), "old_string": "a", "new_string": "b"}
        edits = {"type": "tool_use", "id": f"t-{session}", "name": "Edit", "input": given}
        result = {"type": "tool_result", "tool_use_id": f"t-{session}", "content": "updated"}
        found = f"The tests fail because {TITLE}. Fixed by releasing it in a finally block."
        lines: list[tuple[str, Any]] = [
            ("user", "Why does the pool run empty?"),
            ("assistant", [edits]),
            ("user", [result]),
            ("assistant", [{"type": "text", "text": found}]),
        ]
        path = self.root / f"{session}.jsonl"
        with path.open("w", encoding="utf-8") as out:
            for number, (role, content) in enumerate(lines):
                line = {
                    "type": role,
                    "message": {"role": role, "content": content},
                    "sessionId": session,
                    "cwd": str(cwd),
                    "uuid": f"{session}-{number}",
                    "parentUuid": f"{session}-{number - 1}" if number else None,
                    "timestamp": f"2026-03-01T10:00:0{number}.000Z",
                    "isSidechain": False,
                }
                out.write(json.dumps(line) + "\n")
        done = self.run("import", "claude-code", path)
        row = done.stdout.splitlines()[1].split()
        assert (row[0], row[4]) == (b"claude-code", b"1"), done  # one tool use is new


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    here = Checkout(tmp_path)
    yield here
    here.run("stop")


@pytest.fixture
def known(checkout: Checkout) -> Checkout:
    checkout.remember(checkout.top, checkout.top / "src/pool.py")
    return checkout


def test_made_when_asked_then_kept_up_to_date_then_taken_out(known: Checkout) -> None:
    said = known.refused()
    assert "There is no" in said
    assert "--create" in said
    assert not known.claude.exists()
    shown = known.claude_md("--create", "--dry-run")
    assert shown.startswith(f"would write {known.claude}: 1 file, 1 observation\n\n{BEGIN}\n")
    assert not known.claude.exists()
    assert known.claude_md("--create") == f"wrote {known.claude}: 1 file, 1 observation\n"
    body = known.claude.read_text("utf-8")
    assert body == shown.partition("\n\n")[2]
    assert "### `src/pool.py`" in body
    assert f"| 1 | Mar 1, 2026 10:00am | ● bugfix | The tests fail because {TITLE}" in body
    before = known.claude.stat()
    assert "up to date" in known.claude_md()
    assert known.claude.stat().st_mtime_ns == before.st_mtime_ns
    known.remember(known.top, "src/pool.py", "s-2")
    assert known.data()["changed"]
    assert "×2" in known.claude.read_text("utf-8")
    assert "would remove" in known.claude_md("--clean", "--dry-run")
    assert known.claude_md("--clean") == f"removed {known.claude}\n"
    assert not known.claude.exists()
    assert "nothing to do" in known.claude_md("--clean")


def test_a_subdirectory_names_its_files_from_itself(known: Checkout) -> None:
    told = known.data("src", "--create")
    assert told["path"] == str(known.top / "src/CLAUDE.md")
    assert told["created"] is True
    assert (told["files"], told["observations"], told["files_left_out"]) == (1, 1, 0)
    assert "### `pool.py`" in (known.top / "src/CLAUDE.md").read_text("utf-8")
    assert stat.S_IMODE((known.top / "src/CLAUDE.md").stat().st_mode) == 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize(
    "body",
    [
        b"# Rules\n\nBe kind.\n",
        b"no final line end",
        b"# Rules\r\n\r\nBe kind.\r\n",
        codecs.BOM_UTF8 + "Ümläute\r\n".encode(),
    ],
)
def test_what_a_person_wrote_stays_byte_for_byte(known: Checkout, body: bytes) -> None:
    known.claude.write_bytes(body)
    known.claude.chmod(0o640)
    said = known.refused()
    assert "no block" in said
    assert "--create" in said
    assert known.claude.read_bytes() == body
    known.claude_md("--create")
    written = known.claude.read_bytes()
    assert written.startswith(body)
    assert (b"\r\n" in written.removeprefix(body)) is (b"\r\n" in body)
    assert stat.S_IMODE(known.claude.stat().st_mode) == 0o640
    known.claude_md("--create")
    assert known.claude.read_bytes() == written
    assert "took the block out" in known.claude_md("--clean")
    assert known.claude.read_bytes() == body


def test_markers_that_a_person_placed_are_filled_there(known: Checkout) -> None:
    known.claude.write_text(f"above\n{BEGIN}\n{END}\nbelow\n")
    known.claude_md()
    body = known.claude.read_text("utf-8")
    assert body.startswith(f"above\n{BEGIN}\n## Recent work")
    assert body.endswith(f"{END}\nbelow\n")


@pytest.mark.parametrize(
    "body", [f"{BEGIN}\nx\n", f"x\n{END}\n", f"{END}\n{BEGIN}\n", f"{BEGIN}\n{BEGIN}\n{END}\n"]
)
@pytest.mark.parametrize("options", [(), ("--create",), ("--clean",), ("--clean", "--dry-run")])
def test_damaged_markers_are_refused(checkout: Checkout, body: str, options: tuple[str]) -> None:
    """No daemon is asked, and nothing is written."""
    checkout.claude.write_text(body)
    said = checkout.refused(*options)
    assert str(checkout.claude) in said
    assert "Nothing was changed" in said
    assert checkout.claude.read_text() == body
    assert not (checkout.root / "memory/memfold.sock").exists()


def test_which_of_the_two_files(known: Checkout) -> None:
    """CLAUDE.md; AGENTS.md where only that is there or that has the block; else as named."""
    known.agents.write_text("for all agents\n")
    assert known.data("--create")["path"] == str(known.agents)
    known.claude.write_text("for one agent\n")
    assert known.data()["path"] == str(known.agents)
    assert "no block" in known.refused("--file", "CLAUDE.md")
    assert known.data("--clean")["path"] == str(known.agents)
    assert known.agents.read_text() == "for all agents\n"
    assert known.data("--create")["path"] == str(known.claude)
    assert known.run("claude-md", "--file", "README.md").returncode == 2


def test_a_link_is_written_through_and_never_removed(known: Checkout) -> None:
    shared = known.root / "shared.md"
    shared.write_text("shared\n")
    known.claude.symlink_to(shared)
    known.claude_md("--create")
    assert known.claude.is_symlink()
    assert BEGIN in shared.read_text("utf-8")
    shared.write_text(f"{BEGIN}\n{END}\n")
    known.claude_md("--clean")
    assert known.claude.is_symlink()
    assert shared.read_bytes() == b""


def test_with_nothing_remembered_no_block_is_begun_and_one_says_so(checkout: Checkout) -> None:
    told = checkout.data("--create")
    assert told["changed"] is False
    assert told["files"] == 0
    assert "nothing was written" in checkout.claude_md("--create")
    assert not checkout.claude.exists()
    checkout.claude.write_text(f"{BEGIN}\nof another memory\n{END}\n")
    assert "nothing is remembered" in checkout.claude_md()
    lines = checkout.claude.read_text("utf-8").splitlines()
    assert lines[0] == BEGIN
    assert lines[1].startswith("Nothing is remembered")
    assert lines[2:] == [END]
    assert checkout.data()["changed"] is False


def test_looking_makes_no_project(checkout: Checkout) -> None:
    checkout.data("--create")
    projects = json.loads(checkout.run("project", "list", "--json").stdout)
    assert projects == {"projects": []}


def test_work_in_a_worktree_that_is_gone_is_work_on_this_file(checkout: Checkout) -> None:
    """Its sessions are of the same project; the file is the one at the same place."""
    worktree = checkout.root / "app-fix"
    worktree.mkdir()
    pointed = checkout.top / ".git/worktrees/app-fix"
    pointed.mkdir(parents=True)
    (pointed / "HEAD").write_text("ref: refs/heads/fix\n")
    (pointed / "commondir").write_text("../..\n")
    (worktree / ".git").write_text(f"gitdir: {pointed}\n")
    checkout.remember(worktree, worktree / "src/pool.py")
    (worktree / ".git").unlink()
    worktree.rmdir()
    assert checkout.data("src", "--create")["files"] == 1


def test_outside_git_a_subdirectory_belongs_to_the_directory_above(checkout: Checkout) -> None:
    notes = checkout.root / "notes"
    (notes / "deep").mkdir(parents=True)
    (notes / "deep/a.md").write_text("x")
    checkout.remember(notes, notes / "deep/a.md")
    assert "### `a.md`" in checkout.data(notes / "deep", "--create")["text"]


@pytest.mark.parametrize("what", ["missing", "file"])
def test_a_directory_is_needed(checkout: Checkout, what: str) -> None:
    (checkout.top / "file").write_text("x")
    assert "is not a directory" in checkout.refused(what)


def test_a_file_that_is_no_text_file_is_left_alone(checkout: Checkout) -> None:
    checkout.claude.write_bytes("é".encode("utf-16"))
    assert "not UTF-8" in checkout.refused("--create")
    checkout.claude.unlink()
    os.mkfifo(checkout.claude)
    assert "is not a file" in checkout.refused("--create")


def test_create_and_clean_exclude_each_other(checkout: Checkout) -> None:
    done = checkout.run("claude-md", "--create", "--clean")
    assert done.returncode == 2
    assert b"Usage:" in done.stderr


def test_refusals_are_data_with_json(checkout: Checkout) -> None:
    done = checkout.run("claude-md", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"] == "invalid_input"
