"""Which project a directory belongs to, on real repositories (spec/70 Project identity)."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from memfold.capture import git as git_program
from memfold.capture.checkout import (
    basename,
    common_dir,
    inspect,
    normal_remote,
    parents,
    plain,
    root_commit,
)
from memfold.capture.identity import ProjectFinder
from memfold.store.sqlite.store import SqliteStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(tmp_path / "db" / "m.db") if _folder(tmp_path / "db") else None
    assert opened is not None
    yield opened
    opened.close()


@pytest.fixture
def finder(store: SqliteStore) -> ProjectFinder:
    return ProjectFinder(store)


def _folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def git(place: Path, *args: str) -> None:
    identity = [
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@example.invalid",
        "-c",
        "protocol.file.allow=always",
    ]
    subprocess.run(["git", "-C", str(place), *identity, *args], check=True, capture_output=True)


def repository(path: Path, text: str = "one", remote: str = "") -> Path:
    _folder(path)
    git(path, "init", "-q", "-b", "main")
    (path / "file.txt").write_text(text)
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", text)
    if remote:
        git(path, "remote", "add", "origin", remote)
    return path


def test_subdirectories_and_worktrees_are_one_project(
    finder: ProjectFinder, tmp_path: Path
) -> None:
    repo = repository(tmp_path / "app")
    git(repo, "worktree", "add", "-q", str(tmp_path / "elsewhere" / "feature"), "-b", "feature")
    deep = _folder(repo / "src" / "deep")
    tree = tmp_path / "elsewhere" / "feature"
    found = {finder.project_for(str(place)).id for place in (repo, deep, tree)}
    assert len(found) == 1
    assert finder.project_for(str(tree)).name == "app"


def test_two_repositories_of_one_basename_are_two(finder: ProjectFinder, tmp_path: Path) -> None:
    one = finder.project_for(str(repository(tmp_path / "a" / "app", "one")))
    two = finder.project_for(str(repository(tmp_path / "b" / "app", "two")))
    assert one.id != two.id
    assert {one.name, two.name} == {"app", "app-2"}


@pytest.mark.parametrize("remote", ["", "git@example.com:team/app.git"])
def test_a_moved_checkout_keeps_its_memory(
    finder: ProjectFinder, tmp_path: Path, remote: str
) -> None:
    """By its remote, or by its root commit where the old place is gone."""
    repo = repository(tmp_path / "app", remote=remote)
    before = finder.project_for(str(repo))
    shutil.move(repo, tmp_path / "renamed")
    assert finder.project_for(str(tmp_path / "renamed")).id == before.id


def test_a_clone_of_the_same_remote_is_the_same_project(
    finder: ProjectFinder, tmp_path: Path
) -> None:
    one = repository(tmp_path / "one", remote="https://user@example.com/team/App.git")
    two = repository(tmp_path / "two", "other start", remote="git@example.com:team/app")
    assert finder.project_for(str(one)).id == finder.project_for(str(two)).id


def test_a_clone_of_a_local_checkout_is_the_same_project(
    finder: ProjectFinder, tmp_path: Path
) -> None:
    repo = repository(tmp_path / "app")
    first = finder.project_for(str(repo))
    subprocess.run(["git", "clone", "-q", str(repo), str(tmp_path / "copy")], check=True)
    assert finder.project_for(str(tmp_path / "copy")).id == first.id


def test_a_copy_beside_the_original_is_a_project_of_its_own(
    finder: ProjectFinder, tmp_path: Path
) -> None:
    """Same root commit, but the first checkout is still there: a fork, not a move."""
    repo = repository(tmp_path / "app")
    first = finder.project_for(str(repo))
    shutil.copytree(repo, tmp_path / "fork")
    assert finder.project_for(str(tmp_path / "fork")).id != first.id


def test_other_code_in_the_same_place_is_another_project(
    finder: ProjectFinder, tmp_path: Path
) -> None:
    repo = repository(tmp_path / "app", "old")
    first = finder.project_for(str(repo))
    shutil.rmtree(repo)
    repository(repo, "entirely new")
    second = finder.project_for(str(repo), fresh=True)
    assert second.id != first.id
    assert finder.project_for(str(repo), fresh=True).id == second.id


def test_git_init_after_first_use_keeps_the_project(finder: ProjectFinder, tmp_path: Path) -> None:
    place = _folder(tmp_path / "late")
    plain_one = finder.project_for(str(place))
    repository(place)
    assert finder.project_for(str(place)).id == plain_one.id
    assert finder.project_for(str(place), fresh=True).id == plain_one.id
    shutil.move(place, tmp_path / "later")
    assert finder.project_for(str(tmp_path / "later"), fresh=True).id == plain_one.id


@pytest.mark.parametrize("remote", ["", "git@example.com:team/app.git"])
def test_an_orphan_branch_is_the_same_code(
    finder: ProjectFinder, tmp_path: Path, remote: str
) -> None:
    """Its root commit is another; the known one is still there."""
    repo = repository(tmp_path / "app", remote=remote)
    first = finder.project_for(str(repo))
    git(repo, "checkout", "-q", "--orphan", "pages")
    git(repo, "commit", "-q", "-m", "pages")
    assert finder.project_for(str(repo), fresh=True).id == first.id


def test_a_new_remote_does_not_make_it_other_code(finder: ProjectFinder, tmp_path: Path) -> None:
    repo = repository(tmp_path / "app", remote="git@example.com:team/app.git")
    first = finder.project_for(str(repo))
    git(repo, "remote", "set-url", "origin", "git@example.org:moved/app.git")
    assert finder.project_for(str(repo), fresh=True).id == first.id
    other = repository(tmp_path / "clone", "x", remote="https://example.org/moved/app")
    assert finder.project_for(str(other)).id == first.id, "the new remote is remembered too"


def test_a_copy_of_a_living_checkout_that_moves_keeps_its_own_memory(
    finder: ProjectFinder, tmp_path: Path
) -> None:
    repo = repository(tmp_path / "app")
    first = finder.project_for(str(repo))
    shutil.copytree(repo, tmp_path / "fork")
    second = finder.project_for(str(tmp_path / "fork"))
    assert {first.name, second.name} == {"app", "fork"}
    assert finder.project_for(str(repo), fresh=True).id == first.id


def test_a_repository_whose_first_commit_comes_later_is_known_after_a_move(
    finder: ProjectFinder, tmp_path: Path
) -> None:
    repo = _folder(tmp_path / "app")
    git(repo, "init", "-q", "-b", "main")
    first = finder.project_for(str(repo))
    git(repo, "commit", "-q", "--allow-empty", "-m", "start")
    finder.project_for(str(repo), fresh=True)
    shutil.move(repo, tmp_path / "moved")
    assert finder.project_for(str(tmp_path / "moved")).id == first.id


def test_other_code_in_a_place_goes_to_the_project_of_its_remote(
    finder: ProjectFinder, tmp_path: Path
) -> None:
    known = finder.project_for(
        str(repository(tmp_path / "one", "a", remote="git@example.com:t/a.git"))
    )
    place = repository(tmp_path / "two", "b")
    assert finder.project_for(str(place)).id != known.id
    shutil.rmtree(place)
    repository(place, "c", remote="git@example.com:t/a.git")
    assert finder.project_for(str(place), fresh=True).id == known.id


def test_a_known_checkout_with_its_remote_starts_no_process(
    finder: ProjectFinder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session start must not wait for `git` in a large repository."""
    repo = repository(tmp_path / "app", remote="git@example.com:team/app.git")
    first = finder.project_for(str(repo))
    monkeypatch.setattr(git_program, "program", lambda: "")  # found once, so PATH says nothing
    assert finder.project_for(str(repo), fresh=True).id == first.id
    assert root_commit(repo) == "", "without git there is no root commit, and no failure"


