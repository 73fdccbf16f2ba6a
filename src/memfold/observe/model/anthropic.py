"""The Anthropic Messages API; the answer is the input of the one tool it must call."""

from __future__ import annotations

import json
from typing import Any

from memfold.observe.model.http import Server
from memfold.observe.model.port import Answer, BadReply, Question, Refused

BASE_URL = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_TOOL = "record_observations"


class AnthropicModel:
    """Implements port.Model. Raises InvalidInput for an address that cannot be used."""

    def __init__(self, model: str, key: str, base_url: str = "") -> None:
        headers = {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})
        self.name = f"anthropic/{model}"
        self._model = model
        self._server = Server(base_url or BASE_URL, headers, secret=bool(key))

    def ask(self, question: Question) -> Answer:
        payload = {
            "model": self._model,
            "max_tokens": question.max_output_tokens,
            "system": question.system,
            "messages": [{"role": one.role, "content": one.text} for one in question.messages],
            "tools": [
                {
                    "name": _TOOL,
                    "description": "Hands over the observations.",
                    "input_schema": question.schema,
                }
            ],
            "tool_choice": {"type": "tool", "name": _TOOL},
        }
        return _answer(self._server.post("/v1/messages", payload, question.timeout_s))

    def cancel(self) -> None:
        self._server.cancel()


def _answer(reply: dict[str, Any]) -> Answer:
    stop = reply.get("stop_reason")
    if stop == "refusal":
        raise Refused("The model refused to answer.")
    blocks = reply.get("content")
    if not isinstance(blocks, list):
        raise BadReply("The answer holds no content.")
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Answer(
        text=_text([block for block in blocks if isinstance(block, dict)]),
        tokens_in=sum(
            count(usage.get(name))
            for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        ),
        tokens_out=count(usage.get("output_tokens")),
        cut=stop == "max_tokens",
    )


def _text(blocks: list[dict[str, Any]]) -> str:
    for block in blocks:
        if block.get("type") == "tool_use":
            return json.dumps(block.get("input"), ensure_ascii=False)
    return "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")


def count(value: object) -> int:
    """A server's figure, or 0 where it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
