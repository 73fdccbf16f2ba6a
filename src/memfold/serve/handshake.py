"""The first MCP answers without the SDK: who we are and which tools there are, from fixed data.

A host waits about a second for a server's first answers, which is what importing the SDK takes.
So these few requests are answered here until it is loaded. ``tests/serve/test_mcp_handshake.py``
holds that the SDK gives the same answers; anything out of the ordinary is left to it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memfold import wire
from memfold.serve.tools import INSTRUCTIONS, TOOLS, Tool

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSION = "2026-07-28"
NAME = "memfold"
_PREFIX = "io.modelcontextprotocol/"
_CAPABILITIES = {"tools": {"listChanged": False}}


def version() -> str:
    return wire.VERSION


def listed(tool: Tool) -> dict[str, Any]:
    """The tool as ``tools/list`` shows it."""
    entry: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "annotations": {"readOnlyHint": tool.read_only, "openWorldHint": False},
    }
    if not tool.read_only:
        entry["annotations"]["destructiveHint"] = False
    if tool.pinned:
        entry["_meta"] = {"anthropic/alwaysLoad": True}
    return entry


def answer(headers: Mapping[str, str], body: bytes) -> dict[str, Any] | None:
    """The JSON-RPC reply; None for whatever the SDK must decide.

    ``headers``: names in lower case.
    """
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or set(message) - {"jsonrpc", "id", "method", "params"}:
        return None
    number, params = message.get("id"), message.get("params", {})
    if message.get("jsonrpc") != "2.0" or not isinstance(params, dict):
        return None
    if not isinstance(number, int | str) or isinstance(number, bool):
        return None
    given = headers.get("mcp-protocol-version")
    result = (
        _stateless(message.get("method"), params, headers)
        if given == STATELESS_VERSION
        else _handshake(message.get("method"), params)
        if given is None or given in HANDSHAKE_VERSIONS
        else None
    )
    return None if result is None else {"jsonrpc": "2.0", "id": number, "result": result}


def _handshake(method: object, params: dict[str, Any]) -> dict[str, Any] | None:
    asked = params.get("protocolVersion")
    if method == "initialize" and asked in HANDSHAKE_VERSIONS and _names_itself(params):
        return {
            "capabilities": _CAPABILITIES,
            "instructions": INSTRUCTIONS,
            "protocolVersion": asked,
            "serverInfo": {"name": NAME, "version": version()},
        }
    if method == "tools/list" and not params:
        return {"tools": [listed(tool) for tool in TOOLS]}
    return {} if method == "ping" and not params else None


def _names_itself(params: dict[str, Any]) -> bool:
    client = params.get("clientInfo")
    return (
        isinstance(params.get("capabilities"), dict)
        and isinstance(client, dict)
        and isinstance(client.get("name"), str)
        and isinstance(client.get("version"), str)
    )


def _stateless(
    method: object, params: dict[str, Any], headers: Mapping[str, str]
) -> dict[str, Any] | None:
    meta = params.get("_meta")
    if headers.get("mcp-method") != method or set(params) != {"_meta"}:
        return None
    if not isinstance(meta, dict) or meta.get(f"{_PREFIX}protocolVersion") != STATELESS_VERSION:
        return None
    if not isinstance(meta.get(f"{_PREFIX}clientCapabilities"), dict):
        return None
    common = {
        "cacheScope": "private",
        "resultType": "complete",
        "ttlMs": 0,
        "_meta": {f"{_PREFIX}serverInfo": {"name": NAME, "version": version()}},
    }
    if method == "server/discover":
        return {
            "capabilities": _CAPABILITIES,
            "instructions": INSTRUCTIONS,
            "supportedVersions": [STATELESS_VERSION],
            **common,
        }
    return {"tools": [listed(tool) for tool in TOOLS], **common} if method == "tools/list" else None