def test_git_variables_of_a_surrounding_hook_do_not_mislead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A daemon may be started from within a git hook, which sets GIT_DIR."""
    one = repository(tmp_path / "one", "one")
    other = repository(tmp_path / "other", "other")
    expected = root_commit(one)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert root_commit(one) == expected != ""


def test_a_shallow_clone_has_no_root_commit(tmp_path: Path) -> None:
    """Where it was cut moves with every deeper fetch."""
    repo = repository(tmp_path / "app")
    (repo / ".git" / "shallow").write_text("0" * 40 + "\n")
    assert inspect(str(repo)).root_commit == ""


def test_a_bare_repository_with_worktrees_beside_it_is_named_by_its_folder(
    finder: ProjectFinder, tmp_path: Path
) -> None:
    source = repository(tmp_path / "source")
    layout = _folder(tmp_path / "app")
    git(layout, "clone", "-q", "--bare", str(source), ".bare")
    git(layout / ".bare", "worktree", "add", "-q", str(layout / "main-tree"), "main")
    (layout / ".git").write_text("gitdir: ./.bare\n")
    tree = inspect(str(layout / "main-tree"))
    assert (tree.name, tree.top) == ("app", str(layout.resolve()))
    assert inspect(str(layout)).git_dir == tree.git_dir


def test_what_is_gone_below_a_home_is_not_what_was_done_in_that_home(
    finder: ProjectFinder,
) -> None:
    """A session once started in /home/dev must not swallow every checkout that is gone."""
    homes = ["/home/dev", "/Users/dev", "C:\\Users\\dev", "/root", "/tmp"]
    for home in homes:
        own = finder.project_for(home)
        below = finder.project_for(f"{home}\\app" if "\\" in home else f"{home}/app")
        assert below.id != own.id


def test_a_missing_subdirectory_belongs_to_the_checkout_that_is_there(
    finder: ProjectFinder, tmp_path: Path
) -> None:
    repo = repository(tmp_path / "app")
    first = finder.project_for(str(repo))
    assert finder.project_for(str(repo / "removed" / "deep")).id == first.id
    longest = finder.project_for("/gone/app/part")
    finder.project_for("/gone/other")
    assert finder.project_for("/gone/app/part/x").id == longest.id


@pytest.mark.parametrize(
    "directory",
    ["/" + "long/" * 2_000, "/a\0b", "/\ud800/x", "relative/path", "", "/", "\\\\server\\share\\x"],
)
def test_no_directory_is_too_strange(finder: ProjectFinder, directory: str) -> None:
    """A payload may hold anything; the hook's answer must come."""
    project = finder.project_for(directory)
    assert finder.project_for(directory, fresh=True).id == project.id
    assert finder.known(directory) == project
    assert project.name


