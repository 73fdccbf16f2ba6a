"""Small sessions of our own in the form of every host, laid out as the hosts lay them out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

TIME = "2026-05-04T09:00:{:02d}.000Z"
AT_MS = 1_777_885_200_000  # the same moment, second 0
ASKED = "Why does the pool run empty?"
FOUND = "Pool.run keeps its connection when a query raises; it is released in a finally block now."
USES = 2  # of every session: a file read, and the same file changed
CWD = "/code/app"
FILE = f"{CWD}/pool.py"


def write_sessions(user: Path, project: Path) -> dict[str, Path]:
    """A session of each host below a home folder; SpecStory's in the project. Host -> file."""
    specstory = project / ".specstory" / "history"
    makers = {
        "claude-code": (user / ".claude/projects/-code-app/c-1.jsonl", lines_of(claude_code())),
        "codex": (user / ".codex/sessions/2026/05/04/rollout-x-1.jsonl", lines_of(codex())),
        "gemini-cli": (user / ".gemini/tmp/app/chats/session-1.jsonl", lines_of(gemini_lines())),
        "copilot-cli": (user / ".copilot/session-state/p-1/events.jsonl", lines_of(copilot())),
        "opencode": (
            user / ".local/share/opencode/storage/session/h/ses_1.json",
            json.dumps({"id": "ses_1", "directory": CWD}),
        ),
        "cursor": (
            user / ".cursor/projects/code-app/agent-transcripts/u-1/u-1.jsonl",
            lines_of(cursor()),
        ),
        "windsurf": (user / ".windsurf/transcripts/w-1.jsonl", lines_of(windsurf())),
        "pi": (user / ".pi/agent/sessions/--code-app--/1_i-1.jsonl", lines_of(pi())),
        "specstory": (specstory / "2026-05-04_09-00-00Z-pool.md", SPECSTORY),
    }
    for path, text in makers.values():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    opencode_parts(user / ".local/share/opencode/storage")
    return {host: path for host, (path, _) in makers.items()}


def lines_of(lines: Iterable[Any]) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def claude_code() -> list[Any]:
    common = {"sessionId": "c-1", "cwd": CWD}
    read = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": FILE}}
    edit = {"type": "tool_use", "id": "t2", "name": "Edit", "input": {"file_path": FILE}}
    done = [{"type": "tool_result", "tool_use_id": key, "content": "ok"} for key in ("t1", "t2")]
    told: list[tuple[str, Any]] = [
        ("user", ASKED),
        ("assistant", [read]),
        ("user", done[:1]),
        ("assistant", [edit]),
        ("user", done[1:]),
        ("assistant", [{"type": "text", "text": FOUND}]),
    ]
    return [
        {"type": kind, "message": {"content": content}, "timestamp": TIME.format(at), **common}
        for at, (kind, content) in enumerate(told)
    ]


def codex() -> list[Any]:
    patch = f"*** Begin Patch\n*** Update File: {FILE}\n*** End Patch"
    told: list[tuple[str, dict[str, Any]]] = [
        ("session_meta", {"id": "x-1", "cwd": CWD}),
        ("event_msg", {"type": "user_message", "message": ASKED}),
        ("response_item", _codex_call("k1", "exec_command", {"cmd": f"cat {FILE}"})),
        ("response_item", {"type": "function_call_output", "call_id": "k1", "output": "ok"}),
        ("response_item", {"type": "custom_tool_call", "name": "apply_patch", "call_id": "k2",
                           "input": patch}),
        ("response_item", {"type": "custom_tool_call_output", "call_id": "k2", "output": "ok"}),
        ("event_msg", {"type": "agent_message", "message": FOUND}),
    ]  # fmt: skip
    return [
        {"type": kind, "payload": payload, "timestamp": TIME.format(at)}
        for at, (kind, payload) in enumerate(told)
    ]


def _codex_call(key: str, name: str, given: dict[str, Any]) -> dict[str, Any]:
    arguments = json.dumps(given)
    return {"type": "function_call", "name": name, "call_id": key, "arguments": arguments}


