"""The doorbell: the host's payload goes to the daemon, its answer to the host.

Run as ``<python> -I -S <this file> <host> [<event>]``; the event for hosts whose payload does not
name it. It parses nothing, and it exits with 0 whatever
happens: a memory failure never stops the agent. Costs: docs/decisions/0003-doorbell-and-daemon.md.

``--rung AT_MS STATUS`` before the host: quick.pl rang at that moment, and this came of it (0: no
whole answer in time). Then nobody rings again, and what is kept has the moment the daemon saw.
"""

import posix
import sys
import time

if __name__ == "__main__":  # started without site-packages: the package is two folders up
    sys.path.insert(0, __file__.rsplit("/", 3)[0])

from memfold import wire

CAPTURE_S = 1.0  # a capturing event waits this long for its commit, then it is spooled
MARK = b"MEMFOLD_OBSERVING"  # in the environment of sessions that the observer itself starts
CONTEXT_S = 5.0  # session start may wait for a cold daemon
STARTS = (b"SessionStart", b"sessionStart", b"session_start", b"session.created")


def main() -> int:
    """Forward stdin, print the answer. Always 0 (fail open)."""
    try:
        if MARK in posix.environ:
            return 0  # a session that memfold's own observer started is not remembered
        words = sys.argv[1:]
        at_ms, status = time.time_ns() // 1_000_000, 0
        has_rung = words[:1] == ["--rung"]
        if has_rung:
            at_ms, status = int(words[1]), int(words[2])
            words = words[3:]
        host = "/".join(words[:2]) or "claude-code"
        body = read_all(0)
        head = host.encode() + body[:65_536]
        starting = any(name in head for name in STARTS)
        trouble: OSError | None = None
        answer = b""
        try:
            if not has_rung:
                status, answer = wire.request(
                    "POST",
                    f"/hook/{host}",
                    body,
                    headers={"X-Memfold-At": str(at_ms)},
                    timeout_s=CONTEXT_S if starting else CAPTURE_S,
                )
        except OSError as error:
            trouble = error
        if status != 200:
            # Late: most events never need it.
            from memfold.hook import away

            answer = away.take(host, at_ms, body, status, trouble, starting=starting)
        if answer:
            write_all(1, answer)
    except Exception:
        # The one place that catches everything: the agent's work comes first. `memfold doctor`
        # and the daemon's log say what is wrong.
        return 0
    return 0


def read_all(descriptor: int) -> bytes:
    parts = []
    while part := posix.read(descriptor, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[posix.write(descriptor, data) :]


if __name__ == "__main__":
    sys.exit(main())