def test_a_directory_closed_to_us_is_like_one_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path) -> bool:
        raise PermissionError(13, "closed")

    monkeypatch.setattr(Path, "is_dir", refuse)
    assert not inspect(str(tmp_path)).exists


def test_a_submodule_is_a_project_of_its_own(finder: ProjectFinder, tmp_path: Path) -> None:
    part = repository(tmp_path / "part", "part")
    whole = repository(tmp_path / "whole", "whole")
    git(whole, "submodule", "add", "-q", str(part), "sub")
    assert finder.project_for(str(whole)).id != finder.project_for(str(whole / "sub")).id


def test_a_directory_that_is_gone_is_a_project_until_it_is_merged(
    finder: ProjectFinder, store: SqliteStore
) -> None:
    one = finder.project_for("/Users/somebody/code/app")
    two = finder.project_for("/home/other/app")
    assert one.id != two.id
    assert finder.project_for("/Users/somebody/code/app/internal/x").id == one.id
    store.merge([two.id], one.id)
    finder.forget_all()
    assert finder.known("/home/other/app") == finder.known("/Users/somebody/code/app")


def test_windows_paths_have_names_too(finder: ProjectFinder) -> None:
    project = finder.project_for("C:\\Users\\somebody\\app")
    assert project.name == "app"
    assert finder.project_for("C:\\Users\\somebody\\app\\src").id == project.id


def test_asking_makes_no_project(finder: ProjectFinder, store: SqliteStore, tmp_path: Path) -> None:
    assert finder.known(str(tmp_path)) is None
    assert finder.known("/nowhere/at/all") is None
    assert store.all_projects() == ()


