"""A scripted model behind the Messages API on loopback; keeps and prices each request."""

from __future__ import annotations

import contextlib
import json
import threading
import uuid
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memfold import measure
from memfold.evals.read_gate.bill import Cache, Usage, output_tokens

Block = dict[str, Any]
Answer = Sequence[Block]


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool call of the agent gave."""

    text: str
    is_error: bool = False


# Yields answers with tool calls, is sent their results, returns its last words.
Agent = Generator[Answer, Sequence[Result], str]


@dataclass(slots=True)
class Turn:
    """One request and what was answered."""

    request: Mapping[str, Any]
    usage: Usage
    tools: tuple[str, ...]  # that the answer calls


class Model(ThreadingHTTPServer):
    """Lets ``agent`` answer the requests that offer tools; others get one word."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.lock = threading.Lock()
        self.begin(_silent())

    def begin(self, agent: Agent) -> None:
        """The next session; what the last one left is forgotten."""
        with self.lock:
            self._agent, self._cache, self._began = agent, Cache(), False
            self.turns: list[Turn] = []
            self.others = 0  # requests without tools
            self.trouble: Exception | None = None

    def message(self, request: Mapping[str, Any]) -> Block:
        """The API's answer to one request."""
        with self.lock:
            if not request.get("tools"):
                self.others += 1
                return _message(request, [{"type": "text", "text": "ok"}], Usage(10, output=1))
            if not self._began:
                self._cache.warmed(request)
            blocks = _named(self._next(request), len(self.turns))
            usage = self._cache.charged(request, output_tokens(blocks))
            called = tuple(one["name"] for one in blocks if one["type"] == "tool_use")
            self.turns.append(Turn(request, usage, called))
            return _message(request, blocks, usage)

    def _next(self, request: Mapping[str, Any]) -> Answer:
        try:
            if self._began:
                return self._agent.send(_last_results(request))
            self._began = True
            return next(self._agent)
        except StopIteration as end:
            return [says(str(end.value or "Done."))]
        except Exception as error:  # told to who began the session, not to the server's thread
            self.trouble = error
            return [says("The script failed.")]


def says(text: str) -> Block:
    return {"type": "text", "text": text}


def calls(tool: str, **given: object) -> Block:
    return {"type": "tool_use", "name": tool, "input": given}


@contextlib.contextmanager
def serving() -> Iterator[Model]:
    """A model on a port of its own, gone at the end."""
    model = Model()
    thread = threading.Thread(target=model.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield model
    finally:
        model.shutdown()
        model.server_close()
        thread.join()


def _silent() -> Agent:
    yield []
    return "Done."


def _named(answer: Answer, turn: int) -> list[Block]:
    return [
        {**one, "id": f"toolu_{turn:04}_{at}"} if one["type"] == "tool_use" else one
        for at, one in enumerate(answer)
    ]


def _message(request: Mapping[str, Any], blocks: Sequence[Block], usage: Usage) -> Block:
    calls_tool = any(one["type"] == "tool_use" for one in blocks)
    return {
        # The host joins answers of one id into one.
        "id": f"msg_{uuid.uuid4().hex}",
        "type": "message",
        "role": "assistant",
        "model": request.get("model", "scripted"),
        "content": list(blocks),
        "stop_reason": "tool_use" if calls_tool else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.plain,
            "cache_creation_input_tokens": usage.written + usage.written_hour,
            "cache_read_input_tokens": usage.read,
            "output_tokens": usage.output,
        },
    }


def _last_results(request: Mapping[str, Any]) -> list[Result]:
    """Of the calls of the newest answer, in their order."""
    found: list[Result] = []
    for message in reversed(request["messages"]):
        if message["role"] == "assistant":
            break
        if message["role"] == "user" and isinstance(message["content"], list):
            found[:0] = [
                Result(_text(block.get("content")), bool(block.get("is_error")))
                for block in message["content"]
                if block.get("type") == "tool_result"
            ]
    return found


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(str(one.get("text", "")) for one in blocks if one.get("type") == "text")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Model

    def log_message(self, *_: object) -> None:
        """Not on the report's output."""

    def do_GET(self) -> None:  # the base class calls it
        self._send(404, "application/json", b"{}")

    def do_HEAD(self) -> None:
        self._send(200, "application/json", b"")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._send(
                200,
                "application/json",
                json.dumps(
                    {"input_tokens": measure.tokens(raw.decode("utf-8", "replace"))}
                ).encode(),
            )
        elif path.endswith("/messages"):
            request = json.loads(raw)
            message = self.server.message(request)
            if request.get("stream"):
                self._send(200, "text/event-stream", b"".join(_events(message)))
            else:
                self._send(200, "application/json", json.dumps(message).encode())
        else:
            self._send(404, "application/json", b"{}")

    def _send(self, status: int, kind: str, raw: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        with contextlib.suppress(OSError):  # the client may have gone
            self.wfile.write(raw)


def _events(message: Block) -> Iterator[bytes]:
    """The same message as a stream."""
    yield _event("message_start", message={**message, "content": []})
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            given = json.dumps(block["input"])
            empty, delta = (
                {**block, "input": {}},
                {"type": "input_json_delta", "partial_json": given},
            )
        yield _event("content_block_start", index=index, content_block=empty)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage=message["usage"])
    yield _event("message_stop")


def _event(name: str, **data: object) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()
