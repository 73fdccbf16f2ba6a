"""Outlines made in a process of their own, which may be ended: a grammar can hang, and can crash.

A parse is C code that holds the interpreter's lock: 9 KB of `x=>` kept C's grammar busy for 8 s in
one step that nothing ends, and with it every thread of a daemon. Here whoever asks waits WAIT_S.
"""

from __future__ import annotations

import atexit
import os
import pickle
import select
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

from memfold.code.apart_child import HEAD, Answer, packed
from memfold.code.symbols import Outline
from memfold.errors import InvalidInput

WAIT_S = 1.8  # a parse and a query give themselves less, but where they cannot be stopped
_COMMAND = (sys.executable, "-I", "-m", "memfold.code.apart_child")
_TRIES = 2  # it may have ended for having had nothing to do, just then


class Apart:
    """One process, started when it is first needed and again after it ended. From any thread."""

    def __init__(self, command: Sequence[str] = _COMMAND, wait_s: float = WAIT_S) -> None:
        self._command, self._wait_s = list(command), wait_s
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def outline(self, data: bytes, language: str) -> Outline:
        """As ``outline.outline``. What the process did not live through says so in ``cut_short``.

        Raises InvalidInput.
        """
        with self._lock:
            for _ in range(_TRIES):
                try:
                    answer = self._asked(packed((data, language)))
                except TimeoutError:
                    self._end()
                    return _nothing(data, language, "It took too long to parse whole.")
                except (OSError, EOFError, pickle.UnpicklingError):
                    self._end()
                    continue
                return _told(answer)
        return _nothing(data, language, "Its grammar failed on it.")

    def close(self) -> None:
        """End the process; the next outline starts another."""
        with self._lock:
            self._end()

    def _asked(self, request: bytes) -> Answer:
        """Raises TimeoutError, OSError, EOFError, UnpicklingError."""
        process = self._process
        if process is None:
            process = self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        assert process.stdin is not None  # noqa: S101  # both are pipes
        assert process.stdout is not None  # noqa: S101
        until = time.monotonic() + self._wait_s
        _write(process.stdin.fileno(), request, until)
        size = HEAD.unpack(_read(process.stdout.fileno(), HEAD.size, until))[0]
        answer: Answer = pickle.loads(  # noqa: S301  # from a process of ours
            _read(process.stdout.fileno(), size, until)
        )
        return answer

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _told(answer: Answer) -> Outline:
    if isinstance(answer, tuple):
        raise InvalidInput(*answer)
    return answer


def _nothing(data: bytes, language: str, why: str) -> Outline:
    return Outline(language, data.count(b"\n") + 1, (), 0, (), 0, False, why)


def _write(descriptor: int, data: bytes, until: float) -> None:
    left = memoryview(data)
    os.set_blocking(descriptor, False)
    while left:
        _wait(descriptor, select.POLLOUT, until)
        left = left[os.write(descriptor, left) :]


def _read(descriptor: int, size: int, until: float) -> bytes:
    pieces: list[bytes] = []
    while size:
        _wait(descriptor, select.POLLIN, until)
        piece = os.read(descriptor, min(size, 1 << 20))
        if not piece:
            raise EOFError
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _wait(descriptor: int, event: int, until: float) -> None:
    """Raises TimeoutError."""
    ready = select.poll()
    ready.register(descriptor, event)
    if not ready.poll(max(0.0, until - time.monotonic()) * 1_000):
        raise TimeoutError


_own = Apart()
atexit.register(_own.close)
outline = _own.outline
