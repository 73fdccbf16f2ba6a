"""Who may knock on the TCP door (issue: token, Host and Origin checks; reference section 7)."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import Running, running, tool_use

from memfold.serve.secret_file import secret


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, int, str]]:
    """(daemon, port, token) with http hooks on."""
    home = tmp_path_factory.mktemp("guard") / "home"
    home.mkdir(mode=0o700)
    port = _free_port()
    (home / "settings.toml").write_text(f"tcp_port = {port}\n")
    with running(home) as here:
        here.start()
        here.ask("GET", "/health")
        token = _token(home)
        yield here, port, token


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _token(home: Path) -> str:
    return secret(home / "token").hex()


def ask(
    port: int,
    path: str,
    headers: dict[str, str],
    body: bytes = b"",
    method: str = "POST",
) -> int:
    """The status of one request over TCP."""
    named = {"Host": f"127.0.0.1:{port}", **headers}
    head = f"{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in named.items())
    with socket.create_connection(("127.0.0.1", port), timeout=10) as peer:
        peer.sendall(head.encode() + b"\r\n" + body)
        answer = b""
        while part := peer.recv(4096):
            answer += part
    return int(answer.split()[1])


def test_an_http_hook_with_the_token_is_taken(
    door: tuple[Running, int, str], tmp_path: Path
) -> None:
    here, port, token = door
    body = json.dumps(tool_use(1, tmp_path)).encode()
    assert ask(port, "/hook/claude-code", {"Authorization": f"Bearer {token}"}, body) == 200
    assert here.status()["tool_uses"] == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer "}, 401),
        ({"Authorization": "TOKEN", "Host": "evil.example"}, 421),
        ({"Authorization": "TOKEN", "Host": "127.0.0.1"}, 421),
        ({"Authorization": "TOKEN", "Origin": "https://evil.example"}, 403),
        ({"Authorization": "TOKEN", "Origin": "null"}, 403),
    ],
)
def test_others_are_refused_whatever_they_ask(
    door: tuple[Running, int, str], headers: dict[str, str], status: int
) -> None:
    """A wrong token, DNS rebinding (Host) and a web page (Origin)."""
    _, port, token = door
    given = {k: v.replace("TOKEN", f"Bearer {token}") for k, v in headers.items()}
    for path in ("/hook/claude-code", "/health", "/status", "/mcp", "/stop"):
        assert ask(port, path, given) == status


@pytest.mark.parametrize("path", ["/status", "/stop", "/mcp", "/tool/mem_search", "/context"])
def test_tcp_serves_hooks_only(door: tuple[Running, int, str], path: str) -> None:
    here, port, token = door
    assert ask(port, path, {"Authorization": f"Bearer {token}"}) == 404
    assert here.answers()


def test_a_websocket_is_refused(door: tuple[Running, int, str]) -> None:
    _, port, token = door
    status = ask(
        port,
        "/hook/claude-code",
        {
            "Authorization": f"Bearer {token}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
        },
        method="GET",
    )
    assert status >= 400


def test_the_socket_and_the_keys_belong_to_one_user(door: tuple[Running, int, str]) -> None:
    here, _, _ = door
    here.ask("POST", "/tool/important_workflow", b'{"args": {}}')  # the first call makes the key
    for name in ("memfold.sock", "token", "secret", "memfold.db"):
        assert (here.home / name).stat().st_mode & 0o077 == 0, name
