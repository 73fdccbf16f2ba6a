"""Git repositories with a history of our making."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

BEGAN_S = 1_760_000_000  # the first commit of each


def git(place: Path, *args: str, at_s: int = BEGAN_S, stdin: bytes = b"") -> str:
    """What git prints; it must succeed."""
    done = subprocess.run(
        ["git", "-C", str(place), *args],
        input=stdin,
        capture_output=True,
        check=False,
        env={
            **os.environ,
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "author@example.org",
            "GIT_COMMITTER_NAME": "C",
            "GIT_COMMITTER_EMAIL": "committer@example.org",
            "GIT_AUTHOR_DATE": f"{at_s} +0000",
            "GIT_COMMITTER_DATE": f"{at_s} +0000",
        },
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode("utf-8", "replace").strip()


class Repository:
    """A checkout; each commit is an hour after the one before."""

    def __init__(self, place: Path) -> None:
        place.mkdir(parents=True)
        self.place = place
        self._commits = 0
        git(place, "init", "-q", "-b", "main")

    def commit(self, message: str, **files: str) -> str:
        """Its id. ``files``: name (`__` for `/`, `_py` for `.py`) -> text."""
        for name, text in (files or {"pool_py": f"{self._commits}\n" * 3}).items():
            file = self.place / name.replace("__", "/").replace("_py", ".py").replace(
                "_md", ".md"
            ).replace("_txt", ".txt")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        return self.commit_all(message)

    def commit_all(self, message: str) -> str:
        self._commits += 1
        git(self.place, "add", "-A")
        args = ("commit", "-q", "--allow-empty", "--allow-empty-message", "--cleanup=verbatim")
        git(self.place, *args, "-F", "-", at_s=self.now_s, stdin=message.encode())
        return self.head()

    def head(self) -> str:
        return git(self.place, "rev-parse", "HEAD")

    @property
    def now_s(self) -> int:
        return BEGAN_S + 3_600 * self._commits


def long_history(place: Path, commits: int) -> None:
    """A repository of so many commits by `git fast-import`, each changing one of 40 files."""
    place.mkdir(parents=True)
    git(place, "init", "-q", "-b", "main")
    kinds = ("feat(pool)", "fix", "refactor", "docs", "chore(deps)", "perf")
    parts: list[bytes] = []
    for number in range(commits):
        at = BEGAN_S + number * 600
        about = f"{kinds[number % 6]}: part {number} keeps its {number % 97} connections apart"
        message = f"{about}\n\nWithout it the pool of step {number} is shared.\n".encode()
        text = "".join(f"line {line} of {number}\n" for line in range(30)).encode()
        parts += [
            b"commit refs/heads/main\n",
            f"author A <a@example.org> {at} +0000\n".encode(),
            f"committer A <a@example.org> {at} +0000\n".encode(),
            b"data %d\n%s\n" % (len(message), message),
            b"M 100644 inline src/part_%d.py\n" % (number % 40),
            b"data %d\n%s\n" % (len(text), text),
        ]
    git(place, "fast-import", "--quiet", stdin=b"".join(parts))
    git(place, "reset", "-q", "--hard", "main")
