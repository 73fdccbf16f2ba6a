"""A host's question before its agent reads a file: its payload read, our verdict in its form.

Source: the real Claude Code, version 2.1.332. `allow` is never said: it would skip the host's own
question to the person.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memfold.code.gate.ask import ReadAsk, Verdict

_MOST_BODY_BYTES = 256 * 1024  # a question before a read is small


def read_ask(host: str, body: bytes) -> ReadAsk | None:
    """What is asked; None for anything that is not one plain read in that host's own form."""
    payload = _payload(body)
    given = payload.get("tool_input")
    if payload.get("tool_name") != "Read" or not isinstance(given, dict):
        return None
    path, session = given.get("file_path"), payload.get("session_id")
    if not isinstance(path, str) or not isinstance(session, str):
        return None
    offset, limit = _number(given, "offset"), _number(given, "limit")
    if offset is None or (limit is None and given.get("limit") is not None):
        return None
    return ReadAsk(
        host=host,
        session=session,
        path=path,
        cwd=_text(payload, "cwd"),
        # Other hosts run the hooks of Claude Code's settings; each of them says who it is.
        subagent=bool(payload.get("agent_id") or payload.get("agent_type"))
        or any(key in payload for key in ("cursor_version", "conversation_id", "sessionId")),
        offset=offset,
        limit=limit,
        pages=_text(given, "pages"),
        transcript=_text(payload, "transcript_path"),
    )


def _payload(body: bytes) -> dict[str, Any]:
    """The payload of an event before a tool; empty for any other."""
    if len(body) > _MOST_BODY_BYTES:
        return {}
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    is_ours = isinstance(payload, dict) and payload.get("hook_event_name") == "PreToolUse"
    return payload if is_ours else {}


def read_answer(verdict: Verdict) -> bytes:
    """What the hook prints; empty where the read goes on as it is."""
    said: dict[str, Any] = {"hookEventName": "PreToolUse"}
    if verdict.kind == "block":
        said |= {"permissionDecision": "deny", "permissionDecisionReason": verdict.text}
    elif verdict.kind == "context":
        said["additionalContext"] = verdict.text
    else:
        return b""
    return json.dumps({"hookSpecificOutput": said}, ensure_ascii=False).encode("utf-8", "replace")


def _text(payload: Mapping[str, Any], key: str) -> str:
    value = payload.get(key)
    return value if isinstance(value, str) else ""


def _number(given: Mapping[str, Any], key: str) -> int | None:
    """The number, 1 for an offset that is not there; None for what is no number."""
    value = given.get(key)
    if value is None:
        return 1 if key == "offset" else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
