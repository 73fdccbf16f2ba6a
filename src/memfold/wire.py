"""What hook, bridge, command line and daemon agree on: places, versions, one small HTTP client.

Standard library only, and little of it: the hook pays for every import on each tool call. So
``posix`` and not ``os``, which takes longer to import than the daemon takes to answer.
"""

import _socket
import posix
import sys

VERSION = "0.1.0"
PROTOCOL = 1  # raised when an older daemon could not understand a newer hook
SOCKET = "memfold.sock"
LOCK = "daemon.lock"  # held by the daemon for life
START_LOCK = "start.lock"  # held by whoever starts it, until it listens
SPOOL = "spool"
DATABASE = "memfold.db"
MAX_BODY_BYTES = 64 * 1024 * 1024
_MAX_SOCKET_PATH_BYTES = 100  # the kernel's limit is 108 (Linux) or 104 (macOS)


class NoDaemon(OSError):
    """Nobody listens."""


class Late(OSError):
    """The daemon did not answer in time; whether it took the message is not known."""


def numbers(version: str) -> tuple[int, ...]:
    """A version to compare with another; empty where there is none."""
    return tuple([int(part) for part in version.split(".") if part.isdigit()])


def home() -> str:
    """The data directory: $MEMFOLD_HOME, else the platform's place for a user's data."""
    given = _variable("MEMFOLD_HOME")
    if given:
        return given if given.startswith("/") else f"{posix.getcwd()}/{given}"
    user = _variable("HOME") or "/"
    if sys.platform == "darwin":
        return f"{user}/Library/Application Support/memfold"
    data = _variable("XDG_DATA_HOME") or f"{user}/.local/share"
    return f"{data}/memfold"


def _variable(name: str) -> str:
    loaded = sys.modules.get("os")
    if loaded is not None:  # it knows of changes since the start
        return str(loaded.environ.get(name, ""))
    value = posix.environ.get(name.encode(), b"")
    return value.decode(sys.getfilesystemencoding(), "surrogateescape")


def connect(folder: str, timeout_s: float | None) -> _socket.socket:
    """A connection to the daemon of this data directory. Raises NoDaemon."""
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    peer.settimeout(timeout_s)
    path = f"{folder}/{SOCKET}"
    try:
        if len(path.encode("utf-8", "surrogateescape")) <= _MAX_SOCKET_PATH_BYTES:
            peer.connect(path)
        else:
            _connect_long(peer, folder)
    except OSError as error:
        peer.close()
        if isinstance(error, TimeoutError):
            raise Late("the daemon does not accept") from error
        raise NoDaemon(str(error)) from error
    return peer


def _connect_long(peer: _socket.socket, folder: str) -> None:
    # The path is too long for a socket address: go there by a name that is short.
    if posix.access("/proc/self/fd", posix.F_OK):
        descriptor = posix.open(folder, posix.O_RDONLY)
        try:
            peer.connect(f"/proc/self/fd/{descriptor}/{SOCKET}")
        finally:
            posix.close(descriptor)
        return
    before = posix.getcwd()
    posix.chdir(folder)
    try:
        peer.connect(SOCKET)
    finally:
        posix.chdir(before)


def request(
    method: str,
    path: str,
    body: bytes = b"",
    *,
    headers: dict[str, str] | None = None,
    timeout_s: float = 1.0,
    folder: str = "",
) -> tuple[int, bytes]:
    """(status, body) of one exchange with the daemon. Raises NoDaemon, Late."""
    peer = send(method, path, body, headers=headers, timeout_s=timeout_s, folder=folder)
    try:
        answer = b""
        while (part := peer.recv(65_536)) and not is_whole(answer := answer + part):
            pass
    except OSError as error:
        raise Late("the daemon broke off") from error
    finally:
        peer.close()
    return parse(answer)


def send(
    method: str,
    path: str,
    body: bytes = b"",
    *,
    headers: dict[str, str] | None = None,
    timeout_s: float = 1.0,
    folder: str = "",
) -> _socket.socket:
    """A connection on which the request was sent; the caller reads and closes it."""
    peer = connect(folder or home(), timeout_s)
    head = f"{method} {path} HTTP/1.1\r\nHost: memfold\r\nConnection: close\r\n"
    head += f"X-Memfold-Version: {VERSION}\r\nX-Memfold-Protocol: {PROTOCOL}\r\n"
    for name, value in (headers or {}).items():
        head += f"{name}: {value}\r\n"
    head += f"Content-Length: {len(body)}\r\n\r\n"
    try:
        peer.sendall(head.encode("latin-1") + body)
    except OSError as error:
        # A daemon that refuses a large body answers before it has read it all.
        if not isinstance(error, (BrokenPipeError, ConnectionResetError)):
            peer.close()
            raise Late("the daemon does not read") from error
    return peer


def is_whole(answer: bytes) -> bool:
    """Whether all that the head announces is there: no need to wait for the other end to close."""
    head, gap, body = answer.partition(b"\r\n\r\n")
    length = _length(head.lower()) if gap else -1
    return 0 <= length <= len(body)


def _length(lowered: bytes) -> int:
    at = lowered.find(b"content-length:")
    return int(lowered[at + 15 :].split(None, 1)[0]) if at >= 0 else -1


def parse(raw: bytes) -> tuple[int, bytes]:
    """Status and body of a whole answer. Raises Late when it is cut off."""
    head, gap, body = raw.partition(b"\r\n\r\n")
    words = head.split(None, 2)
    if not gap or len(words) < 2 or not words[1].isdigit():
        raise Late("the daemon's answer is cut off")
    lowered = head.lower()
    if b"transfer-encoding: chunked" in lowered:
        return int(words[1]), _joined(body)
    if len(body) < _length(lowered):
        raise Late("the daemon's answer is cut off")
    return int(words[1]), body


def _joined(body: bytes) -> bytes:
    parts = []
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size, 16)
        if not length:
            break
        parts.append(rest[:length])
        body = rest[length + 2 :]
    return b"".join(parts)
