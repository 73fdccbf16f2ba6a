"""The claude program as an observer: locked down, bounded, and never remembered by memfold."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from running import ends

from memfold.observe.model.claude_cli import ClaudeModel
from memfold.observe.model.port import (
    AuthFailed,
    BadReply,
    Message,
    ModelTrouble,
    Question,
    QuotaSpent,
    RateLimited,
    Rejected,
    ServerFailed,
    TimedOut,
)

HARNESS = Path(__file__).resolve().parents[2].parent / "shared" / "harness"
CLAUDE = Path(os.environ.get("CLAUDE_BIN", "~/.cache/coding-clients/claude")).expanduser()
SCHEMA = {
    "type": "object",
    "properties": {"observations": {"type": "array", "items": {"type": "string"}}},
    "required": ["observations"],
}
ASKED = Question("SYSTEM OF MEMFOLD", (Message("user", "EVIDENCE"),), SCHEMA, timeout_s=60)


def program(folder: Path, body: str) -> str:
    file = folder / "claude"
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o700)
    return str(file)


def model(folder: Path, body: str, **env: str) -> ClaudeModel:
    given = {"PATH": os.environ["PATH"], "HOME": str(folder), **env}
    return ClaudeModel("haiku", folder / "own", program=program(folder, body), env=given)


def said(**more: object) -> str:
    return f"cat >/dev/null; echo '{json.dumps({'type': 'result', 'is_error': False, **more})}'"


def test_the_answer_and_its_cost_are_taken(tmp_path: Path) -> None:
    usage = {"input_tokens": 7, "cache_read_input_tokens": 3, "output_tokens": 5}
    body = said(structured_output={"observations": []}, usage=usage, total_cost_usd=0.002)
    answer = model(tmp_path, body).ask(ASKED)
    assert answer.text == '{"observations": []}'
    assert (answer.tokens_in, answer.tokens_out, answer.cost_micro_usd) == (10, 5, 2_000)


@pytest.mark.parametrize(
    ("body", "trouble"),
    [
        (said(is_error=True, api_error_status=401, result="x"), AuthFailed),
        (said(is_error=True, result="Invalid API key · Please run /login"), AuthFailed),
        (said(is_error=True, api_error_status=429, result="x"), RateLimited),
        (said(is_error=True, result="5-hour limit reached"), QuotaSpent),
        (said(is_error=True, api_error_status=404, result="x"), Rejected),
        (said(is_error=True, api_error_status=500, result="x"), ServerFailed),
        ("cat >/dev/null; echo prose", BadReply),
        ("exit 3", ServerFailed),
        ("cat >/dev/null; head -c 5000000 /dev/zero", BadReply),
    ],
    ids=["401", "login", "429", "quota", "404", "500", "prose", "dies", "huge"],
)
def test_each_failure_has_its_type(tmp_path: Path, body: str, trouble: type[ModelTrouble]) -> None:
    with pytest.raises(trouble) as caught:
        model(tmp_path, body).ask(ASKED)
    assert type(caught.value) is trouble


def test_a_program_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match="cannot be started"):
        ClaudeModel("m", tmp_path / "own", program=str(tmp_path / "none"), env={}).ask(ASKED)


def test_it_is_killed_with_what_it_started_when_time_is_up(tmp_path: Path) -> None:
    started = tmp_path / "child"
    for timeout_s in (1, 5, 25):  # a busy machine may not start it within the first
        body = f"sleep 300 & echo $! > {started}.new; mv {started}.new {started}; wait"
        with pytest.raises(TimedOut):
            model(tmp_path, body).ask(Question("s", (Message("user", "u"),), {}, timeout_s))
        if started.exists():
            break
    assert ends(int(started.read_text())), "it goes on after its parent was killed"


def test_its_environment_is_made_from_nothing(tmp_path: Path) -> None:
    body = f"env > {tmp_path}/env; pwd >> {tmp_path}/env; {said(result='{}')}"
    secrets = {"GITHUB_TOKEN": "t", "ANTHROPIC_API_KEY": "not-mine", "AWS_SECRET_ACCESS_KEY": "s"}
    model(tmp_path, body, **secrets).ask(ASKED)
    seen = (tmp_path / "env").read_text()
    assert not [name for name in secrets if name in seen]
    assert "MEMFOLD_OBSERVING=1" in seen
    assert str(tmp_path / "own") in seen


@pytest.mark.real_client
@pytest.mark.skipif(not HARNESS.is_dir(), reason="../shared/harness is not beside the checkout")
@pytest.mark.skipif(not CLAUDE.is_file(), reason="no Claude Code binary; set CLAUDE_BIN")
def test_the_real_program_is_locked_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No tools but the one for the answer, none of the user's hooks, memory or servers, no file."""
    monkeypatch.syspath_prepend(str(HARNESS))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    harness = SimpleNamespace(run=importlib.import_module("run_claude"))
    answer = [{"tool": "StructuredOutput", "input": {"observations": ["seen"]}}]
    with harness.run.Sandbox(script=[{"replies": [answer]}], root=tmp_path) as box:
        box.hook_all(["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"])
        box.write_settings()
        (box.config / "CLAUDE.md").write_text("MEMORY OF THE USER")
        (box.home / ".claude.json").write_text(
            json.dumps({"mcpServers": {"spy": {"command": "touch", "args": [f"{tmp_path}/spied"]}}})
        )
        observer = ClaudeModel(
            "claude-haiku-4-5", tmp_path / "own", program=str(CLAUDE), key="dummy",
            base_url=box.url, env=box.env(),
        )  # fmt: skip
        got = observer.ask(ASKED)
        bodies = [one["body"] for one in box.stub.requests if one["path"].endswith("/messages")]
        assert json.loads(got.text) == {"observations": ["seen"]}
        assert got.tokens_in > 0
        assert len(bodies) == 1
        assert [tool["name"] for tool in bodies[0]["tools"]] == ["StructuredOutput"]
        sent = json.dumps(bodies[0])
        assert "SYSTEM OF MEMFOLD" in sent
        assert "EVIDENCE" in sent
        assert "MEMORY OF THE USER" not in sent
        assert box.hooks() == []
        assert not (tmp_path / "spied").exists()
        assert not list((box.config / "projects").rglob("*.jsonl"))
        assert list((tmp_path / "own").iterdir()) == []
