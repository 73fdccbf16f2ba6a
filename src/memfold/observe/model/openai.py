"""Chat completions, as OpenAI, OpenRouter, Ollama, LM Studio, vLLM and Gemini's endpoint serve them.

Where a server does not accept a JSON schema, plain JSON is asked for, and where it does not know
that either, nothing: the instructions say the form too. What it accepts is remembered.
"""

from __future__ import annotations

from typing import Any

from memfold.observe.model.anthropic import count
from memfold.observe.model.http import Server
from memfold.observe.model.port import Answer, BadReply, Question, Refused, Rejected

BASE_URL = "https://api.openai.com/v1"
_FORMS = ("json_schema", "json_object", "")


class OpenAiModel:
    """Implements port.Model. Raises InvalidInput for an address that cannot be used."""

    def __init__(self, model: str, key: str, base_url: str = "") -> None:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self.name = f"openai/{model}"
        self._model = model
        self._server = Server(base_url or BASE_URL, headers, secret=bool(key))
        # Its newer models refuse the older word; most other servers do not know the newer one.
        own = self._server.host == "api.openai.com"
        self._limit = "max_completion_tokens" if own else "max_tokens"
        self._form = 0

    def ask(self, question: Question) -> Answer:
        while True:
            payload = self._payload(question, _FORMS[self._form])
            try:
                reply = self._server.post("/chat/completions", payload, question.timeout_s)
            except Rejected:
                if self._form + 1 == len(_FORMS):
                    self._form = 0
                    raise
                self._form += 1
                continue
            return _answer(reply)

    def cancel(self) -> None:
        self._server.cancel()

    def _payload(self, question: Question, form: str) -> dict[str, Any]:
        payload: dict[str, Any] = {
            "model": self._model,
            self._limit: question.max_output_tokens,
            "messages": [
                {"role": "system", "content": question.system},
                *({"role": one.role, "content": one.text} for one in question.messages),
            ],
        }
        if form == "json_schema":
            schema = {"name": "observations", "schema": question.schema, "strict": False}
            payload["response_format"] = {"type": form, "json_schema": schema}
        elif form:
            payload["response_format"] = {"type": form}
        return payload


def _answer(reply: dict[str, Any]) -> Answer:
    choices = reply.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        raise BadReply("The answer holds no message.")
    ended = first.get("finish_reason")
    if message.get("refusal") or ended == "content_filter":
        raise Refused("The model refused to answer.")
    text = message.get("content")
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    cost = usage.get("cost")  # OpenRouter says it, in dollars
    return Answer(
        text=text if isinstance(text, str) else "",
        tokens_in=count(usage.get("prompt_tokens")),
        tokens_out=count(usage.get("completion_tokens")),
        cost_micro_usd=_micro(cost),
        cut=ended == "length",
    )


def _micro(cost: object) -> int | None:
    if isinstance(cost, (int, float)) and not isinstance(cost, bool) and 0 <= cost < 1e6:
        return round(cost * 1_000_000)
    return None
