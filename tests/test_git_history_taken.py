"""History taken into a store: once, whatever is rewritten; reverts; what is new at a start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from repositories import Repository, git

from memfold.capture import commits
from memfold.capture.identity import ProjectFinder
from memfold.disclose.evidence import get_tool_uses
from memfold.errors import InvalidInput
from memfold.git_history import GitHistory
from memfold.records import Caller, Entry, Project
from memfold.settings import Settings
from memfold.store.sqlite.store import SqliteStore

NOW = 1_800_000_000_000


class Taking:
    def __init__(self, store: SqliteStore, repo: Repository) -> None:
        self.store, self.repo = store, repo
        self.finder = ProjectFinder(store)
        self.history = self.with_settings({})

    def with_settings(self, values: dict[str, Any]) -> GitHistory:
        return GitHistory(self.store, self.finder, Settings(values), lambda: NOW)

    def take(self, limit: int = 1_000, since_ms: int | None = None) -> dict[str, Any]:
        place = str(self.repo.place)
        *_, last = self.history.take(place, since_ms=since_ms, limit=limit)
        result: dict[str, Any] = last["result"]
        return result

    def entries(self) -> list[Entry]:
        project = self.finder.known(str(self.repo.place))
        assert project is not None
        return list(reversed(self.store.recent([project.id], "observation", 100)))

    def titles(self) -> list[str]:
        return [one.title for one in self.entries()]


def first_of(store: SqliteStore) -> Project:
    return store.all_projects()[0].project


@pytest.fixture
def taking(tmp_path: Path) -> Iterator[Taking]:
    store = SqliteStore.open(tmp_path / "m.db")
    yield Taking(store, Repository(tmp_path / "app"))
    store.close()


def test_history_is_taken_once_and_goes_on(taking: Taking) -> None:
    repo = taking.repo
    repo.commit("feat: pools are shared")
    repo.commit("wip")
    result = taking.take()
    assert (result["commits"], result["observations"]) == (2, 1)
    assert result["left_out"] == {"work in progress": 1}
    assert taking.take()["known"] == 2
    repo.commit("fix: pools are not shared")
    result = taking.take()
    assert (result["known"], result["observations"]) == (2, 1)
    assert taking.titles() == ["Pools are shared", "Pools are not shared"]
    session = taking.store.session("git", first_of(taking.store).uid)
    assert session is not None
    now_ms = repo.now_s * 1000
    assert (session.started_at_ms, session.last_at_ms) == (now_ms - 2 * 3_600_000, now_ms)
    first = taking.entries()[0]
    assert (first.type, first.host, first.cwd) == ("feature", "git", str(repo.place))
    assert first.at_ms == (repo.now_s - 2 * 3_600) * 1000


def test_older_history_can_be_taken_later(taking: Taking) -> None:
    for number in range(6):
        taking.repo.commit(f"The pool holds {number} connections")
    assert taking.take(limit=2)["observations"] == 2
    since_ms = (taking.repo.now_s - 3 * 3_600) * 1000
    assert taking.take(since_ms=since_ms)["observations"] == 2
    assert taking.take()["observations"] == 2
    assert len(taking.entries()) == 6


def test_a_rebase_a_reword_and_a_cherry_pick_make_no_second_observation(taking: Taking) -> None:
    repo = taking.repo
    base = repo.commit("The pool has a limit")
    repo.commit("The pool says when it is full", a_py="a = 1\n")
    repo.commit("The pool forgets what is closed", b_py="b = 1\n")
    taking.take()
    tip = repo.head()
    git(repo.place, "checkout", "-q", "-b", "other", base)
    repo.commit("The pool is named", c_py="c = 1\n")
    git(repo.place, "cherry-pick", f"{base}..{tip}")
    git(repo.place, "commit", "-q", "--amend", "-m", "The pool forgets connections that are closed")
    assert repo.head() != tip
    result = taking.take()
    assert (result["observations"], result["rewritten"]) == (1, 2)
    assert len(taking.entries()) == 4


def test_a_revert_marks_what_it_takes_back_and_reapplying_marks_the_revert(taking: Taking) -> None:
    repo = taking.repo
    repo.commit("feat: pools are shared", a_py="a = 1\n")
    git(repo.place, "revert", "--no-edit", "HEAD")
    repo.commit('Reapply "feat: pools are shared"', a_py="a = 1\n")
    assert taking.take()["superseded"] == 2
    first, revert, again = sorted(taking.entries(), key=lambda one: one.id)
    assert (first.superseded_by, revert.superseded_by, again.superseded_by) == (
        revert.id,
        again.id,
        None,
    )
    assert [one.title for one in (revert, again)] == [
        "Reverted: Pools are shared",
        "Applied again: Pools are shared",
    ]


def test_a_session_that_starts_takes_only_what_is_new(taking: Taking) -> None:
    repo = taking.repo
    place = str(repo.place)
    repo.commit("The pool has a limit")
    taking.finder.project_for(place)
    assert taking.history.catch_up(place) == 0, "nothing was imported yet"
    taking.take()
    assert taking.history.catch_up(place) == 0
    repo.commit("The pool says when it is full")
    inside = repo.place / "src"
    inside.mkdir()
    assert taking.history.catch_up(str(inside)) == 1
    assert taking.history.catch_up(place) == 0
    assert len(taking.entries()) == 2
    assert taking.with_settings({"excluded_projects": (place,)}).catch_up(place) == 0


def test_the_commit_is_the_evidence_as_long_as_it_is_there(taking: Taking) -> None:
    repo = taking.repo
    commit = repo.commit("The pool has a limit\n\nElse it grows.", a_py="limit = 5\n")
    taking.take()
    (entry,) = taking.entries()
    caller = Caller(project_ids=(entry.project_id,))
    asked = {"observation_ids": [entry.id]}
    text = get_tool_uses(taking.store, caller, asked, commits.show).text
    assert text.startswith("1 commit, ")
    assert f"## commit {commit} · observation {entry.id}\n" in text
    assert "  Else it grows.\n" in text
    assert "  +limit = 5" in text
    repo.place.rename(repo.place.with_name("elsewhere"))
    gone = get_tool_uses(taking.store, caller, asked, commits.show).text
    assert "  The pool has a limit\n" in gone
    assert f"The change cannot be shown: {repo.place} no longer has this commit." in gone
    (details,) = taking.store.details([("observation", entry.id, entry.project_id)])
    assert [one.id for one in details.commits] == [commit]


def test_excluded_places_and_paths_stay_out(taking: Taking) -> None:
    repo = taking.repo
    repo.commit("The key store has a limit", secret__keys_py="x\n")
    repo.commit("Two places at once here", secret__keys_py="y\n", a_py="y\n")
    hidden = taking.with_settings({"excluded_paths": ("*/secret/*",)})
    *_, last = hidden.take(str(repo.place), since_ms=None, limit=9)
    assert last["result"]["left_out"] == {"excluded paths": 1}
    (entry,) = taking.entries()
    assert [one.path for one in entry.files] == ["a.py"]
    closed = taking.with_settings({"excluded_projects": (str(repo.place),)})
    with pytest.raises(InvalidInput, match="excluded"):
        list(closed.take(str(repo.place), since_ms=None, limit=9))


def test_what_is_no_repository_is_refused(taking: Taking, tmp_path: Path) -> None:
    for place in (str(tmp_path / "gone"), str(tmp_path)):
        with pytest.raises(InvalidInput):
            list(taking.history.take(place, since_ms=None, limit=9))
    assert taking.take()["commits"] == 0
