"""The doorbell of other hosts: the event as an argument, the spool, and each host's answer."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from running import BOUND_S, WAYS, Running, bell, running

pytestmark = pytest.mark.parametrize("perl", WAYS)


def ring(here: Running, payload: dict[str, Any], *words: str) -> bytes:
    """What the real doorbell prints, called as ``hook.py HOST [EVENT]``."""
    done = subprocess.run(
        bell(*words, perl=here.perl),
        input=json.dumps(payload).encode(),
        env=here.env(),
        capture_output=True,
        timeout=BOUND_S,
        check=True,
    )
    assert done.stderr == b""
    return done.stdout


def call(number: int, folder: Path) -> dict[str, Any]:
    return {
        "sessionId": "s1",
        "timestamp": 1_796_104_800_000 + number,
        "cwd": str(folder),
        "toolName": "bash",
        "toolArgs": json.dumps({"command": f"make step-{number}"}),
        "toolResult": {"resultType": "success", "textResultForLlm": f"step {number} done"},
    }


def test_a_payload_without_its_events_name_survives_the_spool(tmp_path: Path, perl: str) -> None:
    """Copilot CLI does not say in the payload what happened."""
    with running(tmp_path / "home", perl) as here:
        ring(here, call(1, tmp_path), "copilot-cli", "postToolUse")  # nobody is there yet
        ring(here, call(2, tmp_path), "copilot-cli", "postToolUse")
        ring(here, call(1, tmp_path), "copilot-cli", "postToolUse")  # said twice
        ring(here, call(3, tmp_path), "copilot-cli", "preToolUse")
        status = here.settled(2)
    assert status["tool_uses"] == 2
    assert list(status["last_event"]) == ["copilot-cli"]


def test_each_host_gets_its_context_in_its_own_form(tmp_path: Path, perl: str) -> None:
    start = {"session_id": "s1", "cwd": str(tmp_path), "hook_event_name": "SessionStart"}
    cursors = {
        "conversation_id": "s1",
        "hook_event_name": "sessionStart",
        "workspace_roots": [str(tmp_path)],
    }
    with running(tmp_path / "home", perl) as here:
        plain = ring(here, start, "codex")  # the first one waits for a cold daemon
        gemini = json.loads(ring(here, start, "gemini-cli"))
        cursor = json.loads(ring(here, cursors, "cursor"))
    assert plain.startswith(b"<memfold-context")
    assert gemini["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "memfold-context" in gemini["hookSpecificOutput"]["additionalContext"]
    assert "memfold-context" in cursor["additional_context"]


def test_a_host_nobody_knows_is_no_trouble_for_it(tmp_path: Path, perl: str) -> None:
    with running(tmp_path / "home", perl) as here:
        here.start()
        assert ring(here, {"session_id": "s1"}, "a host of next year", "sessionStart") == b""
        assert here.spooled() == []
