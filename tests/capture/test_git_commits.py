"""Git asked safely, on real repositories: what is read, and what is never run."""

from __future__ import annotations

from pathlib import Path

import pytest
from repositories import Repository, git

from memfold.capture import commits
from memfold.capture.git import PLAIN_DIFF, ask, is_commit_id

AWS = "AKIA" + "Q4ZXMWJ3T7NB6RCD"


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "app")


def test_a_commit_is_read_with_its_change_and_without_its_author(repo: Repository) -> None:
    repo.commit("first", a_py="1\n2\n", b_py="x\n" * 40)
    (repo.place / "b.py").rename(repo.place / "c.py")
    (repo.place / "a.py").write_text("1\n3\n")
    (repo.place / "né w\t.txt").write_text("odd\n")
    last = repo.commit_all("Second: naïve\n\nbody\n")
    ids = commits.new_ids(repo.place, limit=10)
    assert ids is not None
    assert ids[-1] == last
    _, second = commits.read(repo.place, ids)
    assert (second.id, second.parents, second.message) == (last, 1, "Second: naïve\n\nbody")
    assert second.authored_at_ms == repo.now_s * 1000
    told = {one.path: (one.kind, one.added, one.removed, one.before) for one in second.files}
    assert told == {
        "a.py": ("M", 1, 1, ""),
        "c.py": ("R", 0, 0, "b.py"),
        "né w\t.txt": ("A", 1, 0, ""),
    }
    assert "example.org" not in repr(second)


def test_messages_that_imitate_the_format_stay_messages(repo: Repository) -> None:
    fake = "f" * 40
    said = f"Subject here now\n\n{fake}\n1 2 {fake}\n:100644 100644 {fake} {fake} M\x01\x02"
    repo.commit(said)
    ids = commits.new_ids(repo.place, limit=10)
    assert ids is not None
    (only,) = commits.read(repo.place, ids)
    assert only.message == said
    assert [one.path for one in only.files] == ["pool.py"]


def test_limit_since_and_behind(repo: Repository) -> None:
    ids = [repo.commit(f"commit number {n}") for n in range(5)]
    place = repo.place
    assert commits.new_ids(place, limit=2) == ids[3:]
    assert commits.new_ids(place, limit=9, behind=ids[2]) == ids[3:]
    assert commits.new_ids(place, limit=9, behind="e" * 40) == ids
    assert commits.new_ids(place, limit=9, behind="--all") == ids
    since = repo.now_s - 3_600
    assert commits.new_ids(place, limit=9, since_s=since) == ids[3:]


def test_places_without_a_history(tmp_path: Path) -> None:
    empty = Repository(tmp_path / "empty")
    assert commits.new_ids(empty.place, limit=5) == ()
    assert commits.head(tmp_path) == ""
    assert ask(tmp_path / "gone", "rev-parse", "HEAD", timeout_s=5) is None
    assert ask(Path("/a\0b"), "rev-parse", "HEAD", timeout_s=5) is None


def test_secrets_and_private_parts_stay_out(repo: Repository) -> None:
    commit = repo.commit(f"Use {AWS} here\n\n<private>hush</private>", a_py=f"KEY = '{AWS}'\n")
    (read,) = commits.read(repo.place, [commit])
    shown = commits.show([str(repo.place)], [commit])
    assert shown is not None
    for text in (read.message, shown[1]):
        assert AWS not in text
        assert "hush" not in text
    assert "KEY = " in shown[1]


def test_a_change_is_shown_from_the_first_place_that_has_it(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = repo.commit("Give connections back", a_py="x = 1\n")
    places = [str(tmp_path / "gone"), str(repo.place)]
    shown = commits.show(places, ["d" * 40, commit])
    assert shown is not None
    assert shown[0] == commit
    assert "Give connections back" in shown[1]
    assert "+x = 1" in shown[1]
    assert "example.org" not in shown[1]
    assert commits.show(places, ["d" * 40]) is None
    assert commits.show(places, ["--output=/tmp/x"]) is None
    monkeypatch.setattr(commits, "SHOW_BYTES", 30)
    cut = commits.show(places, [commit])
    assert cut is not None
    assert "the change is longer" in cut[1]


def test_nothing_that_a_repository_names_is_run(repo: Repository, tmp_path: Path) -> None:
    """Each of these settings makes a plain `git` run the program; ours must not."""
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho x >> {ran}\ncat\n")
    program.chmod(0o700)
    repo.commit("one two three", a_txt="1\n", **{".gitattributes": "* diff=evil filter=evil\n"})
    commit = repo.commit("four five six", a_txt="2\n")
    (tmp_path / "order").write_text("")
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
        (hooks / hook).symlink_to(program)
    for name, value in {
        "diff.external": str(program),
        "diff.evil.textconv": str(program),
        "diff.evil.command": str(program),
        "filter.evil.smudge": str(program),
        "filter.evil.clean": str(program),
        "core.fsmonitor": str(program),
        "core.hooksPath": str(hooks),
        "core.pager": str(program),
        "pager.show": str(program),
        "pager.log": str(program),
        "log.showSignature": "true",
        "gpg.program": str(program),
        "core.sshCommand": str(program),
        "diff.orderFile": str(tmp_path / "order"),
    }.items():
        git(repo.place, "config", name, value)
    git(repo.place, "show", "--ext-diff", commit)
    assert ran.exists(), "the settings work, or this test proves nothing"
    ran.unlink()
    ids = commits.new_ids(repo.place, limit=9)
    assert ids is not None
    assert len(list(commits.read(repo.place, ids))) == 2
    shown = commits.show([str(repo.place)], [commit])
    assert shown is not None
    assert "+2" in shown[1]
    assert not ran.exists()


def test_git_that_takes_too_long_or_says_too_much_is_ended(repo: Repository) -> None:
    commit = repo.commit("much to say here", a_py="line\n" * 50_000)
    answer = ask(repo.place, "show", *PLAIN_DIFF, commit, timeout_s=20, most_bytes=1_000)
    assert answer is not None
    assert answer.cut
    assert len(answer.out) == 1_000
    assert ask(repo.place, "cat-file", "--batch", timeout_s=0, stdin=b"HEAD\n" * 200_000) is None


def test_ids_are_full_and_lower_case() -> None:
    assert is_commit_id("a" * 40)
    assert is_commit_id("0" * 64)
    for wrong in ("", "a" * 39, "A" * 40, "g" * 40, "-" * 40, "a" * 41):
        assert not is_commit_id(wrong)
