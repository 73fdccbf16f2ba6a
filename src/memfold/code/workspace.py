"""Which files may be read for an agent: those of its workspace, and no secrets."""

from __future__ import annotations

import fcntl
import os
import re
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from memfold.code.parsing import MAX_BYTES
from memfold.errors import InvalidInput

READ_BYTES = 2 * MAX_BYTES  # UTF-16 takes two bytes where UTF-8 takes one
_F_GETPATH, _PATH_BYTES = 50, 1024  # macOS: the path of an open file
_TEMPLATES = re.compile(r"^\.env\.(?:example|sample|template|dist|defaults)$", re.IGNORECASE)
_SECRET = re.compile(
    r"^(?:\.env(?:\..+)?|.+\.env|\.envrc|\.netrc|_netrc|\.pgpass|\.npmrc|\.pypirc|\.htpasswd"
    r"|\.git-credentials|\.dockercfg|credentials(?:\.(?:json|ya?ml|toml|ini))?"
    r"|\.?secrets?\.(?:json|ya?ml|toml|ini)|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?"
    r"|.+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)|service[-_]account.*\.json)$",
    re.IGNORECASE,
)
_SECRET_FOLDERS = frozenset({".ssh", ".gnupg", ".aws"})
_PRIVATE_KEY = re.compile(rb"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY")


def roots_of(cwd: str) -> tuple[str, ...]:
    """The workspace of a session that works in ``cwd``: its checkout, else the directory itself.

    Empty where there is none to speak of: no directory, the root of the disk or a home directory.
    """
    if not cwd or not Path(cwd).is_dir():
        return ()
    real = Path(os.path.realpath(cwd))
    whole = {Path(real.anchor), Path(os.path.realpath(Path.home()))}
    for folder in (real, *real.parents):
        if folder in whole:
            break
        if (folder / ".git").exists():
            return (str(folder),)
    return () if real in whole else (str(real),)


def read_source(path: str, roots: Sequence[str] | None, cwd: str = "") -> bytes:
    """The file's bytes, at most READ_BYTES + 1 of them: one more than may be outlined.

    ``roots``: its real path must lie inside one of these; None allows every place, for a person
    at a terminal. ``cwd``: where a relative path starts, else the first root.
    Raises InvalidInput for what lies outside, is a secret, is no file or cannot be read.
    """
    if not path or "\0" in path:
        raise InvalidInput("The path of the file is empty or holds a NUL.", "Name one file.")
    if roots is not None and not roots:
        raise InvalidInput(
            "This session has no workspace whose files could be read.",
            "Start the agent in the project's directory.",
        )
    given = Path(cwd or (roots[0] if roots else "."), path)
    real = os.path.realpath(given)
    _refuse_secret(given.name)
    _refuse_outside(real, path, roots)
    descriptor = _opened(given, path)
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise InvalidInput(f"{path} is {_what(state.st_mode)}, not a file.", "Name one file.")
        # The name may lead elsewhere by now; the open file's own path is what counts.
        opened = _path_of(descriptor, real, state)
        _refuse_outside(opened, path, roots)
        _refuse_secret(*Path(opened).parts[-4:])
        data = _bytes(descriptor)
    except OSError as error:
        raise _unreadable(path, error) from error
    finally:
        os.close(descriptor)
    if _PRIVATE_KEY.search(data, 0, 4_096) and data.lstrip().startswith(b"-----BEGIN"):
        raise _secret(path)
    return data


def is_secret(path: str) -> bool:
    """Whether files of this name are refused."""
    parts = Path(path).parts
    return bool(parts) and (
        bool(_SECRET.match(parts[-1]) and not _TEMPLATES.match(parts[-1]))
        or any(part.lower() in _SECRET_FOLDERS for part in parts[:-1])
    )


def _refuse_secret(*parts: str) -> None:
    if is_secret(str(Path(*parts))):
        raise _secret(parts[-1])


def _secret(path: str) -> InvalidInput:
    return InvalidInput(
        f"{path} is a kind of file that holds secrets: it is not read.",
        "If a person asks for it, open it with the host's own tools.",
    )


def _refuse_outside(real: str, path: str, roots: Sequence[str] | None) -> None:
    if roots is None or any(_inside(real, root) for root in roots):
        return
    places = ", ".join(roots[:3])
    raise InvalidInput(
        f"{path} lies outside the session's workspace ({places}), links resolved.",
        "Name a file inside it, or read the file with the host's own tools.",
    )


def _inside(real: str, root: str) -> bool:
    base = Path(os.path.realpath(root))
    file = Path(real)
    if file.is_relative_to(base):
        return True
    # Where upper and lower case are the same, one folder has several spellings.
    try:
        mark = base.stat()
        return any(os.path.samestat(folder.stat(), mark) for folder in file.parents)
    except OSError:
        return False


def _opened(given: Path, path: str) -> int:
    try:
        mode = given.stat().st_mode
        if not stat.S_ISREG(mode):  # opening a device may act on it
            raise InvalidInput(f"{path} is {_what(mode)}, not a file.", "Name one file.")
        return os.open(given, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: OSError | ValueError) -> InvalidInput:
    reason = getattr(error, "strerror", None) or "no path can be like that"
    return InvalidInput(f"{path[:300]} cannot be read ({reason}).", "Check the path.")


def _what(mode: int) -> str:
    kinds = (
        (stat.S_ISDIR, "a directory"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    return next((name for test, name in kinds if test(mode)), "something else")


def _path_of(descriptor: int, real: str, state: os.stat_result) -> str:
    """Where the open file lies. Raises OSError where it was swapped and the system cannot say."""
    if sys.platform == "darwin":
        found = fcntl.fcntl(descriptor, _F_GETPATH, bytes(_PATH_BYTES))
        return os.fsdecode(found.split(b"\0", 1)[0])
    link = f"/proc/self/fd/{descriptor}"
    if Path(link).exists():
        return str(Path(link).readlink())
    now = Path(real).stat(follow_symlinks=False)
    if not os.path.samestat(now, state):
        raise OSError(0, "it changed while it was opened")
    return real


def _bytes(descriptor: int) -> bytes:
    """What is in the file up to the limit, however fast it grows."""
    pieces: list[bytes] = []
    room = READ_BYTES + 1
    while room > 0 and (piece := os.read(descriptor, min(room, 1 << 20))):
        pieces.append(piece)
        room -= len(piece)
    return b"".join(pieces)
