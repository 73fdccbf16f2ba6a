"""The MCP door in both protocol eras, called as the daemon's HTTP server calls it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from memfold.errors import InvalidSelection
from memfold.records import Caller, Project, ToolReply
from memfold.serve import handshake
from memfold.serve.mcp import McpDoor, header_value
from memfold.serve.tools import INSTRUCTIONS, TOOLS, Toolbox

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
WHERE = {"x-memfold-cwd": "/home/u/Zo%C3%AB%20app", "x-memfold-session": "s1"}


def find_caller(*, cwd: str, host: str, session: str, project: str) -> Caller:
    known = Project(1, "u", cwd or project) if cwd or project else None
    return Caller(project=known, host=host, session=session, cwd=cwd)


def answer(args: Mapping[str, Any], caller: Caller) -> ToolReply:
    if args.get("query") == "refuse":
        raise InvalidSelection("41 was not shown.")
    if args.get("query") == "break":
        raise RuntimeError("/secret/path")
    return ToolReply(f"found {args.get('query')} in {caller.cwd} for {caller.session}")


class Client:
    """A door, and requests to it."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.door = McpDoor(Toolbox({tool.name: answer for tool in TOOLS}), find_caller)

    def close(self) -> None:
        self.loop.run_until_complete(self.door.close())
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()

    def is_warm(self) -> bool:
        return self._in_loop(wait=False)

    def warm(self) -> None:
        assert self._in_loop(wait=True)

    def _in_loop(self, *, wait: bool) -> bool:
        """Whether the SDK is loaded; where nobody asked before, the loading begins here."""

        async def look() -> bool:
            task = self.door.loading()
            if wait:
                await asyncio.wait({task})
            return task.done()

        return self.loop.run_until_complete(look())

    def post(self, message: Any, headers: dict[str, str]) -> tuple[int, Any]:
        return self.loop.run_until_complete(self._post(json.dumps(message).encode(), headers))

    async def _post(self, body: bytes, headers: dict[str, str]) -> tuple[int, Any]:
        sent: list[Any] = []
        told = False

        async def receive() -> dict[str, Any]:
            nonlocal told
            if told:
                await asyncio.Event().wait()
            told = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        every = {"accept": "application/json", "content-type": "application/json", **headers}
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/mcp",
            "raw_path": b"/mcp",
            "query_string": b"",
            "headers": [(k.lower().encode(), v.encode("latin-1")) for k, v in every.items()],
        }
        await self.door(scope, receive, send)
        text = b"".join(part.get("body", b"") for part in sent[1:])
        return sent[0]["status"], json.loads(text) if text else None

    def ask(self, method: str, params: Any, *, version: str, headers: Any = WHERE) -> Any:
        """The result, in the manner of that protocol version."""
        extra = {"mcp-protocol-version": version, **headers}
        if version == MODERN:
            prefix = "io.modelcontextprotocol/"
            meta = {
                f"{prefix}protocolVersion": version,
                f"{prefix}clientInfo": {"name": "t", "version": "1"},
                f"{prefix}clientCapabilities": {},
            }
            params = {**params, "_meta": meta}
            extra["mcp-method"] = method
            if method == "tools/call":
                extra["mcp-name"] = params["name"]
        status, reply = self.post(
            {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, extra
        )
        assert status == 200, reply
        return reply["result"]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    client = Client()
    yield client
    client.close()


@pytest.mark.parametrize("version", HANDSHAKE)
def test_older_hosts_shake_hands(client: Client, version: str) -> None:
    result = client.ask(
        "initialize",
        {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
        version=version,
    )
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "memfold"
    assert result["instructions"] == INSTRUCTIONS
    assert set(result["capabilities"]) <= {"tools", "experimental"}


def test_newer_hosts_discover(client: Client) -> None:
    result = client.ask("server/discover", {}, version=MODERN)
    assert result["supportedVersions"] == [MODERN]
    assert result["instructions"] == INSTRUCTIONS


@pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
def test_tools_are_listed_in_order_with_their_pins(client: Client, version: str) -> None:
    tools = client.ask("tools/list", {}, version=version)["tools"]
    assert [tool["name"] for tool in tools] == [tool.name for tool in TOOLS]
    assert tools[0]["_meta"] == {"anthropic/alwaysLoad": True}
    assert tools[0]["inputSchema"]["additionalProperties"] is False


@pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
def test_a_call_knows_who_calls_and_answers_in_text_only(client: Client, version: str) -> None:
    """Two hosts would show structured content in place of the text."""
    result = client.ask(
        "tools/call", {"name": "mem_search", "arguments": {"query": "leak"}}, version=version
    )
    (content,) = result["content"]
    assert content == {"type": "text", "text": "found leak in /home/u/Zoë app for s1"}
    assert "structuredContent" not in result
    assert not result.get("isError")


@pytest.mark.parametrize("version", ["2025-06-18", MODERN])
def test_a_refusal_begins_with_its_code(client: Client, version: str) -> None:
    result = client.ask(
        "tools/call", {"name": "mem_search", "arguments": {"query": "refuse"}}, version=version
    )
    assert result["isError"] is True
    assert result["content"][0]["text"].startswith("invalid_selection - 41 was not shown. Choose")


def test_any_other_failure_is_one_neutral_sentence_and_a_line_in_the_log(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "memfold.serve.mcp"):
        result = client.ask(
            "tools/call",
            {"name": "mem_search", "arguments": {"query": "break"}},
            version="2025-06-18",
        )
    assert result["isError"] is True
    assert "/secret" not in result["content"][0]["text"]
    assert "/secret/path" in caplog.text


def test_a_client_that_names_nothing_must_name_the_project(client: Client) -> None:
    call = {"name": "mem_search", "arguments": {"query": "leak"}}
    result = client.ask("tools/call", call, version="2025-06-18", headers={})
    assert result["isError"] is True
    assert "invalid_input - This client did not say" in result["content"][0]["text"]
    named = client.ask(
        "tools/call", call, version="2025-06-18", headers={"x-memfold-project": "app"}
    )
    assert not named.get("isError")


def test_an_unknown_argument_is_told_to_the_agent(client: Client) -> None:
    result = client.ask(
        "tools/call", {"name": "mem_search", "arguments": {"q": "x"}}, version=MODERN
    )
    assert result["isError"] is True
    assert "Use `query`" in result["content"][0]["text"]


def test_a_notification_wants_no_answer(client: Client) -> None:
    status, reply = client.post(
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"mcp-protocol-version": "2025-06-18"},
    )
    assert (status, reply) == (202, None)


def handshake_requests() -> list[tuple[str, dict[str, Any], dict[str, str]]]:
    """Everything a host says before its first call, in each version."""
    requests: list[tuple[str, dict[str, Any], dict[str, str]]] = []
    who = {"capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    for version in HANDSHAKE:
        requests.append(("initialize", {"protocolVersion": version, **who}, {}))
        header = {"mcp-protocol-version": version}
        requests += [("tools/list", {}, header), ("ping", {}, header)]
    prefix = "io.modelcontextprotocol/"
    meta = {
        f"{prefix}protocolVersion": MODERN,
        f"{prefix}clientInfo": {"name": "t", "version": "1"},
        f"{prefix}clientCapabilities": {},
    }
    for method in ("server/discover", "tools/list"):
        header = {"mcp-protocol-version": MODERN, "mcp-method": method}
        requests.append((method, {"_meta": meta}, header))
    return requests


@pytest.mark.parametrize(("method", "params", "headers"), handshake_requests())
def test_first_answers_are_those_of_the_sdk(
    client: Client, method: str, params: dict[str, Any], headers: dict[str, str]
) -> None:
    """They are given while the SDK loads, so they must not differ in anything."""
    message = {"jsonrpc": "2.0", "id": "a", "method": method, "params": params}
    early = handshake.answer(headers, json.dumps(message).encode())
    client.warm()
    status, reply = client.post(message, headers)
    assert status == 200
    assert early == reply


@pytest.mark.parametrize(
    ("message", "headers"),
    [
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search"}}, {}),
        ({"jsonrpc": "2.0", "method": "notifications/initialized"}, {}),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, {}),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, {}),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, {}),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"mcp-protocol-version": "1999-01-01"}),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"mcp-protocol-version": MODERN}),
        ({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}, {}),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "x"}}, {}),
        ([], {}),
        ("ping", {}),
    ],
)
def test_anything_else_is_left_to_the_sdk(message: Any, headers: dict[str, str]) -> None:
    assert handshake.answer(headers, json.dumps(message).encode()) is None


def test_text_that_is_no_json_is_left_to_the_sdk() -> None:
    assert handshake.answer({}, b"{") is None
    assert handshake.answer({}, b"[" * 100_000) is None


def test_a_cold_door_answers_the_handshake_before_the_sdk_is_there() -> None:
    client = Client()
    assert client.ask("tools/list", {}, version="2025-06-18")["tools"]
    assert not client.is_warm()
    call = {"name": "mem_search", "arguments": {"query": "leak"}}
    assert "found leak" in json.dumps(client.ask("tools/call", call, version="2025-06-18"))
    assert client.is_warm()
    client.close()


def test_a_door_can_close_while_the_sdk_loads() -> None:
    client = Client()
    client.ask("ping", {}, version="2025-06-18")
    client.close()


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("/home/u/app", "/home/u/app"),
        ("/home/u/Zo%C3%AB", "/home/u/Zoë"),
        ("/home/u/Zoë".encode().decode("latin-1"), "/home/u/Zoë"),
        ("/odd/%FF", "/odd/\udcff"),
        ("", ""),
    ],
)
def test_any_path_fits_in_a_header(raw: str, value: str) -> None:
    assert header_value(raw) == value
