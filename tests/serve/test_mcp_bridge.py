"""The stdio end of MCP, fed line by line. What a host relies on: every request gets one answer."""

from __future__ import annotations

import io
import json
import threading
from typing import Any

import pytest

from memfold.serve.bridge import AT_ONCE, Bridge, caller_headers, escaped

MODERN = "2026-07-28"


class Daemon:
    """What the bridge sent, and what it is answered."""

    def __init__(self, answer: bytes = b'{"jsonrpc":"2.0","id":1,"result":{}}') -> None:
        self.status, self.answer = 200, answer
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []

    def __call__(self, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        self.bodies.append(body)
        self.headers.append(headers)
        return self.status, self.answer


def request(method: str, params: Any = None, number: Any = 1) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    if params is not None:
        message["params"] = params
    return json.dumps(message).encode() + b"\n"


def said(daemon: Any, *lines: bytes) -> list[Any]:
    out = io.BytesIO()
    Bridge(out, {"X-Memfold-Cwd": "/p"}, daemon).serve(lines)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_request_goes_on_as_it_came_with_who_calls() -> None:
    daemon = Daemon()
    line = request("tools/call", {"name": "mem_search", "arguments": {"query": "Zoë"}})
    assert said(daemon, line) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
    assert daemon.bodies == [line.strip()]
    assert daemon.headers[0]["X-Memfold-Cwd"] == "/p"
    assert "Mcp-Protocol-Version" not in daemon.headers[0]


def test_the_version_agreed_on_goes_with_what_follows() -> None:
    agreed = {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-06-18"}}
    daemon = Daemon(json.dumps(agreed).encode())
    bridge = Bridge(io.BytesIO(), {}, daemon)
    bridge.reply(request("initialize", {"protocolVersion": "2025-06-18"}))
    bridge.reply(request("tools/list"))
    assert "Mcp-Protocol-Version" not in daemon.headers[0]
    assert daemon.headers[1]["Mcp-Protocol-Version"] == "2025-06-18"


def test_a_newer_host_gets_its_routing_headers() -> None:
    daemon = Daemon()
    meta = {"io.modelcontextprotocol/protocolVersion": MODERN}
    said(daemon, request("tools/call", {"name": "mem_search", "_meta": meta}))
    said(daemon, request("tools/call", {"name": "mém\n", "_meta": meta}))
    assert daemon.headers[0]["Mcp-Protocol-Version"] == MODERN
    assert daemon.headers[0]["Mcp-Method"] == "tools/call"
    assert daemon.headers[0]["Mcp-Name"] == "mem_search"
    assert daemon.headers[1]["Mcp-Name"] == "=?base64?bcOpbQo=?="


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{\n", -32700),
        (b"\xff\xfe\n", -32700),
        (b"[" * 100_000 + b"\n", -32700),
        (b"[]\n", -32600),
        (b"7\n", -32600),
    ],
)
def test_a_bad_line_is_answered_and_the_next_one_served(line: bytes, code: int) -> None:
    answers = said(Daemon(), line, request("ping"))
    by_id = {answer["id"]: answer for answer in answers}
    assert by_id[None]["error"]["code"] == code
    assert by_id[1]["result"] == {}


def test_notifications_answers_and_blank_lines_get_no_answer() -> None:
    lines = [
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
        b'{"jsonrpc":"2.0","id":4,"result":{}}\n',
        b"\n",
    ]
    daemon = Daemon()
    assert said(daemon, *lines) == []
    assert daemon.bodies == []


def test_without_a_daemon_the_agent_is_told_in_one_sentence() -> None:
    def gone(_body: bytes, _headers: dict[str, str]) -> tuple[int, bytes]:
        raise ConnectionRefusedError

    (answer,) = said(gone, request("tools/list", number="x"))
    assert answer["id"] == "x"
    assert "memfold doctor" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (413, b"too large", "larger than memfold takes"),
        (500, b"<html>", "HTTP status 500"),
        (200, b"[1]", "HTTP status 200"),
    ],
)
def test_an_answer_that_is_none_becomes_an_error(status: int, body: bytes, says: str) -> None:
    daemon = Daemon(body)
    daemon.status = status
    (answer,) = said(daemon, request("ping", number=9))
    assert answer["id"] == 9
    assert says in answer["error"]["message"]


def test_a_refusal_without_an_id_gets_the_one_asked_with() -> None:
    """A request refused for its headers is answered before its id is read."""
    refused = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "no"}}
    daemon = Daemon(json.dumps(refused).encode())
    daemon.status = 400
    (answer,) = said(daemon, request("ping", number=3))
    assert answer == {**refused, "id": 3}


def test_a_slow_call_does_not_hold_up_a_ping() -> None:
    ping_done = threading.Event()

    def daemon(body: bytes, _headers: dict[str, str]) -> tuple[int, bytes]:
        if b"tools/call" in body:
            assert ping_done.wait(20)
        else:
            ping_done.set()
        return 200, b'{"jsonrpc":"2.0","id":0,"result":{}}'

    answers = said(daemon, request("tools/call", {}, 1), request("ping", None, 2))
    assert sorted(answer["id"] for answer in answers) == [1, 2]


def test_only_so_many_requests_are_under_way() -> None:
    now, most = [0], [0]
    lock = threading.Lock()

    def daemon(_body: bytes, _headers: dict[str, str]) -> tuple[int, bytes]:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        with lock:
            now[0] -= 1
        return 200, b'{"jsonrpc":"2.0","id":0,"result":{}}'

    assert len(said(daemon, *[request("ping", None, n) for n in range(200)])) == 200
    assert most[0] <= AT_ONCE


def test_answers_are_one_line_each_whatever_is_in_them() -> None:
    text = "a\u2028b\u0085c\n🙂 \ud800"
    daemon = Daemon(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"text": text}}).encode())
    out = io.BytesIO()
    Bridge(out, {}, daemon).serve([request("ping")])
    assert out.getvalue().count(b"\n") == 1
    assert out.getvalue().isascii()
    assert json.loads(out.getvalue())["result"]["text"] == text


def test_a_host_that_went_away_is_no_error() -> None:
    out = io.BytesIO()
    out.close()
    Bridge(out, {}, Daemon()).serve([request("ping")])


def test_who_calls_is_read_from_the_environment() -> None:
    env = {"CLAUDE_PROJECT_DIR": "/home/u/Zoë app%", "CLAUDE_CODE_SESSION_ID": "s-1"}
    assert caller_headers(["bridge.py"], env) == {
        "X-Memfold-Cwd": "/home/u/Zo%C3%AB%20app%25",
        "X-Memfold-Session": "s-1",
        "X-Memfold-Host": "claude-code",
    }
    assert caller_headers(["bridge.py", "codex"], {})["X-Memfold-Host"] == "codex"
    assert caller_headers(["bridge.py"], {})["X-Memfold-Cwd"]


def test_no_path_can_end_a_header() -> None:
    assert escaped("/a\r\nX: y\x00") == "/a%0D%0AX:%20y%00"
