"""Every host's payloads become the expected events, and nothing in one is ever fatal."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.capture.adapters import ADAPTERS, events_from
from memfold.capture.scrub import scrub
from memfold.errors import MemfoldError
from memfold.records import Event, PromptGiven, SessionStarted, ToolUsed

SHARED = Path(__file__).resolve().parents[3] / "shared"
SAMPLES = Path(__file__).with_name("payloads")
AT = 1_777_536_000_000
NAMES = ("hookType", "hook_event_name", "hook_type", "agent_action_name", "type")

# Payloads of each event in the shared data, and the kinds of events they are to become.
EXPECTED: dict[str, dict[str, tuple[int, str]]] = {
    "codex": {
        "PermissionRequest": (1, ""),
        "PostToolUse": (2, "ToolUsed"),
        "PreToolUse": (2, ""),
        "SessionEnd": (1, "SessionEnded"),
        "SessionStart": (2, "SessionStarted"),
        "Stop": (2, "ReplyGiven TurnEnded"),
        "UserPromptSubmit": (2, "PromptGiven"),
        "agent-turn-complete": (1, "ReplyGiven TurnEnded"),
    },
    "copilot-cli": {
        "agentStop": (3, "TurnEnded"),
        "postToolUse": (17, "ToolUsed"),
        "preToolUse": (18, ""),
        "sessionEnd": (1, "SessionEnded"),
        "sessionStart": (1, "SessionStarted"),
        "userPromptSubmitted": (4, "PromptGiven"),
    },
    "cursor": {
        "afterFileEdit": (1, ""),
        "beforeReadFile": (1, ""),
        "beforeShellExecution": (1, ""),
        "beforeSubmitPrompt": (2, "PromptGiven"),
        "postToolUse": (2, "ToolUsed"),
        "postToolUseFailure": (2, "ToolUsed"),
        "preToolUse": (3, ""),
        "sessionEnd": (2, "SessionEnded"),
        "sessionStart": (2, "SessionStarted"),
        "stop": (2, "TurnEnded"),
    },
    "gemini-cli": {
        "AfterAgent": (1, "ReplyGiven TurnEnded"),
        "AfterTool": (3, "ToolUsed"),
        "BeforeAgent": (1, "PromptGiven"),
        "BeforeTool": (4, ""),
        "Notification": (2, ""),
        "SessionEnd": (2, "SessionEnded"),
        "SessionStart": (2, "SessionStarted"),
    },
    "openclaw": {
        "after_tool_call": (2, "ToolUsed"),
        "before_tool_call": (4, ""),
        "session_end": (1, "SessionEnded"),
        "session_start": (1, "SessionStarted"),
    },
    "opencode": {
        "": (6, ""),
        "session.created": (1, "SessionStarted"),
        "session.error": (1, ""),
        "session.idle": (1, "TurnEnded"),
        "tool.execute.after": (1, "ToolUsed"),
        "tool.execute.before": (4, ""),
    },
    "windsurf": {
        "post_cascade_response": (1, "ReplyGiven TurnEnded"),
        "post_setup_worktree": (1, ""),
        "post_write_code": (1, "ToolUsed"),
        "pre_mcp_tool_use": (1, ""),
        "pre_read_code": (1, ""),
        "pre_run_command": (1, ""),
        "pre_user_prompt": (1, "PromptGiven"),
        "pre_write_code": (1, ""),
    },
}
# The same of hosts where one event is sometimes passed over: (payloads, those kept).
MIXED: dict[str, dict[str, tuple[int, int]]] = {
    "claude-code": {
        "": (1, 0),
        "Notification": (14, 0),
        "PostToolUse": (87, 87),
        "PostToolUseFailure": (1, 1),
        "PreCompact": (6, 6),
        "PreToolUse": (74, 0),
        "SessionEnd": (2, 2),
        "SessionStart": (22, 22),
        "Stop": (3, 3),
        "SubagentStart": (1, 0),
        "SubagentStop": (14, 2),  # the others have neither a type nor a message
        "UserPromptSubmit": (41, 37),  # the others are <task-notification>s
    },
    "pi": {
        "": (1, 0),
        "agent_settled": (1, 0),  # no session
        "before_agent_start": (1, 0),
        "session_shutdown": (2, 1),
        "session_start": (2, 1),
        "tool_call": (4, 0),
        "tool_execution_start": (1, 0),
        "tool_result": (2, 2),
    },
}


def name_of(payload: dict[str, Any]) -> str:
    return next((str(payload[key]) for key in NAMES if payload.get(key)), "")


def kinds(events: tuple[Event, ...]) -> str:
    return " ".join(type(event).__name__ for event in events)


def shared_lines(host: str) -> list[bytes]:
    folder = SHARED / "data" / "hooks" / host
    if not folder.is_dir():
        pytest.skip("../shared/data is not beside this checkout")
    return [
        line for file in sorted(folder.glob("*.jsonl")) for line in file.read_bytes().splitlines()
    ]


@pytest.mark.parametrize("host", sorted(EXPECTED))
def test_each_payload_of_the_shared_data_becomes_what_it_reports(host: str) -> None:
    """Source: captured payloads and format-faithful fixtures, see the data's README."""
    seen: Counter[tuple[str, str]] = Counter()
    for line in shared_lines(host):
        seen[name_of(json.loads(line)), kinds(events_from(host, line, AT)[1])] += 1
    wanted = {(name, kind): count for name, (count, kind) in EXPECTED[host].items()}
    assert dict(seen) == wanted


