"""Where events wait while the daemon is away: one file each, redacted before it is written.

A file is written beside its name and then renamed, so that the daemon never reads half of one.
Names sort by time. First line: ``memfold-spool 1 <host> <at_ms>``; the rest is the payload.
"""

import os
import time

from memfold import wire

HEAD = b"memfold-spool 1 "


def keep(folder: str, host: str, at_ms: int, body: bytes) -> str:
    """The path of the spooled event. Raises OSError when the disk refuses."""
    # Late and only here: the rules cost 30 ms, and secrets must not touch the disk.
    from memfold.capture.redact import redact_payload

    place = os.path.join(folder, wire.SPOOL)
    os.makedirs(place, mode=0o700, exist_ok=True)
    safe = redact_payload(body)
    name = f"{time.time_ns():020d}-{os.getpid()}.evt"
    temporary = os.path.join(place, f".{name}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        data = HEAD + f"{host} {at_ms}\n".encode() + safe
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        os.unlink(temporary)  # half an event helps nobody and fills the disk
        raise
    finally:
        os.close(descriptor)
    final = os.path.join(place, name)
    os.rename(temporary, final)
    return final
