"""Commits as observations: title, type, what is left out and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.observe.history.observer import Observed, observe_commit
from memfold.observe.history.subjects import MAX_TITLE_CHARS, subject_of
from memfold.records import Commit, CommitFile

NOW = 1_800_000_000_000
CODE = (CommitFile("src/pool.py", added=30, removed=4),)


def observed(
    message: str, files: tuple[CommitFile, ...] = CODE, *, parents: int = 1, at_ms: int = 5_000
) -> Observed:
    commit = Commit(
        id="a" * 40,
        parents=parents,
        authored_at_ms=at_ms,
        committed_at_ms=at_ms + 1,
        message=message,
        files=files,
        files_in_all=len(files),
    )
    return observe_commit(commit, NOW)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("feat(pool): give connections back (#41)", "pool: give connections back"),
        ("fix!: do not wait for ever", "Do not wait for ever"),
        ("fix(pool): the pool leaks on errors.", "The pool leaks on errors"),
        (":bug: fix: keep the order of rows", "Keep the order of rows"),
        ("✨ Sessions survive a restart", "Sessions survive a restart"),
        ("memfold gc retires old evidence", "memfold gc retires old evidence"),
        ("Note: this is no prefix of ours", "Note: this is no prefix of ours"),
        ("http: keep the socket open (#1) (#2)", "http: keep the socket open"),
        (
            'Revert "feat(pool): give connections back (#41)"',
            "Reverted: pool: give connections back",
        ),
        ('Reapply "feat: give connections back"', "Applied again: Give connections back"),
        ('Revert "Revert "feat: give it back""', "Applied again: Give it back"),
        ("feat: git_dir is found without git", "git_dir is found without git"),
    ],
)
def test_a_title_is_the_first_line_without_its_prefixes(line: str, title: str) -> None:
    assert subject_of(line).title == title


def test_a_long_title_ends_with_a_clause_or_a_word_and_the_text_has_it_whole() -> None:
    clause = "The pool gives connections back after an error; " + "what follows is about it " * 6
    assert subject_of(clause).title == "The pool gives connections back after an error"
    words = "the pool gives back its connections and " * 6
    title = subject_of(words).title
    assert len(title) <= MAX_TITLE_CHARS
    assert title.endswith("…")
    assert title[:-1].split(" ")[-1] in words.split()
    draft = observed(words).draft
    assert draft is not None
    assert words.strip() in draft.narrative


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("fix: wait for the lock", "bugfix"),
        ("feat: wait for the lock", "feature"),
        ("refactor: one place to wait", "refactor"),
        ("docs: how to wait for locks", "change"),
        ("chore: keep the lock file small", "change"),
        ("perf: waiting costs a tenth", "change"),
        ("security: the token is not logged", "security_note"),
        ("fix: path traversal in uploads", "security_note"),
        ("Fixed a crash when the pool is empty", "bugfix"),
        ("Prevent a second start of the daemon", "bugfix"),
        ("Add a limit to the upload", "feature"),
        ("Rename the pool to the well", "refactor"),
        ("Use sockets instead of pipes", "decision"),
        ("A deadlock at the end of a run", "bugfix"),
        ("The pool counts its connections", "change"),
    ],
)
def test_the_type_comes_from_prefix_and_words(line: str, kind: str) -> None:
    draft = observed(line).draft
    assert draft is not None
    assert draft.type == kind


def test_the_type_comes_from_the_change_where_the_words_do_not_say() -> None:
    made = (CommitFile("src/new.py", "A", 80, 0), CommitFile("src/old.py", "M", 3, 1))
    moved = (CommitFile("src/b.py", "R", 1, 1, "src/a.py"), CommitFile("src/c.py", "D", 0, 30))
    tests = (CommitFile("tests/test_a.py", "A", 80, 0),)
    adr = (CommitFile("docs/decisions/0003-locks.md", "A", 40, 0),)
    kinds = []
    for files in (made, moved, tests, adr):
        draft = observed("The lock belongs to the first who asks for it", files).draft
        assert draft is not None
        kinds.append(draft.type)
    assert kinds == ["feature", "refactor", "change", "decision"]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("Bump lodash from 4.17.20 to 4.17.21", "dependency bump"),
        ("chore(deps): update actions/checkout digest to 11bd719", "dependency bump"),
        ("build(deps-dev): bump black from 23.1 to 23.3\n\nBumps [black](https://x) a lot of text "
         "about what is new in it, line after line.", "dependency bump"),
        ("1.4.0", "version bump"),
        ("chore(release): 2.0.0 and what it brings", "version bump"),
        ("Release v3.2.1", "version bump"),
        ("wip", "work in progress"),
        ("WIP: pool gives connections back", "work in progress"),
        ("fixup! Give connections back", "work in progress"),
        ("style: blank lines around the classes", "formatting"),
        ("Fix typo", "formatting"),
        ("Run prettier", "formatting"),
        ("Address review comments", "says too little"),
        ("fix tests", "says too little"),
        ("Fix", "says too little"),
        ("", "says too little"),
    ],
)  # fmt: skip
def test_what_teaches_nothing_is_left_out_with_a_reason(message: str, reason: str) -> None:
    seen = observed(message)
    assert seen.draft is None
    assert seen.reason == reason


def test_merges_and_empty_commits_are_left_out() -> None:
    assert observed("Merge branch 'feature' of elsewhere", parents=2).reason == "merge"
    assert observed("Start the build once more", ()).reason == "no change to a file"


def test_a_poor_first_line_with_a_telling_text_stays() -> None:
    draft = observed(
        "Fix pool\n\nThe pool kept a connection whose\nsocket was closed by the server."
    )
    assert draft.draft is not None
    whole = "The pool kept a connection whose socket was closed by the server"
    assert draft.draft.title == f"Fix pool: {whole}"
    assert draft.draft.narrative == f"{whole}."


def test_people_are_left_out_of_the_text() -> None:
    message = (
        "Give connections back\n\nThey leaked.\n\n- first\n- second\n\n"
        "Signed-off-by: Some Body <some@example.org>\nCo-authored-by: A <a@example.org>\n"
        "Reviewed-by: B <b@example.org>\nFixes #12\n"
    )
    draft = observed(message).draft
    assert draft is not None
    assert draft.narrative == "They leaked.\n\n- first\n- second\n\nFixes #12"
    assert "example.org" not in repr(draft)
    assert draft.facts == ("1 file, 30 lines added, 4 removed", "Belongs to #12")


def test_a_revert_names_what_it_takes_back() -> None:
    by_id = observed('Revert "feat: x y z"\n\nThis reverts commit ' + "b" * 40 + ".")
    assert (by_id.reverts, by_id.reverted_subject) == ("b" * 40, "feat: x y z")
    assert by_id.draft is not None
    assert by_id.draft.type == "change"
    again = observed('Reapply "feat: x y z"')
    assert again.reverted_subject == 'Revert "feat: x y z"'


def test_a_clock_that_was_ahead_does_not_put_a_commit_into_the_future() -> None:
    for at_ms, expected in ((5_000, 5_000), (NOW * 2, NOW), (-5_000, NOW), (0, 1)):
        draft = observed("Give connections back", at_ms=at_ms).draft
        assert draft is not None
        assert draft.at_ms == expected


@given(st.text(max_size=400), st.lists(st.text(max_size=80), max_size=6))
def test_any_message_is_observed_or_left_out_with_a_reason(first: str, rest: list[str]) -> None:
    seen = observed("\n".join([first, *rest]))
    assert (seen.draft is None) == bool(seen.reason)
    if seen.draft is not None:
        assert 1 <= len(seen.draft.title) <= MAX_TITLE_CHARS
        assert "\n" not in seen.draft.title