@pytest.mark.parametrize("host", sorted(MIXED))
def test_notices_and_nameless_payloads_are_passed_over(host: str) -> None:
    seen: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for line in shared_lines(host):
        name = name_of(json.loads(line))
        seen[name] += 1
        kept[name] += bool(events_from(host, line, AT)[1])
    assert {name: (seen[name], kept[name]) for name in seen} == MIXED[host]


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "qwen"])
def test_what_the_real_clients_sent_is_read(name: str) -> None:
    """Source: the harness's recordings of the real binaries, one per kind of event."""
    path = SHARED / "harness" / "payloads" / f"{name}.jsonl"
    if not path.is_file():
        pytest.skip("../shared/harness is not beside this checkout")
    host = {"claude": "claude-code", "gemini": "gemini-cli", "qwen": "qwen-code"}.get(name, name)
    found: Counter[str] = Counter()
    for line in path.read_bytes().splitlines():
        found.update(type(event).__name__ for event in events_from(host, line, AT)[1])
    for kind in ("SessionStarted", "PromptGiven", "ToolUsed", "ReplyGiven"):
        assert found[kind], (kind, found)


# --- payloads of our own, one session a host ---------------------------------------------------

CASES = [json.loads(line) for line in (SAMPLES / "sessions.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['rung']}-{case['id']}")
def test_an_invented_payload_becomes_what_it_reports(case: dict[str, Any]) -> None:
    host, events = events_from(case["rung"], json.dumps(case["payload"]).encode(), AT)
    assert kinds(events) == case["kinds"]
    for event in events:
        assert (event.host, event.session) == (host, "s1")
        for name, value in case.get("has", {}).items():
            if hasattr(event, name):
                got = getattr(event, name)
                assert (list(got) if isinstance(got, tuple) else got) == value, name


def test_every_host_has_an_invented_session() -> None:
    assert {case["rung"].partition("/")[0] for case in CASES} == set(ADAPTERS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['rung']}-{case['id']}")
def test_a_payload_said_twice_has_the_same_keys(case: dict[str, Any]) -> None:
    """A retry and a spooled event come later; nothing that identifies them may change."""
    body = json.dumps(case["payload"]).encode()
    keys = [
        [
            event.key
            for event in events_from(case["rung"], body, at)[1]
            if isinstance(event, ToolUsed)
        ]
        for at in (AT, AT + 5_000)
    ]
    assert keys[0] == keys[1]


@pytest.mark.parametrize("host", sorted(ADAPTERS))
def test_an_event_nobody_knows_yet_is_no_error(host: str) -> None:
    body = dict.fromkeys(NAMES, "new_in_the_future")
    ids = ("session_id", "sessionId", "conversation_id", "trajectory_id")
    body |= dict.fromkeys(ids, "s1")
    assert events_from(f"{host}/NewInTheFuture", json.dumps(body).encode(), AT)[1] == ()


def test_hooks_argument_names_the_event_where_the_payload_does_not() -> None:
    body = json.dumps({"sessionId": "s1", "cwd": "/code", "prompt": "go"}).encode()
    assert events_from("copilot-cli", body, AT)[1] == ()
    (event,) = events_from("copilot-cli/userPromptSubmitted", body, AT)[1]
    assert isinstance(event, PromptGiven)


def test_a_host_that_drops_gemini_events_starts_with_its_own_time() -> None:
    body = {"session_id": "s1", "hook_event_name": "SessionStart", "cwd": "/c"}
    times = {"2026-12-01T06:00:00Z": 1_796_104_800_000, "": AT, 7: 7, True: AT, -1: AT, 1e300: AT}
    for value, at_ms in times.items():
        (event,) = events_from("gemini-cli", json.dumps({**body, "timestamp": value}).encode(), AT)[
            1
        ]
        assert isinstance(event, SessionStarted)
        assert event.at_ms == at_ms


# --- anything anywhere --------------------------------------------------------------------------

ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["[", "{", '{"a":', "<task-notification>", "\ud800", "2026-13-01T99:00Z"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_wrong_types_anywhere_are_never_more_than_the_houses_errors(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(CASES))
    payload = mutated(case["payload"], data)
    body = json.dumps(payload, ensure_ascii=True).encode()
    try:
        _, events = events_from(case["rung"], body, AT)
    except MemfoldError:
        return
    for event in events:
        assert isinstance(scrub(event, 10_000)[0], Event)


def mutated(value: Any, data: st.DataObject) -> Any:
    """The payload with odd values somewhere in it."""
    if data.draw(st.integers(0, 5)) == 0:
        return data.draw(ODD)
    if isinstance(value, dict):
        return {key: mutated(inner, data) for key, inner in value.items()}
    if isinstance(value, list):
        return [mutated(inner, data) for inner in value]
    return value


@pytest.mark.parametrize("host", sorted(ADAPTERS))
@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b"\xff\xfe", b"[" * 5_000, b'"x"'])
def test_what_is_no_object_is_refused_in_a_sentence(host: str, body: bytes) -> None:
    with pytest.raises(MemfoldError, match="payload"):
        events_from(host, body, AT)
