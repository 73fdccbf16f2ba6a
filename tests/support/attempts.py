"""What somebody without the right to may try on a daemon, and how each attempt ends.

One table for the tests, which demand that every attempt is refused, and for `make security`,
which prints it.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from running import BOUND_S, Running, running, tool_use

from memfold import wire
from memfold.serve.secret_file import secret

NOBODY = 65_534  # an account that owns nothing, on every Unix
ADMIN = ("/status", "/stop", "/mcp", "/tool/mem_search", "/context", "/forget", "/import", "/gc")


@dataclass(frozen=True, slots=True)
class Door:
    """A daemon with both doors open: its socket, and TCP on loopback."""

    here: Running
    port: int
    token: str
    outside: Path  # a directory of the user beside the data directory

    def ask(self, path: str, headers: dict[str, str], body: bytes = b"{}", **more: str) -> int:
        """The status of one request over TCP; 0 when it was cut off without one."""
        return status_of(self.raw(path, headers, body, **more))

    def raw(
        self, path: str, headers: dict[str, str], body: bytes = b"{}", method: str = "POST"
    ) -> bytes:
        """Everything that comes back."""
        named = {"Host": f"127.0.0.1:{self.port}", **headers}
        head = f"{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in named.items())
        return sent_tcp(self.port, head.encode("latin-1") + b"\r\n" + body)

    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@dataclass(frozen=True, slots=True)
class Attempt:
    """``run`` says how it was refused, and raises AssertionError when it was not."""

    who: str
    what: str
    run: Callable[[Door], str]


@contextlib.contextmanager
def open_door(folder: Path) -> Iterator[Door]:
    """A daemon over ``folder``/home with something in it that is worth reading."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    (home / "settings.toml").write_text(f"tcp_port = {port}\n", "utf-8")
    outside = folder / "outside"
    outside.mkdir()
    with running(home) as here:
        here.start()
        here.ask("POST", "/hook/claude-code", json.dumps(tool_use(1, outside)).encode())
        here.ask("POST", "/tool/important_workflow", b'{"args": {}}')  # makes the tools' key
        yield Door(here, port, secret(home / "token").hex(), outside)


def sent_tcp(port: int, data: bytes, *, whole: bool = True) -> bytes:
    """What comes back until the daemon closes; not ``whole``: nothing more will come."""
    with socket.create_connection(("127.0.0.1", port), timeout=BOUND_S) as peer:
        return _exchange(peer, data, whole=whole)


def sent_socket(home: Path, data: bytes, *, whole: bool = True) -> bytes:
    """The same over the Unix socket."""
    with contextlib.closing(wire.connect(str(home), BOUND_S)) as peer:
        return _exchange(peer, data, whole=whole)


def _exchange(peer: Any, data: bytes, *, whole: bool) -> bytes:
    answer = b""
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        peer.sendall(data)
        if not whole:  # else it waits for the rest, which is its right
            peer.shutdown(socket.SHUT_WR)
        while part := peer.recv(65_536):
            answer += part
    return answer


