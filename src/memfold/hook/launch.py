"""Starting the daemon, once, however many ask for it."""

import fcntl
import os
import sys

from memfold import wire


def start(folder: str, python: str = "") -> bool:
    """Start the daemon of this data directory unless someone is starting it: True if we did.

    The start lock goes to the daemon, which lets go of it once it listens; so of a thousand
    hooks that find no daemon one starts it. The daemon detaches itself: no child is left.
    """
    os.makedirs(folder, mode=0o700, exist_ok=True)
    lock = os.open(os.path.join(folder, wire.START_LOCK), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        os.set_inheritable(lock, True)
        command = [python or sys.executable, "-I", "-m", "memfold.daemon"]
        command += ["--home", folder, "--detach", "--start-lock", str(lock)]
        null = os.path.devnull
        child = os.posix_spawn(
            command[0],
            command,
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, null, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, null, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, null, os.O_WRONLY, 0),
            ],
        )
        os.waitpid(child, 0)  # ends as soon as it has detached: a few ms of Python's start
        return True
    finally:
        os.close(lock)
