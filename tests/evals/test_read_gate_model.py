"""The scripted model speaks the API as the host hears it, and keeps what was asked."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from memfold.evals.read_gate.model import Agent, Model, Result, calls, says, serving


@pytest.fixture
def model() -> Iterator[Model]:
    with serving() as running:
        yield running


def post(model: Model, path: str, body: dict[str, Any]) -> bytes:
    connection = http.client.HTTPConnection(urlsplit(model.url).netloc, timeout=20)
    connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
    answer = connection.getresponse().read()
    connection.close()
    return answer


def asked(*results: str, stream: bool = False) -> dict[str, Any]:
    content = [{"type": "tool_result", "content": one, "is_error": one == "no"} for one in results]
    return {
        "model": "any", "stream": stream, "tools": [{"name": "Read"}],
        "messages": [
            {"role": "user", "content": "go"},
            *([{"role": "assistant", "content": []}, {"role": "user", "content": content}]
              if results else []),
        ],
    }  # fmt: skip


def twice(seen: list[Result]) -> Agent:
    seen += yield [says("First."), calls("Read", file_path="/a"), calls("Read", file_path="/b")]
    return "Done with it."


def test_a_session_is_played_turn_by_turn(model: Model) -> None:
    seen: list[Result] = []
    model.begin(twice(seen))
    first = json.loads(post(model, "/v1/messages", asked()))
    assert first["stop_reason"] == "tool_use"
    ids = [block["id"] for block in first["content"] if block["type"] == "tool_use"]
    assert len(set(ids)) == 2
    last = json.loads(post(model, "/v1/messages", asked("one", "no")))
    assert seen == [Result("one"), Result("no", is_error=True)]
    assert (last["stop_reason"], last["content"]) == ("end_turn", [says("Done with it.")])
    assert first["id"] != last["id"], "a host joins answers of one id"
    assert [turn.tools for turn in model.turns] == [("Read", "Read"), ()]
    assert model.turns[1].usage.context > model.turns[0].usage.context


def test_a_stream_holds_the_same_message(model: Model) -> None:
    model.begin(twice([]))
    events = [
        json.loads(line[6:])
        for line in post(model, "/v1/messages?beta=true", asked(stream=True)).splitlines()
        if line.startswith(b"data: ")
    ]
    texts = [one["delta"]["text"] for one in events if one.get("delta", {}).get("text")]
    given = [json.loads(one["delta"]["partial_json"]) for one in events
             if one.get("delta", {}).get("partial_json")]  # fmt: skip
    assert texts == ["First."]
    assert given == [{"file_path": "/a"}, {"file_path": "/b"}]
    assert [events[0]["type"], events[-1]["type"]] == ["message_start", "message_stop"]


def test_requests_without_tools_are_no_turns(model: Model) -> None:
    model.begin(twice([]))
    post(model, "/v1/messages", {"messages": [{"role": "user", "content": "title?"}]})
    assert (model.turns, model.others) == ([], 1)
    assert json.loads(post(model, "/v1/messages/count_tokens", {"a": 1}))["input_tokens"] > 0


def test_a_script_that_fails_says_so_to_who_began_it(model: Model) -> None:
    def broken() -> Agent:
        yield [calls("Read", file_path="/a")]
        raise LookupError("not there")

    model.begin(broken())
    post(model, "/v1/messages", asked())
    post(model, "/v1/messages", asked("x"))
    assert isinstance(model.trouble, LookupError)
