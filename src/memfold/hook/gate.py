"""The doorbell before a read: the daemon may answer with the file's outline; in doubt nobody does.

Run as ``<python> -I -S <this file> <host>``. Nothing is kept and nothing started for it: a read
that is let through is captured afterwards as always.
"""

import posix
import sys

if __name__ == "__main__":  # started without site-packages: the package is two folders up
    sys.path.insert(0, __file__.rsplit("/", 3)[0])

from memfold import wire
from memfold.hook.hook import MARK, read_all, write_all

GATE_S = 0.25  # with the start of this program the read waits 300 ms at most


def main() -> int:
    """Forward stdin, print the answer. Always 0 (fail open)."""
    try:
        if MARK in posix.environ:
            return 0
        host = sys.argv[1] if len(sys.argv) > 1 else "claude-code"
        status, answer = wire.request("POST", f"/gate/{host}", read_all(0), timeout_s=GATE_S)
        if status == 200 and answer:
            write_all(1, answer)
    except Exception:
        # As in hook.py: the agent's work comes first.
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
