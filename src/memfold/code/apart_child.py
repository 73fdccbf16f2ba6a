"""The other end of ``apart``: reads requests from stdin, writes outlines to stdout."""

from __future__ import annotations

import os
import pickle
import select
import struct
import sys

from memfold.code.symbols import Outline

HEAD = struct.Struct(">I")  # bytes of what follows
IDLE_S = 600.0  # with nothing to do it ends
Answer = Outline | tuple[str, str]  # or a refusal: what, and the next step


def packed(value: object) -> bytes:
    """One frame."""
    body = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return HEAD.pack(len(body)) + body


def answered(request: bytes) -> Answer:
    """The outline of a frame's (bytes, language)."""
    from memfold.code.outline import outline  # late: who only asks needs no parsers
    from memfold.errors import InvalidInput

    data, language = pickle.loads(request)  # noqa: S301  # from a process of ours
    try:
        return outline(data, language)
    except InvalidInput as error:
        return error.message, error.next_step


def _taken(size: int) -> bytes:
    """Raises EOFError where the other end has gone."""
    pieces: list[bytes] = []
    while size:
        piece = os.read(0, min(size, 1 << 20))
        if not piece:
            raise EOFError
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def main() -> int:
    """Until there is nothing to do, or nobody to do it for."""
    from memfold.code import outline  # noqa: F401  # here: the first request waits less

    while select.select([0], [], [], IDLE_S)[0]:
        try:
            request = _taken(HEAD.unpack(_taken(HEAD.size))[0])
        except EOFError:
            return 0
        answer = memoryview(packed(answered(request)))
        while answer:
            answer = answer[os.write(1, answer) :]
    return 0


if __name__ == "__main__":
    sys.exit(main())
