"""Calls of the hosts' own to-do tools."""

from __future__ import annotations

from typing import Any

from memfold.store.ports import PlanCall


def call(tool: str, given: Any, at: int = 1, response: Any = "") -> PlanCall:
    """One call; the later, the greater its id."""
    return PlanCall(at, tool, given, response, at)


def todos(**status: str) -> dict[str, Any]:
    """Input of TodoWrite."""
    return {"todos": [{"content": task, "status": word} for task, word in status.items()]}
