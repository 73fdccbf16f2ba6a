"""The daemon as a process: one for each data directory, from its lock to its last commit.

It listens before it imports anything heavy: hooks that ring meanwhile wait in the socket's
backlog for some hundred milliseconds instead of being sent away.
"""

from __future__ import annotations

import fcntl
import os
import socket
import sys
import time
from pathlib import Path

from memfold import wire

BACKLOG = 2_048
ENDING_S = 10.0  # how long a daemon that ends is waited for
ALREADY_RUNNING = 3  # exit code: another daemon holds the lock


def main(argv: list[str] | None = None) -> int:
    """Run until told to stop. 0 after a clean end, 3 when another daemon runs.

    Options: ``--home DIR``, ``--detach`` (go on in the background), ``--start-lock FD``.
    """
    options = sys.argv[1:] if argv is None else argv
    home = Path(_value(options, "--home") or wire.home())
    start_lock = int(_value(options, "--start-lock") or -1)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.umask(0o077)
    os.chdir(home)  # socket addresses are short; a relative name always fits
    if "--detach" in options:
        detach()
    lock = os.open(wire.LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if not take(lock):
        return ALREADY_RUNNING
    listener = listen()
    if start_lock >= 0:
        os.close(start_lock)  # who waits for a start may connect now
    # Late, in two steps: hooks may knock already, and the first are answered between the two.
    from memfold.doorman import answer_waiting
    from memfold.front import Front
    from memfold.logs import log_to

    log_to(home / "daemon.log")
    front = Front(home)
    answer_waiting(listener, front)
    from memfold.process import run

    return run(home, listener, front)


def take(lock: int) -> bool:
    """The lock that makes this the one daemon; False while another one serves.

    One that ends has closed its socket already but may still be writing: it is waited for.
    """
    until = time.monotonic() + ENDING_S
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            try:
                wire.connect(os.curdir, 1.0).close()
            except wire.NoDaemon:
                if time.monotonic() < until:
                    time.sleep(0.01)  # nothing tells when a lock is let go of
                    continue
            except OSError:
                pass  # it accepts nothing just now, but it is there
            return False
        return True


def detach() -> None:
    """Go on as a process of its own session, so that no caller keeps a child."""
    if os.fork():
        os._exit(0)
    os.setsid()


def listen() -> socket.socket:
    """The Unix socket, for its owner only. A socket left by a dead daemon is replaced."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    Path(wire.SOCKET).unlink(missing_ok=True)  # we hold the lock: it is nobody's
    listener.bind(wire.SOCKET)
    Path(wire.SOCKET).chmod(0o600)
    listener.listen(BACKLOG)
    return listener


def _value(options: list[str], name: str) -> str:
    # By hand: argparse costs a cold start 12 ms, and only launch.py and tests give options.
    return options[options.index(name) + 1] if name in options else ""


if __name__ == "__main__":
    sys.exit(main())
