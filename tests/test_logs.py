"""What of an exception stands in the log."""

from __future__ import annotations

import logging
import sys
from typing import Any

import apsw

from memfold.errors import InvalidInput
from memfold.logs import Formatter


def fail(error: BaseException) -> None:
    try:
        dict[str, int]()["inner words of a prompt"]
    except KeyError as inner:
        raise error from inner


def logged(error: BaseException) -> str:
    try:
        fail(error)
    except type(error):
        info: Any = sys.exc_info()
    record = logging.LogRecord("memfold.x", logging.ERROR, "x.py", 1, "it failed", (), info)
    return Formatter("%(message)s").format(record)


def test_its_class_and_place_and_nothing_that_it_quotes() -> None:
    said = logged(ValueError("words of a prompt"))
    assert "words" not in said
    assert said.splitlines()[0] == "it failed"
    assert "test_logs.py:" in said
    assert "in fail" in said
    assert said.index("ValueError") < said.index("because of") < said.index("KeyError")


def test_what_the_system_and_the_database_say_is_kept() -> None:
    assert "OSError: No space left" in logged(OSError(28, "No space left on device", "/home/me/x"))
    assert "/home/me" not in logged(OSError(28, "No space left on device", "/home/me/x"))
    assert "SQLError: no such table: x" in logged(apsw.SQLError("no such table: x"))
    assert "InvalidInput (invalid_input)" in logged(InvalidInput("quoting somebody"))
