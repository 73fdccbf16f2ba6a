"""Which adapter reads which host's payloads, and a body as the object it reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from memfold.capture import (
    claude_code,
    codex,
    copilot_cli,
    cursor,
    gemini_cli,
    openclaw,
    opencode,
    pi,
    qwen_code,
    windsurf,
)
from memfold.capture.payload import Payload, content_key, plain_result
from memfold.errors import BadPayload
from memfold.records import Event, ToolUsed

# (payload, event as the hook's argument names it or '', when it came) -> what it reports
Adapter = Callable[[Payload, str, int], tuple[Event, ...]]
ADAPTERS: Mapping[str, Adapter] = {
    module.HOST: module.events_of
    for module in (
        claude_code,
        codex,
        copilot_cli,
        cursor,
        gemini_cli,
        openclaw,
        opencode,
        pi,
        qwen_code,
        windsurf,
    )
}

# Their hooks give no id of a call, their transcripts may.
KEYED_BY_CONTENT = frozenset({gemini_cli.HOST, copilot_cli.HOST})


def hooks_key(call: ToolUsed) -> str:
    """The key that a hook of a host without ids gave the call that a transcript tells of."""
    return content_key(call.tool, call.input, plain_result(call.response))


def events_from(rung: str, body: bytes, at_ms: int) -> tuple[str, tuple[Event, ...]]:
    """(the host, what its payload reports). Raises BadPayload.

    ``rung``: ``host`` or ``host/event``, as the hook was called; a payload that names its event
    is believed first.
    """
    host, _, event = rung.partition("/")
    adapter = ADAPTERS.get(host)
    if adapter is None:
        raise BadPayload(f"There is no adapter for the host {host[:40]!r}.")
    try:
        payload = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise BadPayload("A hook's payload is not JSON.") from error
    if not isinstance(payload, dict):
        raise BadPayload("A hook's payload is not a JSON object.")
    return host, adapter(payload, event, at_ms)
