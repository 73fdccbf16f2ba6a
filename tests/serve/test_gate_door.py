"""A read that waited long enough goes on, and whoever still decides about it hears of that."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, cast

from starlette.requests import Request

from memfold.serve.hook_door import HookDoor, HookRooms
from memfold.serve.turnstile import Turnstile

BOUND_S = 20


class Rooms:
    """Of a house, the gate, which decides when it is told to."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.decided = threading.Event()
        self.wanted: list[bool] = []

    def gate(self, _host: str, _body: bytes, wanted: Callable[[], bool]) -> bytes:
        self.wanted.append(wanted())
        assert self.go_on.wait(BOUND_S)
        self.wanted.append(wanted())
        self.decided.set()
        return b"{}"


def answer(rooms: Rooms) -> bytes:
    async def received() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def asked() -> bytes:
        scope = {"type": "http", "method": "POST", "headers": [], "path_params": {"host": "h"}}
        door = HookDoor(cast(HookRooms, rooms), lambda: 0, Turnstile())
        body = bytes((await door.gate(Request(scope, received))).body)
        rooms.go_on.set()  # here: the loop waits for the thread before it ends
        return body

    return asyncio.run(asked())


def test_a_decision_in_time_is_handed_on_and_wanted() -> None:
    rooms = Rooms()
    rooms.go_on.set()
    assert answer(rooms) == b"{}"
    assert rooms.wanted == [True, True]


def test_a_decision_that_comes_late_is_not_wanted() -> None:
    rooms = Rooms()
    assert answer(rooms) == b""
    assert rooms.decided.wait(BOUND_S)
    assert rooms.wanted == [True, False]