def test_what_was_found_is_forgotten_in_bounds(
    finder: ProjectFinder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memfold.capture.identity._REMEMBERED", 2)
    ids = [finder.project_for(f"/gone/{name}").id for name in ("a", "b", "c")]
    assert finder.project_for("/gone/a").id == ids[0]


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("https://github.com/Team/App.git", "github.com/team/app"),
        ("https://user:pw@github.com/team/app/", "github.com/team/app"),
        ("ssh://git@github.com:22/team/app.git", "github.com/team/app"),
        ("git@github.com:team/app.git", "github.com/team/app"),
        ("github.com:team/app", "github.com/team/app"),
        ("ssh://git@ssh.github.com:443/team/app.git", "github.com/team/app"),
        ("https://github.com/team/app.git/", "github.com/team/app"),
        ("git@[::1]:team/app.git", "[::1]/team/app"),
        ("C:\\code\\app", "file:C:\\code\\app"),
        ("file:///srv/git/app.git", "file:/srv/git/app.git"),
        ("/srv/git/app", "file:/srv/git/app"),
    ],
)
def test_a_remote_has_one_form(url: str, form: str) -> None:
    assert normal_remote(url) == form


def test_bare_repositories_and_broken_pointers(tmp_path: Path) -> None:
    bare = _folder(tmp_path / "bare.git")
    git(bare, "init", "-q", "--bare")
    assert common_dir(bare) == bare.resolve()
    assert inspect(str(bare)).name == "bare"
    broken = _folder(tmp_path / "broken")
    (broken / ".git").write_text("gitdir: /nowhere\n")
    assert inspect(str(broken)).git_dir in {"", str(common_dir(tmp_path) or "")}
    (broken / ".git").write_text("nonsense")
    assert root_commit(broken) == ""


def test_a_config_that_cannot_be_read_has_no_remote(tmp_path: Path) -> None:
    repo = repository(tmp_path / "app")
    (repo / ".git" / "config").write_text("[[[\n")
    assert inspect(str(repo), commits=False).remote == ""


def test_paths_are_handled_in_their_own_systems_form() -> None:
    assert plain("/a/b/") == "/a/b"
    assert plain("c:\\a\\") == plain("C:/a") == "C:\\a"
    assert plain("") == "/"
    assert basename("/") == "/"
    assert list(parents("/a/b")) == ["/a/b", "/a"]
    assert list(parents("C:\\a\\b")) == ["C:\\a\\b", "C:\\a"]


def test_a_directory_keeps_every_key_it_has_been_known_by(
    store: SqliteStore, finder: ProjectFinder, tmp_path: Path
) -> None:
    """spec/20: reads cover every key this directory has been known by."""
    checkout = repository(tmp_path / "app")
    worktree = tmp_path / "app-tree"
    gone = finder.project_for(str(worktree))  # imported while it was not there
    main = finder.project_for(str(checkout))
    git(checkout, "worktree", "add", "-q", str(worktree))
    mine = finder.project_for(str(worktree), fresh=True)
    assert mine == main
    assert finder.keys(mine, str(worktree)) == (main.id, gone.id)
    assert finder.keys(main, str(checkout)) == (main.id,)


def test_a_remote_that_came_later_joins_what_is_read(
    store: SqliteStore, finder: ProjectFinder, tmp_path: Path
) -> None:
    one = repository(tmp_path / "one")
    two = repository(tmp_path / "two", "two", remote="https://example.com/us/app.git")
    first, second = finder.project_for(str(one)), finder.project_for(str(two))
    assert finder.keys(first, str(one)) == (first.id,)
    git(one, "remote", "add", "origin", "git@example.com:us/app.git")
    assert finder.keys(first, str(one)) == (first.id, second.id)


def test_a_directory_whose_git_is_gone_still_reads_what_it_had(
    store: SqliteStore, finder: ProjectFinder, tmp_path: Path
) -> None:
    checkout = repository(tmp_path / "app")
    before = finder.project_for(str(checkout))
    shutil.rmtree(checkout / ".git")
    now = finder.project_for(str(checkout), fresh=True)
    assert now.id != before.id
    assert finder.keys(now, str(checkout)) == (now.id, before.id)


def test_other_code_in_the_same_place_is_not_read(
    store: SqliteStore, finder: ProjectFinder, tmp_path: Path
) -> None:
    place = _folder(tmp_path / "app")
    before = finder.project_for(str(place))  # a plain directory first
    repository(place)
    assert finder.project_for(str(place), fresh=True) == before
    shutil.rmtree(place)
    repository(place, "other code")
    now = finder.project_for(str(place), fresh=True)
    assert now.id != before.id
    assert finder.keys(now, str(place)) == (now.id,)
