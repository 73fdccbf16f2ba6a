"""When the daemon does not answer: keep the event, start the daemon, at session start wait."""

import os
import time

from memfold import wire
from memfold.hook import launch, spool

WAIT_S = 4.0  # for a daemon that is being started
REFUSED = {400, 404, 413}  # answers that a retry would not change


def take(
    host: str,
    at_ms: int,
    body: bytes,
    status: int,
    trouble: OSError | None,
    *,
    starting: bool,
) -> bytes:
    """What to print. The event is in the spool, or was taken by a daemon started just now."""
    if status in REFUSED:
        return b""
    folder = wire.home()
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if not starting:
        spool.keep(folder, host, at_ms, body)
        if isinstance(trouble, wire.NoDaemon):
            launch.start(folder)
        return b""
    if isinstance(trouble, wire.NoDaemon):
        launch.start(folder)
        answer = _ask_again(folder, host, at_ms, body)
        if answer is not None:
            return answer
    spool.keep(folder, host, at_ms, body)
    return b""


def _ask_again(folder: str, host: str, at_ms: int, body: bytes) -> bytes | None:
    until = time.monotonic() + WAIT_S
    while (left := until - time.monotonic()) > 0:
        try:
            status, answer = wire.request(
                "POST",
                f"/hook/{host}",
                body,
                headers={"X-Memfold-At": str(at_ms)},
                timeout_s=left,
                folder=folder,
            )
        except wire.NoDaemon:
            time.sleep(0.005)  # it is importing; its socket appears within tens of ms
        except OSError:
            return None
        else:
            return answer if status == 200 else None
    return None
