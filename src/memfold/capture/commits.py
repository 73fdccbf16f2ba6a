"""A repository's commits as records: ids first, then message and change of those that are new."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memfold.capture import git
from memfold.capture.private import strip_private
from memfold.capture.redact import clipped, redact
from memfold.records import Commit, CommitFile

_LIST_S = 30.0
_READ_S = 60.0  # for one batch
_SHOW_S = 20.0
_BATCH = 200  # commits of one call
_READ_BYTES = 64 << 20  # of one call; a commit of a million files is not read in full
_MESSAGE_CHARS = 16_000
MOST_FILES = 2_000  # of one commit
SHOW_BYTES = 2 << 20  # of one commit's change


def new_ids(
    place: Path, *, since_s: int | None = None, limit: int, behind: str = ""
) -> Sequence[str] | None:
    """Ids of the newest ``limit`` commits of HEAD, oldest first; None where git does not answer.

    ``since_s``: not older than that, Unix seconds. ``behind``: only what is not reachable from
    that commit; left out of account where the repository no longer has it.
    """
    if head(place) == "":
        return ()
    asked = ["rev-list", "--topo-order", f"--max-count={limit}"]
    if since_s is not None:
        asked.append(f"--since=@{since_s}")
    asked.append("HEAD")
    if git.is_commit_id(behind) and has(place, behind):
        asked.append(f"^{behind}")
    answer = git.ask(place, *asked, "--", timeout_s=_LIST_S, most_bytes=256 << 20)
    return None if answer is None else list(reversed(git.ids_of(answer.out)))


def head(place: Path) -> str:
    """The commit that is checked out; '' where there is none yet or git does not answer."""
    said = git.text(place, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", timeout_s=_SHOW_S)
    found = (said or "").strip()
    return found if git.is_commit_id(found) else ""


def has(place: Path, commit_id: str) -> bool:
    """Whether the repository has that commit."""
    return (
        git.ask(place, "cat-file", "-e", f"{commit_id}^{{commit}}", timeout_s=_SHOW_S) is not None
    )


def read(place: Path, ids: Sequence[str]) -> Iterator[Commit]:
    """The commits in the order asked, redacted; one that cannot be read is left out."""
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        stdin = "".join(f"{one}\n" for one in batch).encode()
        messages = _messages(place, stdin)
        changes = _changes(place, stdin)
        for commit_id in batch:
            if commit_id in messages:
                heading, message = messages[commit_id]
                yield _commit(commit_id, heading, message, changes.get(commit_id) or _Change())


def _commit(commit_id: str, heading: str, message: str, change: _Change) -> Commit:
    """``heading``: author's and committer's time, then the parents."""
    authored_s, committed_s, *parents = heading.split(" ")
    safe, _ = redact(clipped(strip_private(message)[0], _MESSAGE_CHARS))
    return Commit(
        id=commit_id,
        parents=len([one for one in parents if one]),
        authored_at_ms=_whole(authored_s) * 1000,
        committed_at_ms=_whole(committed_s) * 1000,
        message=safe.strip(),
        files=tuple(change.files[:MOST_FILES]),
        change=hashlib.sha256("\n".join(change.became).encode("utf-8", "replace")).hexdigest()
        if change.became
        else "",
        files_in_all=len(change.files),
    )


def _messages(place: Path, stdin: bytes) -> dict[str, tuple[str, str]]:
    """Commit id -> (times and parents, message): records end with a NUL, which no message holds."""
    form = "--format=tformat:%H%n%at %ct %P%n%B"
    asked = ("log", "--stdin", "--no-walk=unsorted", "-z", "--no-patch", "--no-notes", form)
    answer = git.ask(
        place, *asked, "--encoding=UTF-8", "--no-show-signature", "--no-mailmap",
        timeout_s=_READ_S, most_bytes=_READ_BYTES, stdin=stdin,
    )  # fmt: skip
    found = {}
    records = (answer.out if answer else b"").split(b"\0")
    for record in records[:-1]:  # the last is empty, or was cut
        commit_id, _, rest = record.decode("utf-8", "replace").partition("\n")
        heading, _, message = rest.partition("\n")
        if git.is_commit_id(commit_id):
            found[commit_id] = (heading, message)
    return found


@dataclass(slots=True)
class _Change:
    files: list[CommitFile] = field(default_factory=list)
    became: list[str] = field(default_factory=list)  # mode and id of each file's text after it


def _changes(place: Path, stdin: bytes) -> dict[str, _Change]:
    """Commit id -> what it did to which files; merges are not compared."""
    asked = ("diff-tree", "--stdin", "--root", "-r", "-z", "-M", "-l200", "--raw", "--numstat")
    answer = git.ask(
        place, *asked, *git.PLAIN_DIFF,
        timeout_s=_READ_S, most_bytes=_READ_BYTES, stdin=stdin,
    )  # fmt: skip
    found: dict[str, _Change] = {}
    if answer is None:
        return found
    tokens = iter(answer.out.decode("utf-8", "replace").split("\0"))
    change, kinds = _Change(), dict[str, str]()
    for token in tokens:
        if token.startswith(":"):  # ":100644 100644 id id M", then one path or two
            letter = token.rpartition(" ")[2][:1]
            path = next(tokens, "")
            if letter in "RC":
                path = next(tokens, "")
            kinds[path] = letter
            change.became.append(f"{' '.join(token.split(' ')[1::2])} {path}")
        elif "\t" in token:  # added, removed, path; an empty path is followed by two
            added, removed, path = token.split("\t", 2)
            before = ""
            if not path:
                before, path = next(tokens, ""), next(tokens, "")
            change.files.append(
                CommitFile(
                    path=redact(path)[0],
                    kind=kinds.get(path, "M"),
                    added=_whole(added),
                    removed=_whole(removed),
                    before=redact(before)[0] if kinds.get(path) == "R" else "",
                )
            )
        elif git.is_commit_id(token.strip()):
            change, kinds = _Change(), {}
            found[token.strip()] = change
    return found


def show(places: Sequence[str], ids: Sequence[str]) -> tuple[str, str] | None:
    """(commit id, message and change as text, redacted) of the first that can be read.

    The change is cut, with a sentence, over SHOW_BYTES. None where no place has any of them.
    """
    for place in places:
        for commit_id in ids:
            if git.is_commit_id(commit_id) and (found := _shown(Path(place), commit_id)):
                return commit_id, found
    return None


def _shown(place: Path, commit_id: str) -> str:
    answer = git.ask(
        place, "show", "--format=%B", "--encoding=UTF-8", "--no-notes", "--no-show-signature",
        "--stat=100", "--patch", "-M", "--src-prefix=a/", "--dst-prefix=b/", *git.PLAIN_DIFF,
        "--end-of-options", commit_id, "--",
        timeout_s=_SHOW_S, most_bytes=SHOW_BYTES,
    )  # fmt: skip
    if answer is None:
        return ""
    safe, _ = redact(strip_private(answer.out.decode("utf-8", "replace"))[0])
    if answer.cut:
        safe = f"{safe.rstrip()}\n[the change is longer; the first {SHOW_BYTES:,} bytes are shown]"
    return safe.strip()


def _whole(text: str) -> int:
    return int(text) if text.lstrip("-").isdigit() and len(text) < 16 else 0
