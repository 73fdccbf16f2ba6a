"""Each host gets the context in the form it passes on (hosts: the real binaries, their docs)."""

from __future__ import annotations

import json

import pytest

from memfold.capture.adapters import ADAPTERS
from memfold.hosts.answers import session_start_answer

TEXT = 'what is remembered: "a"\n<b> ● 1'


@pytest.mark.parametrize("host", ["claude-code", "codex", "qwen-code", "opencode", "pi"])
def test_plain_text_goes_as_it_is(host: str) -> None:
    assert session_start_answer(host, TEXT) == TEXT


@pytest.mark.parametrize("host", ["gemini-cli", "vscode-copilot"])
def test_hosts_that_read_json_get_one_object_with_the_text(host: str) -> None:
    answer = json.loads(session_start_answer(host, TEXT))
    assert answer == {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": TEXT}
    }


def test_cursor_and_copilot_have_keys_of_their_own() -> None:
    assert json.loads(session_start_answer("cursor", TEXT)) == {"additional_context": TEXT}
    assert json.loads(session_start_answer("copilot-cli", TEXT)) == {"additionalContext": TEXT}


def test_a_host_that_takes_no_context_is_given_none() -> None:
    assert session_start_answer("windsurf", TEXT) == ""


@pytest.mark.parametrize("host", sorted(ADAPTERS))
def test_where_nothing_is_remembered_nothing_is_printed(host: str) -> None:
    assert session_start_answer(host, "") == ""