def gemini_messages() -> list[dict[str, Any]]:
    def call(key: str, name: str, at: int) -> dict[str, Any]:
        answer = {"functionResponse": {"id": key, "name": name, "response": {"output": "ok"}}}
        return {
            "id": key,
            "name": name,
            "args": {"file_path": FILE},
            "result": [answer],
            "status": "success",
            "timestamp": TIME.format(at),
        }

    tokens = {"input": 100, "cached": 40, "output": 20, "thoughts": 1}
    return [
        {"id": "m1", "timestamp": TIME.format(0), "type": "user", "content": [{"text": ASKED}]},
        {"id": "m2", "timestamp": TIME.format(1), "type": "gemini", "content": "",
         "toolCalls": [call("g1", "read_file", 1), call("g2", "replace", 2)], "tokens": tokens},
        {"id": "m3", "timestamp": TIME.format(3), "type": "gemini", "content": FOUND},
    ]  # fmt: skip


def gemini_lines() -> list[Any]:
    """As the newest versions write them: a message once without its calls' results, then with."""
    head = {"sessionId": "g-1", "startTime": TIME.format(0), "directories": [CWD]}
    asked, worked, said = gemini_messages()
    begun = {**worked, "toolCalls": [{**c, "status": "executing", "result": None}
                                     for c in worked["toolCalls"]]}  # fmt: skip
    return [head, asked, begun, {"$set": {"lastUpdated": TIME.format(2)}}, worked, said]


def gemini_document() -> dict[str, Any]:
    return {"sessionId": "g-1", "projectHash": "", "messages": gemini_messages()}


def copilot() -> list[Any]:
    told: list[tuple[str, dict[str, Any]]] = [
        ("session.start", {"sessionId": "p-1", "context": {"cwd": CWD, "branch": "main"}}),
        ("user.message", {"content": ASKED}),
        ("assistant.message", {"content": "", "outputTokens": 9, "toolRequests": [
            {"toolCallId": "h1"}, {"toolCallId": "h2"}]}),
        ("tool.execution_start", {"toolCallId": "h1", "toolName": "view",
                                  "arguments": {"path": FILE}}),
        ("tool.execution_complete", {"toolCallId": "h1", "success": True,
                                     "result": {"content": "ok"}}),
        ("tool.execution_start", {"toolCallId": "h2", "toolName": "edit",
                                  "arguments": {"path": FILE}}),
        ("tool.execution_complete", {"toolCallId": "h2", "success": True,
                                     "result": {"content": "ok", "detailedContent": "-a\n+b"}}),
        ("assistant.message", {"content": FOUND, "toolRequests": []}),
        ("session.shutdown", {}),
    ]  # fmt: skip
    return [
        {"type": kind, "data": data, "id": f"e{at}", "timestamp": TIME.format(at)}
        for at, (kind, data) in enumerate(told)
    ]


def copilot_timeline() -> dict[str, Any]:
    def call(key: str, command: str) -> dict[str, Any]:
        given = {"command": command, "path": FILE}
        result = {"type": "success", "log": "ok"}
        return {
            "type": "tool_call_completed",
            "callId": key,
            "name": "str_replace_editor",
            "arguments": given,
            "result": result,
            "timestamp": TIME.format(1),
        }

    return {
        "sessionId": "p-0",
        "timeline": [
            {"id": "a", "type": "user", "text": ASKED, "timestamp": TIME.format(0)},
            call("h1", "view"),
            call("h2", "str_replace"),
            {"id": "b", "type": "copilot", "text": FOUND, "timestamp": TIME.format(2)},
        ],
    }


def opencode_messages() -> list[dict[str, Any]]:
    def tool(key: str, name: str) -> dict[str, Any]:
        state = {
            "status": "completed",
            "input": {"filePath": FILE},
            "output": "ok",
            "time": {"start": AT_MS + 2_000, "end": AT_MS + 2_500},
        }
        return {"id": f"prt_{key}", "type": "tool", "tool": name, "callID": key, "state": state}

    return [
        {"info": {"id": "msg_1", "role": "user", "time": {"created": AT_MS}},
         "parts": [{"id": "prt_1", "type": "text", "text": ASKED},
                   {"id": "prt_2", "type": "text", "text": "its file", "synthetic": True}]},
        {"info": {"id": "msg_2", "role": "assistant", "time": {"created": AT_MS + 1_000},
                  "tokens": {"input": 10, "output": 5, "cache": {"write": 1}}},
         "parts": [tool("o1", "read"), tool("o2", "edit")]},
        {"info": {"id": "msg_3", "role": "assistant", "time": {"created": AT_MS + 3_000}},
         "parts": [{"id": "prt_9", "type": "text", "text": FOUND}]},
    ]  # fmt: skip


