"""`memfold forget` as a person types it: gone from every file, and it does not come back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from claude_mem_database import Database, usual
from repositories import Repository
from running import Running, running, session_start, tool_use
from terminal import Terminal

from memfold.store.needs.forgetting import Scope
from memfold.store.sqlite.store import SqliteStore

WORD = "zanzibarium"


class Person(Terminal):
    def __init__(self, here: Running, folder: Path) -> None:
        super().__init__(here, folder)
        self.places = [folder / f"{WORD}-app", folder / "other"]
        for place in self.places:
            place.mkdir()
        self.folder = folder

    def data(self, *args: str) -> Any:
        return json.loads(self.said(*args, "--json"))

    def transcript(self, session: str, cwd: Path, word: str) -> Path:
        """A session file as Claude Code writes it."""
        common = {"sessionId": session, "cwd": str(cwd), "version": "2.1.0", "isSidechain": False}
        use = {"type": "tool_use", "id": f"t-{session}", "name": "Bash",
               "input": {"command": f"grep {word}"}}  # fmt: skip
        result = {"type": "tool_result", "tool_use_id": f"t-{session}", "content": f"{word}: 1"}
        said = f"The {word} cache ignored its limit; it now drops the oldest entry first."
        messages: list[tuple[str, Any]] = [
            ("user", f"Why is the {word} cache slow?"),
            ("assistant", [use]),
            ("user", [result]),
            ("assistant", [{"type": "text", "text": said}]),
        ]
        path = self.folder / "transcripts" / f"{session}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            "".join(
                json.dumps(
                    {**common, "type": role, "uuid": f"{session}{at}",
                     "timestamp": f"2026-03-01T10:00:0{at}.000Z",
                     "message": {"role": role, "content": content}}
                ) + "\n"
                for at, (role, content) in enumerate(messages)
            )
        )  # fmt: skip
        return path

    def bring_in(self) -> None:
        self.transcript("s1", self.places[0], WORD)
        self.transcript("s2", self.places[1], "lemon")
        self.said("import", "claude-code", str(self.folder / "transcripts"))

    def files_with(self, word: str) -> list[str]:
        found = []
        for file in self.here.home.rglob("*"):
            if file.is_file() and word.encode() in file.read_bytes().lower():
                found.append(file.name)
        return sorted(found)


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    with running(tmp_path / "home") as here:
        someone = Person(here, tmp_path)
        someone.bring_in()
        yield someone


def search(person: Person, word: str) -> str:
    args = json.dumps({"query": word})
    return person.said("call", "mem_search", args, "--cwd", str(person.places[0]))


def test_a_project_is_gone_from_every_file_and_stays_away(person: Person) -> None:
    backups = person.here.home / "backups"
    backups.mkdir(exist_ok=True)
    (backups / "memfold-schema1.db").write_text(f"an old copy with {WORD}")
    (backups / "claude-code.json").write_text("{}")  # what uninstall goes by
    bad = person.here.home / "spool" / "bad"
    bad.mkdir(parents=True, exist_ok=True)
    (bad / "broken.evt").write_text(f"{person.places[0]} cannot be read")
    search(person, WORD)
    assert person.files_with(WORD)
    would = person.data("forget", "--project", f"{WORD}-app", "--dry-run")
    assert would["forgotten"]["tool_uses"] == 1
    before = person.data("status")
    went = person.data("forget", "--project", f"{WORD}-app", "--yes")
    assert went["forgotten"] == would["forgotten"]
    assert went["forgotten"]["sessions"] == went["forgotten"]["projects"] == 1
    assert went["forgotten"]["backups"] == went["forgotten"]["spooled_events"] == 1
    assert [file.name for file in backups.iterdir()] == ["claude-code.json"]
    assert person.files_with(WORD) == []
    after = person.data("status")
    assert (before["sessions"], after["sessions"]) == (2, 1)
    person.said("import", "claude-code", str(person.folder / "transcripts"))
    assert person.data("status")["tool_uses"] == 1
    assert person.files_with(WORD) == []
    assert [one["name"] for one in person.data("project", "list")["projects"]] == ["other"]


def test_a_project_may_be_named_by_its_directory(person: Person) -> None:
    would = person.data("project", "forget", str(person.places[0]), "--dry-run")
    assert would["forgotten"]["projects"] == 1
    person.said("project", "forget", str(person.places[0]), "--yes")
    assert person.files_with(WORD) == []


def test_a_text_is_gone_and_the_rest_can_still_be_found(person: Person) -> None:
    person.said("forget", "--text", "CACHE", "--session", "s1", "--yes")
    assert "lemon" in person.said(
        "call", "mem_search", '{"query": "lemon"}', "--cwd", str(person.places[1])
    )
    assert person.data("status")["observations"] >= 1


def test_it_asks_first_and_says_when_nothing_fits(person: Person) -> None:
    done = person.run("forget", "--session", "s1")
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert person.data("status")["sessions"] == 2
    assert person.said("forget", "--text", "no such text", "--yes").startswith("Nothing fits")


@pytest.mark.parametrize(
    ("args", "what"),
    [
        ((), "not said what to forget"),
        (("--text", "ab"), "3 to 1,000"),
        (("--since", "yesterday-ish"), "ISO 8601"),
        (("--since", "1d", "--until", "2d"), "later than"),
        (("41", "--text", "word"), "stand alone"),
        (("X9",), "41, S7, P12 or T9"),
        (("--project", "nowhere"), "no project"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_sentence(
    person: Person, args: tuple[str, ...], what: str
) -> None:
    done = person.run("forget", *args, "--yes")
    assert done.returncode == 1
    assert what in done.stderr
    assert person.data("status")["sessions"] == 2


def test_a_run_that_was_broken_off_is_ended_by_the_next_daemon(person: Person) -> None:
    person.here.end()
    store = SqliteStore.open(person.here.home / "memfold.db")
    store.forget(Scope(session="s1"), 1 << 50, dry_run=False)  # and then it is killed
    store.close()
    assert person.files_with("grep " + WORD)
    person.here.start()
    person.data("forget", "--session", "nobody", "--dry-run")  # waits for what was before it
    assert person.files_with("grep " + WORD) == []


def test_what_is_captured_later_in_a_forgotten_session_is_kept(person: Person) -> None:
    place = person.places[0]
    person.here.hook(session_start(place, session="s1"))
    person.said("forget", "--session", "s1", "--yes")
    person.here.hook(tool_use(7, place, session="s1"))
    assert person.here.settled(2)["tool_uses"] == 2


def test_history_that_was_forgotten_is_not_imported_again(person: Person) -> None:
    repo = Repository(person.folder / "history")
    repo.commit("The quixotery drops the oldest entry first", cache_py="limit = 5\n")
    repo.commit("The pool has a limit", pool_py="limit = 5\n")
    assert "2 new observations" in person.said("import", "git", str(repo.place))
    person.said("forget", "--text", "Quixotery", "--yes")
    assert person.files_with("quixotery") == []
    assert "2 commits known before" in person.said("import", "git", str(repo.place))
    assert person.files_with("quixotery") == []
    person.said("forget", "--project", str(repo.place), "--yes")
    assert person.said("import", "git", str(repo.place)) == (
        "history: 2 commits, 0 new observations\n2 commits left out: forgotten\n"
    )
    names = [one["name"] for one in person.data("project", "list")["projects"]]
    assert "history" not in names


def test_a_claude_mem_database_does_not_bring_back_what_was_forgotten(person: Person) -> None:
    path = usual(person.folder / "cm.db").close()
    person.said("import", "claude-mem", str(path))
    before = person.data("status")["observations"]
    call = ("call", "get_observations", '{"ids": ["cm1"], "project": "app"}')
    person.said("forget", str(person.data(*call)["entries"][0]["id"]), "--yes")
    person.said("import", "claude-mem", str(path))
    assert person.data("status")["observations"] == before - 1
    person.said("forget", "--since", "2000-01-01", "--yes")
    assert person.data("status")["observations"] == 0
    other = Database(person.folder / "other.db")
    other.session("s9", "app")
    other.observation("s9", "The pool is given back on errors")
    tables = person.data("import", "claude-mem", str(other.close()))["tables"]
    assert tables[0]["skipped"] == {"forgotten": 1}
    assert person.data("status")["observations"] == 0
