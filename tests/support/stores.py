"""Every store that must keep the promises of ``memfold.store.ports``, and events to feed it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memfold.records import (
    Event,
    PromptGiven,
    ReplyGiven,
    SessionEnded,
    ToolUsed,
    TurnEnded,
)
from memfold.store.ports import Store
from memfold.store.sqlite.store import SqliteStore

STORES: dict[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: SqliteStore.open(folder / "m.db"),
}


@pytest.fixture(params=sorted(STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    opened = STORES[request.param](tmp_path)
    yield opened
    opened.close()


class Says:
    """Events of one session, by the second."""

    def __init__(self, session: str = "s1") -> None:
        self.session = session

    def _common(self, at: int) -> dict[str, Any]:
        return {"host": "h", "session": self.session, "at_ms": at * 1000, "cwd": "/code/app"}

    def prompt(self, text: str, at: int, key: str = "", *, private: bool = False) -> Event:
        return PromptGiven(**self._common(at), text=text, prompt_key=key, private=private)

    def use(self, key: str, at: int, **more: Any) -> Event:
        given = {"tool": "Bash", "input": {"command": key}, "response": f"done {key}", **more}
        return ToolUsed(**self._common(at), key=key, **given)

    def reply(self, text: str, at: int) -> Event:
        return ReplyGiven(**self._common(at), text=text)

    def stop(self, at: int) -> Event:
        return TurnEnded(**self._common(at))

    def end(self, at: int) -> Event:
        return SessionEnded(**self._common(at))
