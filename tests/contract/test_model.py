"""observe.model.port.Model: the same promises by both APIs over HTTP and by the fake."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

import pytest
from scripted_model import Reply, fails, hangs, says, scripted

from memfold.observe.model.anthropic import AnthropicModel
from memfold.observe.model.openai import OpenAiModel
from memfold.observe.model.port import (
    Answer,
    AuthFailed,
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
from memfold.testing import HANGS, FakeModel, Step

ASKED = Question("be brief", (Message("user", "what?"),), {"type": "object"}, timeout_s=20)
# What happens: as a server does it, and as the fake is told to.
TOLD: tuple[Reply, Step] = says('{"observations": []}'), '{"observations": []}'
CUT: tuple[Reply, Step] = (
    says('{"obs', stop="length"),
    Answer('{"obs', tokens_in=1_000, tokens_out=100, cut=True),
)
BUSY: tuple[Reply, Step] = (
    fails(429, retry_after="17"),
    RateLimited("wait", retry_after_s=17),
)
STUCK: tuple[Reply, Step] = hangs, HANGS
FAILURES: list[tuple[Reply, Step]] = [
    (fails(401), AuthFailed("no key")),
    (fails(404), Rejected("no such model")),
    (fails(429), RateLimited("wait")),
    (fails(429, "insufficient_quota"), QuotaSpent("no credit")),
    (fails(500), ServerFailed("it broke")),
    (says("", stop="refusal"), Refused("no")),
]
OverHttp = Callable[[str], Model]
HTTP: dict[str, OverHttp] = {
    "anthropic": lambda url: AnthropicModel("m", "key-of-a-test", url),
    "openai": lambda url: OpenAiModel("m", "key-of-a-test", f"{url}/v1"),
}
Makes = Callable[..., contextlib.AbstractContextManager[tuple[Model, threading.Event]]]


@contextlib.contextmanager
def _over_http(
    make: OverHttp, *script: tuple[Reply, Step]
) -> Iterator[tuple[Model, threading.Event]]:
    with scripted(*(reply for reply, _ in script)) as server:
        yield make(server.url), server.asked


@contextlib.contextmanager
def _fake(*script: tuple[Reply, Step]) -> Iterator[tuple[Model, threading.Event]]:
    fake = FakeModel(*(step for _, step in script))
    yield fake, fake.asked


@pytest.fixture(params=[*sorted(HTTP), "fake"])
def model_of(request: pytest.FixtureRequest) -> Makes:
    """With a script: a model that goes by it, and an event that is set once it was asked."""
    make = HTTP.get(str(request.param))
    return _fake if make is None else lambda *script: _over_http(make, *script)


def test_an_answer_comes_with_its_usage(model_of: Makes) -> None:
    with model_of(TOLD) as (model, _):
        assert model.ask(ASKED) == Answer('{"observations": []}', tokens_in=1_000, tokens_out=100)


def test_an_answer_that_was_cut_says_so(model_of: Makes) -> None:
    with model_of(CUT) as (model, _):
        assert model.ask(ASKED).cut


@pytest.mark.parametrize("failure", FAILURES, ids=lambda one: type(one[1]).__name__)
def test_each_failure_has_its_type(model_of: Makes, failure: tuple[Reply, Step]) -> None:
    with model_of(failure) as (model, _), pytest.raises(ModelTrouble) as caught:
        model.ask(ASKED)
    assert type(caught.value) is type(failure[1])


def test_how_long_to_wait_is_handed_on(model_of: Makes) -> None:
    with model_of(BUSY) as (model, _), pytest.raises(RateLimited) as caught:
        model.ask(ASKED)
    assert caught.value.retry_after_s == 17


def test_what_does_not_answer_is_left_when_time_is_up(model_of: Makes) -> None:
    question = Question("s", (Message("user", "u"),), {}, timeout_s=0.2)
    with model_of(STUCK) as (model, _), pytest.raises(TimedOut):
        model.ask(question)


def test_cancel_ends_the_call_under_way_and_later_ones(model_of: Makes) -> None:
    with model_of(STUCK) as (model, asked):
        ended: list[str] = []

        def ask() -> None:
            try:
                model.ask(ASKED)
            except ModelTrouble as trouble:
                ended.append(trouble.code)

        thread = threading.Thread(target=ask)
        thread.start()
        assert asked.wait(20)
        model.cancel()
        thread.join(20)
        assert ended == ["server"]
        with pytest.raises(ServerFailed):
            model.ask(ASKED)