def opencode_parts(storage: Path) -> None:
    for message in opencode_messages():
        info, number = message["info"], message["info"]["id"]
        told = storage / "message" / "ses_1" / f"{number}.json"
        told.parent.mkdir(parents=True, exist_ok=True)
        told.write_text(json.dumps(info), "utf-8")
        for part in message["parts"]:
            file = storage / "part" / number / f"{part['id']}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(part), "utf-8")


def opencode_export() -> dict[str, Any]:
    return {"info": {"id": "ses_1", "directory": CWD}, "messages": opencode_messages()}


def cursor() -> list[Any]:
    def said(role: str, *blocks: dict[str, Any]) -> dict[str, Any]:
        return {"role": role, "message": {"content": list(blocks)}}

    def text(words: str) -> dict[str, Any]:
        return {"type": "text", "text": words}

    def call(name: str) -> dict[str, Any]:
        return {"type": "tool_use", "name": name, "input": {"path": FILE}}

    return [
        said("user", text(f"<user_query>\n{ASKED}\n</user_query>")),
        said("assistant", text("[REDACTED]"), call("Read")),
        said("assistant", text("[REDACTED]"), call("Write")),
        said("assistant", text(FOUND)),
    ]


def windsurf() -> list[Any]:
    def step(kind: str, **more: Any) -> dict[str, Any]:
        return {"type": kind, "status": "done", kind: more}

    return [
        step("user_input", user_response=ASKED),
        step("view_file", path=f"file://{FILE}", content="pool"),
        step("code_action", path=f"file://{FILE}", new_content="b", original_content="a"),
        step("planner_response", response=FOUND),
    ]


def pi() -> list[Any]:
    def message(at: int, **more: Any) -> dict[str, Any]:
        return {"type": "message", "id": f"n{at}", "timestamp": TIME.format(at), "message": more}

    def call(key: str, name: str) -> dict[str, Any]:
        return {"type": "toolCall", "id": key, "name": name, "arguments": {"path": FILE}}

    done = {"role": "toolResult", "content": [{"type": "text", "text": "ok"}]}
    return [
        {"type": "session", "id": "i-1", "cwd": CWD, "timestamp": TIME.format(0)},
        message(1, role="user", content=[{"type": "text", "text": ASKED}]),
        message(2, role="assistant", content=[call("q1", "read"), call("q2", "edit")],
                usage={"input": 7, "output": 2}),
        message(3, toolCallId="q1", **done),
        message(4, toolCallId="q2", details={"patch": "-a\n+b"}, **done),
        message(5, role="assistant", content=[{"type": "text", "text": FOUND}]),
    ]  # fmt: skip


SPECSTORY = f"""<!-- Generated by SpecStory, Markdown v2.1.0 -->

# 2026-05-04 09:00:00Z

<!-- Claude Code Session s-1 (2026-05-04 09:00:00Z) -->

_**User (2026-05-04 09:00:00Z)**_

{ASKED}

---

_**Agent (some-model 2026-05-04 09:00:01Z)**_

<think><details><summary>Thought Process</summary>
Not to be kept.
</details></think>

<tool-use data-tool-type="read" data-tool-name="Read"><details>
<summary>Tool use: **Read**</summary>
 `{FILE}`

```text
_**User (2026-05-04 09:00:01Z)**_
```
</details></tool-use>

_**Agent (some-model 2026-05-04 09:00:02Z)**_

<tool-use data-tool-type="write" data-tool-name="Edit"><details>
<summary>Tool use: **Edit**</summary>

```text
The file {FILE} has been updated. Here's the result
```
</details></tool-use>

_**Agent (some-model 2026-05-04 09:00:03Z)**_

{FOUND}

"""
