"""The quick hook: whether this machine has a Perl through which it rings, tried and not guessed."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import memfold
from memfold import wire

PERL = "/usr/bin/perl"  # the system's own: one of a version manager comes and goes
PROGRAM = "memfold/hook/quick.pl"
_RUN_S = 10.0  # it takes some 20 ms
_SENT = b"SessionStart" + bytes(range(256)) * 32  # more than a pipe surely holds
_ANSWER = bytes(range(255, -1, -1)) * 300
_ECHO = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"


def program() -> Path:
    """The quick hook, which runs the Python one in every doubt."""
    return Path(memfold.__file__).parent / "hook" / "quick.pl"


def words(perl: str) -> list[str]:
    """What stands before the command of the Python hook."""
    return [perl, "-t", "-X", "-C0", str(program())]


@cache
def perl() -> str:
    """The Perl through which hooks ring on this machine; empty where none does."""
    return PERL if rings(PERL) else ""


def rings(perl: str) -> bool:
    """Whether the quick hook hands over to Python, and gets through to what listens."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            return _hands_over(perl, folder) and _gets_through(perl, folder)
    except (OSError, subprocess.TimeoutExpired):
        return False


def _command(perl: str) -> list[str]:
    return [*words(perl), sys.executable, "-I", "-S", "-c", _ECHO, "hook.py", "trial"]


def _env(folder: str) -> dict[str, str]:
    env = {name: value for name, value in os.environ.items() if name != "MEMFOLD_OBSERVING"}
    return {**env, "MEMFOLD_HOME": folder}


def _hands_over(perl: str, folder: str) -> bool:
    """Nobody listens: Python gets the very bytes."""
    done = subprocess.run(
        _command(perl),
        input=_SENT,
        env=_env(folder),
        capture_output=True,
        timeout=_RUN_S,
        check=False,
    )
    return (done.returncode, done.stdout) == (0, _SENT)


def _gets_through(perl: str, folder: str) -> bool:
    """A listener gets the very bytes, and what it answers is printed."""
    with socket.socket(socket.AF_UNIX) as listener, tempfile.TemporaryFile() as given:
        listener.bind(f"{folder}/{wire.SOCKET}")
        listener.listen(1)
        listener.settimeout(_RUN_S)
        given.write(_SENT)
        given.seek(0)
        with subprocess.Popen(
            _command(perl),
            stdin=given,
            env=_env(folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                peer, _ = listener.accept()
                with peer:
                    peer.settimeout(_RUN_S)
                    got = b""
                    while not wire.is_whole(got) and (part := peer.recv(65_536)):
                        got += part
                    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(_ANSWER)}\r\n\r\n"
                    peer.sendall(head.encode() + _ANSWER)
                printed, _ = process.communicate(timeout=_RUN_S)
            finally:
                process.kill()
        return got.endswith(b"\r\n\r\n" + _SENT) and printed == _ANSWER
