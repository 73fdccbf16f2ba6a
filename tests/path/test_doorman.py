"""The first answers of a cold daemon (docs/decisions/0003-doorbell-and-daemon.md)."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import session_start, tool_use

from memfold import wire
from memfold.doorman import answer_waiting
from memfold.front import Front


class Cold:
    """A listener that nobody serves yet, and callers that wait in its backlog."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.front = Front(home)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(wire.SOCKET)
        self.listener.listen(8)
        self.answers: list[bytes] = []

    def knocks(self, request: bytes) -> threading.Thread:
        peer = wire.connect(str(self.home), 10.0)
        peer.sendall(request)

        def wait() -> None:
            answer = b""
            while part := peer.recv(65_536):
                answer += part
            self.answers.append(answer)
            peer.close()

        thread = threading.Thread(target=wait)
        thread.start()
        return thread


@pytest.fixture
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cold]:
    monkeypatch.chdir(tmp_path)
    made = Cold(tmp_path)
    yield made
    made.front.close()
    made.listener.close()


def hook(payload: dict[str, object] | bytes, host: str = "claude-code") -> bytes:
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    head = f"POST /hook/{host} HTTP/1.1\r\nX-Memfold-At: 7\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def test_the_hook_that_started_it_gets_its_context(cold: Cold) -> None:
    thread = cold.knocks(hook(session_start(cold.home)))
    answer_waiting(cold.listener, cold.front)
    thread.join(10)
    status, body = wire.parse(cold.answers[0])
    assert status == 200
    assert body.startswith(b"<memfold-context>")


def test_events_are_stored_before_they_are_answered(cold: Cold) -> None:
    threads = [cold.knocks(hook(tool_use(number, cold.home))) for number in range(3)]
    answer_waiting(cold.listener, cold.front)
    for thread in threads:
        thread.join(10)
    assert [wire.parse(answer)[0] for answer in cold.answers] == [200, 200, 200]
    assert cold.front.house.store.counts().tool_uses == 3


@pytest.mark.parametrize(
    ("request_", "status"),
    [(hook(b"{"), 400), (hook({}, "nobody"), 400), (hook(b"[1]"), 400)],
    ids=["not JSON", "no such host", "no object"],
)
def test_what_cannot_be_taken_is_refused(cold: Cold, request_: bytes, status: int) -> None:
    thread = cold.knocks(request_)
    answer_waiting(cold.listener, cold.front)
    thread.join(10)
    assert wire.parse(cold.answers[0])[0] == status


def test_other_requests_are_handed_on_to_the_server(cold: Cold) -> None:
    """They are answered by whoever listens next, here by the test."""
    thread = cold.knocks(b"GET /status HTTP/1.1\r\n\r\n")
    answer_waiting(cold.listener, cold.front)
    peer, _ = cold.listener.accept()
    with peer:
        assert peer.recv(65_536).startswith(b"GET /status")
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    thread.join(10)
    assert cold.answers[0].endswith(b"ok")


def test_a_caller_that_goes_away_is_nobodys_trouble(cold: Cold) -> None:
    gone = wire.connect(os.curdir, 5.0)
    gone.sendall(b"POST /hook/claude-code HTTP/1.1\r\nContent-Length: 99\r\n\r\ncut")
    gone.close()
    answer_waiting(cold.listener, cold.front)
    assert cold.front.house.store.counts().tool_uses == 0


def test_with_nobody_waiting_the_server_comes_at_once(cold: Cold) -> None:
    answer_waiting(cold.listener, cold.front)
    assert cold.listener.gettimeout() is None