def status_of(answer: bytes) -> int:
    words = answer.split(None, 2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0


def as_nobody(work: Callable[[], bool]) -> bool | None:
    """Whether ``work`` succeeds for another account; None where we cannot become one."""
    if os.geteuid() != 0:
        return None
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os._exit(1 if work() else 0)
        except OSError:
            os._exit(0)
        finally:
            os._exit(2)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in {0, 1}, "the attempt itself failed"
    return code == 1


@contextlib.contextmanager
def _open_to_all(home: Path) -> Iterator[None]:
    """As if the data directory, and all above it, could be entered by everybody."""
    changed = []
    for folder in (home, *home.parents):
        mode = stat.S_IMODE(folder.stat().st_mode)
        if mode & 0o055 != 0o055 and folder.stat().st_uid == os.geteuid():
            folder.chmod(mode | 0o055)
            changed.append((folder, mode))
    try:
        yield
    finally:
        for folder, mode in changed:
            folder.chmod(mode)


def rings_the_socket(door: Door) -> str:
    path = door.here.home / wire.SOCKET
    mode = stat.S_IMODE(path.stat().st_mode)
    assert mode == 0o600, oct(mode)

    def ring() -> bool:
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(str(path))
        return True

    with _open_to_all(door.here.home):
        got = as_nobody(ring)
    assert not got, "another account was let in"
    return f"socket {oct(mode)}" + (", connect refused" if got is False else "")


def reads_the_files(door: Door) -> str:
    # settings.toml is what the test itself wrote; the directory keeps others from it.
    given = door.here.home / "settings.toml"
    files = [path for path in door.here.home.rglob("*") if path != given]
    assert len(files) > 6, files
    lax = [path.name for path in files if path.lstat().st_mode & 0o077]
    assert not lax, lax

    def read() -> bool:
        for path in files:
            with contextlib.suppress(OSError):
                path.open("rb").close()
                return True
        return False

    with _open_to_all(door.here.home):
        got = as_nobody(read)
    assert not got, "another account read a file"
    return f"{len(files)} files and folders, none for others"


def enters_the_directory(door: Door) -> str:
    mode = stat.S_IMODE(door.here.home.stat().st_mode)
    assert mode == 0o700, oct(mode)
    return f"directory {oct(mode)}"


def comes_from_the_network(door: Door) -> str:
    """Every listener on the port, IPv4 and IPv6, from the kernel's tables."""
    bound = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(table).read_text("ascii").splitlines()[1:]:
                words = line.split()
                address, port = words[1].rsplit(":", 1)
                if words[3] == "0A" and int(port, 16) == door.port:
                    bound.add(address)
    if Path("/proc/net/tcp").exists():
        assert bound == {"0100007F"}, bound
    return "listens on 127.0.0.1 alone"


def _all_refused(door: Door, status: int, *tries: dict[str, str]) -> str:
    for headers in tries:
        for path in ("/hook/claude-code", "/health", *ADMIN):
            got = door.ask(path, headers)
            assert got == status, (headers, path, got)
    return f"{status}, on {len(ADMIN) + 2} routes"


def rebinds_dns(door: Door) -> str:
    hosts = ("evil.example", f"evil.example:{door.port}", "127.0.0.1", f"[::1]:{door.port}", "")
    return _all_refused(door, 421, *({**door.bearer(), "Host": host} for host in hosts))


def posts_from_a_page(door: Door) -> str:
    origins = ("https://evil.example", "null", f"https://127.0.0.1:{door.port}", "file://")
    return _all_refused(door, 403, *({**door.bearer(), "Origin": o} for o in origins))


def posts_a_simple_form(door: Door) -> str:
    """What a page may send without being asked first, from a browser that names no origin."""
    types = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data")
    return _all_refused(door, 401, *({"Content-Type": given} for given in types))


def asks_for_leave(door: Door) -> str:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = door.raw("/hook/claude-code", headers, b"", "OPTIONS")
    assert b"access-control-" not in answer.lower(), answer
    assert status_of(answer) == 403
    return "403, no CORS header"


def opens_a_websocket(door: Door) -> str:
    key = {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version": "13"}
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", **key}
    got = [door.ask("/mcp", {**given, **upgrade}, b"", method="GET") for given in
           ({}, door.bearer(), {"Origin": "https://evil.example"})]  # fmt: skip
    assert all(status >= 400 for status in got), got
    return f"{', '.join(map(str, sorted(set(got))))}"


def guesses_the_token(door: Door) -> str:
    token = door.token
    wrong = ("", "wrong", token[:-1], token + "0", token.upper(), "0" * len(token), " " + token)
    tries = [{"Authorization": f"Bearer {given}"} for given in wrong if given != token]
    tries += [{"Authorization": given} for given in (token, f"Basic {token}", f"bearer {token}")]
    return _all_refused(door, 401, {}, *tries)


def uses_the_token_for_more(door: Door) -> str:
    """The token stands in a host's settings; who reads it there may ring, and no more."""
    for path in ADMIN:
        for given in (path, path.upper(), f"/hook/..{path}", f"//{path}", f"{path}/"):
            got = door.ask(given, door.bearer())
            assert got in {400, 404, 405, 307}, (given, got)
    assert door.here.answers(), "it stopped"
    return f"refused on {len(ADMIN)} routes"


def escapes_by_the_path(door: Door) -> str:
    before = _tree(door.outside.parent, but=door.here.home)
    up = "../" * 8
    names = (
        up + "etc/passwd",
        "%2e%2e%2f" * 8 + "etc/passwd",
        "..%5c..%5cwin.ini",
        "%00",
        "a" * 9_000,
    )
    for name in names:
        for route in ("/hook/", "/tool/", "/import/"):
            got = status_of(sent_socket(door.here.home, _post(f"{route}{name}", b"{}")))
            refused = got >= 400 or route == "/tool/"  # a tool's refusal is an answer
            assert refused, (route, name[:40], got)
    _unchanged(door, before)
    return f"{len(names)} names on 3 routes, nothing outside was touched"


def escapes_by_the_payload(door: Door) -> str:
    """Ids and paths in what a host sends are data: no file is named after them."""
    before = _tree(door.outside.parent, but=door.here.home)
    up = "../" * 8 + "tmp/memfold-escaped"
    for number, field in enumerate(("session_id", "tool_use_id", "tool_name", "transcript_path")):
        use = tool_use(100 + number, door.outside, **{field: up} if field != "session_id" else {})
        if field == "session_id":
            use["session_id"] = up
        got = status_of(
            sent_socket(door.here.home, _post("/hook/claude-code", json.dumps(use).encode()))
        )
        assert got == 200, (field, got)
    _unchanged(door, before)
    assert not Path("/tmp/memfold-escaped").exists()  # where the payload pointed
    return "4 fields, nothing outside was touched"


def follows_no_file(door: Door) -> str:
    """Only session files of hosts are read, and what is read of others is no content."""
    canary = door.outside / "private.txt"
    canary.write_text("canary-7f3a\n", "utf-8")
    body = json.dumps({"host": "claude-code", "path": str(canary)}).encode()
    answer = sent_socket(door.here.home, _post("/follow", body))
    assert b"canary-7f3a" not in answer, answer
    status = door.here.status()
    assert b"canary-7f3a" not in json.dumps(status).encode()
    for file in door.here.home.rglob("*"):
        if file.is_file():
            assert b"canary-7f3a" not in file.read_bytes(), file.name
    return "nothing of it stored or shown"


def holds_connections(door: Door, count: int = 400) -> str:
    """Half a request each, and silence."""
    held = []
    try:
        for _ in range(count):
            peer = socket.create_connection(("127.0.0.1", door.port), timeout=BOUND_S)
            held.append(peer)
            peer.sendall(b"POST /hook/claude-code HTTP/1.1\r\nHost: x\r\n")
        assert door.here.answers(), "it answers nobody else"
    finally:
        for peer in held:
            peer.close()
    assert door.here.answers()
    return f"{count} held, others are answered"


def sends_nonsense(door: Door, count: int = 1_000, seed: int = 20261202) -> str:
    """Broken requests on both doors; the daemon is the same process afterwards, and no larger."""
    chance = random.Random(seed)
    pid = door.here.pid()
    # The tools and the SDK that serves them are loaded with the first call: 26 MB, once.
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
             "params": {"name": "work_state_read", "arguments": {}}}  # fmt: skip
    served = _post("/mcp", json.dumps(asked).encode()).replace(
        b"Host: memfold\r\n",
        b"Host: memfold\r\nContent-Type: application/json\r\n"
        b"Accept: application/json, text/event-stream\r\n",
    )
    sent_socket(door.here.home, served)
    for number in range(400):  # what it takes once (code, caches) is no leak
        _nonsense(chance, door, number)
    before = _held(door)
    statuses: dict[int, int] = {}
    for number in range(count):
        answer = _nonsense(chance, door, number)
        status = status_of(answer)
        statuses[status] = statuses.get(status, 0) + 1
        assert status != 500, (number, answer)
        assert b"Traceback" not in answer, (number, answer)
    for number in range(count // 20):  # read to the end, so that each is really looked at
        answer = sent_tcp(door.port, odd_fields(chance, door))
        assert status_of(answer) in {200, 400}, (number, answer)
    assert door.here.pid() == pid, "it is another process"
    after = _held(door)
    assert after[0] <= before[0] + 8, (before, after)
    grown_mb = (after[1] - before[1]) / 1e6
    assert grown_mb < 24, (before, after)
    seen = ", ".join(f"{status or 'cut off'}: {n}" for status, n in sorted(statuses.items()))
    return f"{count} sent ({seen}); {grown_mb:+.1f} MB"


def _nonsense(chance: random.Random, door: Door, number: int) -> bytes:
    data = nonsense(chance, door)
    if number % 2:
        return sent_tcp(door.port, data, whole=False)
    return sent_socket(door.here.home, data, whole=False)


def nonsense(chance: random.Random, door: Door) -> bytes:
    """A request that is wrong in one of the ways requests are."""
    good = _post("/hook/claude-code", b'{"session_id": "s", "hook_event_name": "PostToolUse"}')
    chunked = b"POST /hook/claude-code HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    routes = ("/hook/claude-code", "/tool/mem_search", "/mcp", "/import", "/pin", "/gc", "/forget")
    bodies = (b"\xff\xfe", b"[" * 5_000, b"null", b'{"a":', b"1e999", b'"x"', b"{}" * 9)
    length = chance.choice((b"-1", b"99999999999999999999", b"0x10", b"1, 2", b"\xd9\xa1"))
    changed = bytearray(good)
    for _ in range(chance.randrange(1, 9)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    kinds = (
        chance.randbytes(chance.randrange(1, 400)),
        good[: chance.randrange(1, len(good))],
        bytes(changed),
        _post(chance.choice(routes), chance.choice(bodies)),
        good.replace(b"Content-Length: ", b"Content-Length: " + length + b"\r\nX: "),
        chunked + chance.choice((b"zz\r\n", b"FFFFFFFFFFFFFFFF\r\nx", b"5\r\nab", b"-5\r\n")),
        b"GET /health HTTP/1.1\r\nX: " + b"a" * chance.randrange(70_000) + b"\r\n",
        odd_fields(chance, door),
        chance.choice((b"\r\n\r\n", b"\x16\x03\x01\x02\x00", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")),
        chance.choice((b"GET / HTTP/9.9\r\n\r\n", b"\0" * 64, b"GET http://x/ HTTP/1.1\r\n\r\n")),
    )
    return chance.choice(kinds)


def odd_fields(chance: random.Random, door: Door) -> bytes:
    """A hook's payload with a field of another type, or with what no file takes."""
    odd: tuple[Any, ...] = (None, [], {}, -1, 1e308, True, "\ud800", "\0", "x" * 70_000)
    names = ("session_id", "hook_event_name", "tool_name", "tool_input", "tool_response", "cwd")
    use = {**tool_use(1, door.outside), chance.choice(names): chance.choice(odd)}
    return _post("/hook/claude-code", json.dumps(use).encode(), door)


def _post(path: str, body: bytes, door: Door | None = None) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
    if door is not None:
        head += f"Host: 127.0.0.1:{door.port}\r\nAuthorization: Bearer {door.token}\r\n"
    else:
        head += "Host: memfold\r\n"
    return head.encode("latin-1") + b"\r\n" + body


def _held(door: Door) -> tuple[int, int]:
    """(file descriptors, bytes of memory) of the daemon."""
    status = door.here.status()
    descriptors = Path(f"/proc/{status['pid']}/fd")
    count = len(list(descriptors.iterdir())) if descriptors.exists() else 0
    return count, int(status["rss_bytes"])


def _tree(folder: Path, *, but: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*") if but not in (path, *path.parents))


def _unchanged(door: Door, before: list[str]) -> None:
    after = _tree(door.outside.parent, but=door.here.home)
    assert after == before, set(after) ^ set(before)


ATTEMPTS = (
    Attempt("another account", "enters the data directory", enters_the_directory),
    Attempt("another account", "reads its files", reads_the_files),
    Attempt("another account", "connects to the socket", rings_the_socket),
    Attempt("another machine", "connects over the network", comes_from_the_network),
    Attempt("a web page", "comes by a name of its own (DNS rebinding)", rebinds_dns),
    Attempt("a web page", "posts with its origin (CSRF)", posts_from_a_page),
    Attempt("a web page", "posts a form without an origin", posts_a_simple_form),
    Attempt("a web page", "asks for leave (CORS preflight)", asks_for_leave),
    Attempt("a web page", "opens a WebSocket", opens_a_websocket),
    Attempt("a local process", "guesses the token", guesses_the_token),
    Attempt("a local process", "uses the hooks' token for more", uses_the_token_for_more),
    Attempt("a local process", "holds connections open", holds_connections),
    Attempt("a payload", "leaves by the request's path", escapes_by_the_path),
    Attempt("a payload", "leaves by ids and paths inside", escapes_by_the_payload),
    Attempt("a payload", "has another file taken in", follows_no_file),
    Attempt("anybody", "sends malformed requests", sends_nonsense),
)
