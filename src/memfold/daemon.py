"""The daemon as a process: one for each data directory, from its lock to its last commit.

It listens before it imports anything heavy: hooks that ring meanwhile wait in the socket's
backlog for some hundred milliseconds instead of being sent away.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import socket
import sys
from pathlib import Path

from memfold import wire

BACKLOG = 2_048
ALREADY_RUNNING = 3  # exit code: another daemon holds the lock


def main(argv: list[str] | None = None) -> int:
    """Run until told to stop. 0 after a clean end, 3 when another daemon runs."""
    parser = argparse.ArgumentParser(prog="memfold.daemon", description="The memfold daemon.")
    parser.add_argument("--home", default=wire.home(), help="data directory")
    parser.add_argument("--detach", action="store_true", help="go on in the background")
    parser.add_argument("--start-lock", type=int, default=-1, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    home = Path(options.home)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.umask(0o077)
    os.chdir(home)  # socket addresses are short; a relative name always fits
    if options.detach:
        detach()
    lock = os.open(wire.LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return ALREADY_RUNNING
    listener = listen()
    if options.start_lock >= 0:
        os.close(options.start_lock)  # who waits for a start may connect now
    # Late: a third of a second of imports that nobody who rings has to wait for.
    from memfold.process import run

    return run(home, listener)


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


def leave_hint(port: int) -> None:
    """A file that tells people which process this is; nothing depends on it."""
    hint = {"pid": os.getpid(), "version": wire.VERSION, "port": port}
    Path("daemon.json").write_text(json.dumps(hint), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
