"""The adapters of observe.model.port.Model: what is their own, and each way a server may fail.

What every model promises, the fake too, is in tests/contract/test_model.py.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest
from scripted_model import Reply, closes, fails, huge, says, scripted

from memfold.errors import InvalidInput
from memfold.observe.model.anthropic import AnthropicModel
from memfold.observe.model.http import MAX_REPLY_BYTES, Server, retry_after_s
from memfold.observe.model.openai import OpenAiModel
from memfold.observe.model.port import (
    AuthFailed,
    BadReply,
    Message,
    Model,
    ModelTrouble,
    Question,
    QuotaSpent,
    RateLimited,
    Refused,
    Rejected,
    ServerFailed,
    TimedOut,
)

KEY = "key-of-a-test"
ASKED = Question("be brief", (Message("user", "what?"),), {"type": "object"}, timeout_s=20)
MODELS: dict[str, Callable[[str], Model]] = {
    "anthropic": lambda url: AnthropicModel("m", KEY, url),
    "openai": lambda url: OpenAiModel("m", KEY, f"{url}/v1"),
}


@pytest.fixture(params=sorted(MODELS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@contextlib.contextmanager
def model_of(kind: str, *script: Reply) -> Iterator[Model]:
    with scripted(*script) as server:
        yield MODELS[kind](server.url)


@pytest.mark.parametrize(
    ("reply", "trouble"),
    [
        (fails(401), AuthFailed),
        (fails(403), AuthFailed),
        (fails(404), Rejected),
        (fails(429), RateLimited),
        (fails(429, "insufficient_quota"), QuotaSpent),
        (fails(400, "Your credit balance is too low"), QuotaSpent),
        (fails(500), ServerFailed),
        (fails(529), ServerFailed),
        (closes, ServerFailed),
        (huge, BadReply),
        (lambda to, _: to.send(200, b"<html>a portal</html>"), BadReply),
        (lambda to, _: to.send(200, b"[]"), BadReply),
        (lambda to, _: to.send(200, b"{}"), BadReply),
        (says("", stop="refusal"), Refused),
    ],
    ids=[
        "401", "403", "404", "429", "429 quota", "400 credit", "500", "529", "closed connection",
        "huge reply", "html", "a list", "no content", "refusal",
    ],
)  # fmt: skip
def test_each_failure_has_its_type_and_never_the_key(
    kind: str, reply: Reply, trouble: type[ModelTrouble]
) -> None:
    with model_of(kind, reply) as model, pytest.raises(trouble) as caught:
        model.ask(ASKED)
    assert KEY not in str(caught.value)
    assert type(caught.value) is trouble


def test_a_server_that_trickles_is_left_when_time_is_up(kind: str) -> None:
    """Each byte comes in time, the whole never does."""

    def trickles(to: object, _body: object) -> None:
        to.wfile.write(b"HTTP/1.1 200 OK\r\n")  # type: ignore[attr-defined]
        while not to.server.free.wait(0.02):  # type: ignore[attr-defined]
            to.wfile.write(b"x-more: 1\r\n")  # type: ignore[attr-defined]

    question = Question("s", (Message("user", "u"),), {}, timeout_s=0.3)  # Python reads 100 headers
    with model_of(kind, trickles) as model, pytest.raises(TimedOut):
        model.ask(question)


def test_a_server_that_knows_no_schema_is_asked_for_plain_json_once() -> None:
    with scripted(fails(400), says("{}"), says("{}")) as server:
        model = OpenAiModel("m", "", server.url)
        model.ask(ASKED)
        model.ask(ASKED)
    forms = [body.get("response_format", {}).get("type") for body in server.requests]
    assert forms == ["json_schema", "json_object", "json_object"]


def test_the_tools_input_is_the_answer_of_anthropic() -> None:
    def reply(to: object, body: dict[str, object]) -> None:
        name = body["tools"][0]["name"]  # type: ignore[index]
        block = f'{{"type":"tool_use","name":"{name}","input":{{"observations":[]}}}}'
        to.send(200, f'{{"content":[{block}],"stop_reason":"tool_use"}}'.encode())  # type: ignore[attr-defined]

    with scripted(reply) as server:
        assert AnthropicModel("m", KEY, server.url).ask(ASKED).text == '{"observations": []}'


@pytest.mark.parametrize("url", ["ftp://x", "nonsense", "http://models.example/v1"])
def test_a_key_does_not_go_where_it_should_not(url: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Server(url, {}, secret=True)
    assert "observer_base_url" in str(caught.value)


@pytest.mark.parametrize(
    ("given", "seconds"), [("5", 5.0), ("", None), ("soon", None), ("-1", None), ("1e99", 86_400.0)]
)
def test_retry_after_makes_sense_or_is_left(given: str, seconds: float | None) -> None:
    assert retry_after_s({"retry-after": given}) == seconds
    assert MAX_REPLY_BYTES > 0
