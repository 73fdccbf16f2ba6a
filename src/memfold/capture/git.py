"""git, asked so that nothing in the repository can run a program, reach the network or hang.

A repository's own config may name programs (fsmonitor, hooks, external diff, text conversion,
pager, signing); each is switched off for every call. The program itself is found once, absolute.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_QUIET = (
    "--no-pager",
    "--no-replace-objects",
    "--literal-pathspecs",
    *(
        part
        for option in (
            "core.hooksPath=/dev/null",
            "core.fsmonitor=false",
            "core.untrackedCache=false",
            "core.pager=cat",
            "core.sshCommand=false",
            "core.askPass=",
            "core.attributesFile=/dev/null",
            "credential.helper=",
            "diff.external=",
            "diff.orderFile=/dev/null",
            "diff.relative=false",
            "gpg.program=false",
            "log.showSignature=false",
            "protocol.allow=never",
            "submodule.recurse=false",
            "color.ui=false",
            "i18n.logOutputEncoding=UTF-8",
        )
        for part in ("-c", option)
    ),
)
# For every command that shows a change.
PLAIN_DIFF = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=all",
    "--submodule=short",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What git printed."""

    out: bytes
    cut: bool = False  # there was more


@cache
def program() -> str:
    """The absolute path of git; '' where there is none. Looked for once."""
    found = shutil.which("git") or ""
    return found if Path(found).is_absolute() else ""


def ask(
    place: Path,
    *args: str,
    timeout_s: float,
    most_bytes: int = 1 << 20,
    stdin: bytes = b"",
) -> Answer | None:
    """What git prints in ``place``, at most ``most_bytes``; None where it fails or takes too long.

    ``args`` hold no text from outside but behind ``--end-of-options``, ``--`` or as full ids.
    """
    if not program():
        return None
    try:
        child = subprocess.Popen(
            [program(), *_QUIET, "-C", str(place), *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
    except (OSError, ValueError):  # ValueError: a path with a NUL
        return None
    late = threading.Timer(timeout_s, child.kill)
    late.start()
    # git answers while it still reads: one who only writes would block.
    feeder = threading.Thread(target=_feed, args=(child, stdin), daemon=True)
    feeder.start()
    try:
        assert child.stdout is not None  # noqa: S101  # a pipe was asked for
        out = child.stdout.read(most_bytes + 1)
        cut = len(out) > most_bytes
        if cut:
            child.kill()
        child.stdout.close()
        code = child.wait()
    finally:
        late.cancel()
        feeder.join()
    if cut:
        return Answer(out[:most_bytes], cut=True)
    return Answer(out) if code == 0 else None


def text(place: Path, *args: str, timeout_s: float) -> str | None:
    """As ``ask``, for short answers that are text."""
    answer = ask(place, *args, timeout_s=timeout_s)
    return None if answer is None or answer.cut else answer.out.decode("utf-8", "replace")


def _feed(child: subprocess.Popen[bytes], stdin: bytes) -> None:
    assert child.stdin is not None  # noqa: S101  # a pipe was asked for
    try:
        with child.stdin:
            child.stdin.write(stdin)
    except BrokenPipeError:
        return  # it ended before it read all; its exit code says why


def _environment() -> dict[str, str]:
    # A daemon started from within a git hook would have GIT_DIR; nothing here may fetch or ask.
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return env | {
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_ASKPASS": "",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
    }


def is_commit_id(value: str) -> bool:
    """Whether it is a full commit id, SHA-1 or SHA-256, in lower case."""
    return len(value) in (40, 64) and not set(value) - set("0123456789abcdef")


def ids_of(lines: bytes) -> Sequence[str]:
    """The full commit ids among the lines git printed, in order."""
    return [one for one in lines.decode("ascii", "replace").split() if is_commit_id(one)]
