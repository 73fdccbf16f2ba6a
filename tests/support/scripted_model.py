"""Servers on loopback that speak both model APIs and answer from a script."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Given = dict[str, Any]
Reply = Callable[["Handler", Given], None]


class Handler(BaseHTTPRequestHandler):
    """One request; a script's function writes whatever it likes."""

    protocol_version = "HTTP/1.1"
    server: Scripted

    def log_message(self, *_: object) -> None:
        """Not on a test's output."""

    def do_POST(self) -> None:  # the base class calls it
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            self.server.requests.append(body)
            at = min(len(self.server.requests), len(self.server.script)) - 1
        self.server.asked.set()
        with contextlib.suppress(OSError):  # the client may have gone
            self.server.script[at](self, body)

    def send(self, status: int, raw: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(raw)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)

    @property
    def anthropic(self) -> bool:
        return self.path.endswith("/messages")


class Scripted(ThreadingHTTPServer):
    """``script``: one function a request, the last one for all that follow."""

    daemon_threads = True

    def __init__(self, *script: Reply) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = list(script)
        self.requests: list[Given] = []
        self.lock = threading.Lock()
        self.asked = threading.Event()
        self.free = threading.Event()  # set at the end: hanging answers let go
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is part of the script."""


@contextlib.contextmanager
def scripted(*script: Reply) -> Iterator[Scripted]:
    server = Scripted(*script)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.free.set()
        server.shutdown()
        server.server_close()
        thread.join()


def says(text: str | Callable[[Given], str], *, stop: str = "") -> Reply:
    """An answer in words, as either API wraps it."""

    def reply(to: Handler, body: Given) -> None:
        said = text if isinstance(text, str) else text(body)
        if to.anthropic:
            wrapped: Given = {
                "content": [{"type": "text", "text": said}],
                "stop_reason": {"length": "max_tokens"}.get(stop, stop or "end_turn"),
                "usage": {"input_tokens": 1_000, "output_tokens": 100},
            }
        else:
            ended = {"refusal": "content_filter"}.get(stop, stop or "stop")
            wrapped = {
                "choices": [{"message": {"content": said}, "finish_reason": ended}],
                "usage": {"prompt_tokens": 1_000, "completion_tokens": 100},
            }
        to.send(200, json.dumps(wrapped).encode())

    return reply


def fails(status: int, text: str = "no", **headers: str) -> Reply:
    raw = json.dumps({"error": {"message": text}}).encode()
    return lambda to, _body: to.send(status, raw, **headers)


def hangs(to: Handler, _body: Given) -> None:
    to.server.free.wait(60)


def closes(to: Handler, _body: Given) -> None:
    to.send_response(200)
    to.send_header("content-length", "5000")
    to.end_headers()
    to.wfile.write(b'{"con')
    to.close_connection = True


def huge(to: Handler, _body: Given) -> None:
    to.send_response(200)
    to.send_header("content-length", str(64 * 1024 * 1024))
    to.end_headers()
    for _ in range(64):
        to.wfile.write(b" " * 1024 * 1024)


def evidence(body: Given) -> list[Given]:
    """The turns of a request, as the model reads them."""
    messages = [one for one in body["messages"] if one["role"] == "user"]
    lines = str(messages[0]["content"]).splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def observes(body: Given) -> str:
    """A good answer: an observation for each turn, from its first tool use."""
    found = []
    for turn in evidence(body):
        use = turn["uses"][0]
        found.append(
            {
                "replaces": turn["observations"][0]["id"] if turn["observations"] else "",
                "type": "discovery",
                "title": f"The pool keeps {use['id']} connections of {turn['asked'][:40]}",
                "narrative": "The pool never closes what a failing query holds, so it runs empty.",
                "facts": [],
                "concepts": [],
                "files": use["files"][:1],
                "evidence": [use["id"]],
            }
        )
    return json.dumps({"observations": found})
