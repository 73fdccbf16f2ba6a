"""Where a path that an observation names lies in a directory: checkouts come and go."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.disclose.places import Directory


def checkout(folder: Path, *files: str, git: bool = True) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    if git:
        (folder / ".git").mkdir()
    for name in files:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    return folder


def test_absolute_and_relative_paths_are_one_file(tmp_path: Path) -> None:
    top = checkout(tmp_path / "app", "src/pool.py")
    for folder, found in ((top, "src/pool.py"), (top / "src", "pool.py")):
        directory = Directory(str(folder))
        assert directory.inside("src/pool.py", str(top)) == found
        assert directory.inside("src/pool.py", f"{top}/") == found
        assert directory.inside("pool.py", str(top / "src")) == found
        assert directory.inside("../app/src/./pool.py", str(top)) == found
        assert directory.inside(str(top / "src/pool.py"), str(top)) == found
        assert directory.inside(str(top / "src/pool.py"), "/somewhere/else") == found
        assert directory.inside(str(top / "src/pool.py"), "") == found


def test_what_is_elsewhere_or_gone_is_not_in_it(tmp_path: Path) -> None:
    top = checkout(tmp_path / "app", "src/pool.py", "srcs/other.py", "top.py")
    directory = Directory(str(top / "src"))
    for path in ("top.py", "srcs/other.py", "src/gone.py", "src", "", "../app/top.py"):
        assert directory.inside(path, str(top)) == ""
    assert directory.inside("pool.py", "") == ""


@pytest.mark.parametrize("cwd", ["", "/", "C:\\work", "\0", "relative", "/" + "x" * 9_999])
@pytest.mark.parametrize("path", ["\0", "\ud800", "C:\\a.py", "x" * 9_999, "/", ".", ".."])
def test_what_no_system_can_hold_is_nowhere(tmp_path: Path, path: str, cwd: str) -> None:
    assert Directory(str(checkout(tmp_path / "app", "a.py"))).inside(path, cwd) == ""


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_path_is_answered(path: str, cwd: str) -> None:
    found = Directory("/no/such/place").inside(path, cwd)
    assert found == ""


def test_a_link_to_the_checkout_is_the_checkout(tmp_path: Path) -> None:
    top = checkout(tmp_path / "app", "src/pool.py")
    link = tmp_path / "link"
    link.symlink_to(top)
    for folder in (top, link):
        directory = Directory(str(folder))
        assert directory.inside(str(link / "src/pool.py"), str(link)) == "src/pool.py"
        assert directory.inside("src/pool.py", str(link)) == "src/pool.py"
        assert directory.inside(str(top / "src/pool.py"), "") == "src/pool.py"


def test_a_file_of_another_checkout_is_the_file_at_the_same_place(tmp_path: Path) -> None:
    top = checkout(tmp_path / "app", "src/pool.py")
    for other in (tmp_path / "app-2", top / ".claude/worktrees/fix"):
        checkout(other, "src/pool.py", "src/only-there.py", git=False)
        (other / ".git").write_text("gitdir: elsewhere")
        directory = Directory(str(top / "src"))
        assert directory.inside("src/pool.py", str(other)) == "pool.py"
        assert directory.inside("pool.py", str(other / "src")) == "pool.py"
        assert directory.inside(str(other / "src/pool.py"), str(other)) == "pool.py"
        assert directory.inside("src/only-there.py", str(other)) == ""


def test_a_worktree_sees_the_work_of_the_checkout_it_lies_in(tmp_path: Path) -> None:
    top = checkout(tmp_path / "app", "src/pool.py")
    worktree = checkout(top / ".claude/worktrees/fix", "src/pool.py")
    directory = Directory(str(worktree / "src"))
    assert directory.inside("src/pool.py", str(top)) == "pool.py"
    assert directory.inside(str(worktree / "src/pool.py"), str(top)) == "pool.py"


def test_a_checkout_that_is_gone_still_counts(tmp_path: Path) -> None:
    top = checkout(tmp_path / "app", "src/pool.py", "README")
    directory = Directory(str(top), str(top), [str(tmp_path / "old")])
    assert directory.inside("src/pool.py", str(tmp_path / "wt-gone")) == "src/pool.py"
    assert directory.inside("README", str(tmp_path / "old")) == "README"
    gone = top / ".claude/worktrees/fix"
    assert directory.inside("src/pool.py", str(gone)) == "src/pool.py"
    assert directory.inside("pool.py", str(gone / "src")) == "src/pool.py"


def test_a_subdirectory_that_is_gone_is_not_taken_for_a_checkout(tmp_path: Path) -> None:
    """Every directory may have a README; only a checkout's own is the checkout's."""
    top = checkout(tmp_path / "app", "README")
    directory = Directory(str(top), str(top), [str(tmp_path / "old")])
    assert directory.inside("README", str(top / "gone")) == ""
    assert directory.inside("README", str(tmp_path / "old/sub")) == ""


def test_a_file_outside_the_sessions_own_checkout_stays_where_it_is(tmp_path: Path) -> None:
    top = checkout(tmp_path / "app", "README")
    other = checkout(tmp_path / "unrelated", "README")
    worktree = checkout(tmp_path / "app-2", "README")
    directory = Directory(str(top))
    assert directory.inside(str(other / "README"), str(worktree)) == ""
    assert directory.inside(str(top / "README"), str(worktree)) == "README"


def test_a_project_around_the_directory_sees_it_in_place(tmp_path: Path) -> None:
    """A session above a nested checkout names its files by their place in the outer one."""
    outer = checkout(tmp_path / "work", "README")
    inner = checkout(outer / "inner", "README", "a.py")
    directory = Directory(str(inner), str(outer))
    assert directory.inside("inner/a.py", str(outer)) == "a.py"
    assert directory.inside("README", str(outer)) == ""
    assert directory.inside("README", str(tmp_path / "work-2")) == ""


def test_outside_git_it_is_the_place_alone(tmp_path: Path) -> None:
    top = checkout(tmp_path / "notes", "a.md", "deep/b.md", git=False)
    checkout(tmp_path / "others", "a.md", git=False)
    directory = Directory(str(top / "deep"), str(top))
    assert directory.inside("deep/b.md", str(top)) == "b.md"
    assert Directory(str(top)).inside("a.md", str(tmp_path / "others")) == ""
