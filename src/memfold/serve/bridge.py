"""The stdio end of the MCP server: lines of JSON-RPC to the daemon, its answers back as lines.

Run as ``<python> -I -S <this file> [host]``. Standard library and ``wire`` only: a host that waits
one second for its servers must not wait for an SDK (docs/decisions/0009-mcp-bridge.md).
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

if __name__ == "__main__":  # started without site-packages: the package is two folders up
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from memfold import wire

PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR = -32700, -32600, -32603
AT_ONCE = 16  # requests under way; more wait in the pipe
CALL_S = 120.0  # a call may wait for the SDK's import and a busy disk, never for ever
START_S = 10.0  # how long a daemon that was started may take to listen
GLANCE_S = 1.0
LAST_S = 10.0  # how long answers may still take after the host closed stdin
NO_DAEMON = (
    "memfold's daemon does not answer and could not be started; go on without memory, "
    "and tell the user to run `memfold doctor`."
)
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


Send = Callable[[bytes, dict[str, str]], tuple[int, bytes]]  # (body, headers) -> (status, body)


class Bridge:
    """One host's connection. ``send`` raises OSError when there is no daemon to be had."""

    def __init__(self, out: BinaryIO, caller: dict[str, str], send: Send) -> None:
        self._out = out
        self._send = send
        self._caller = caller  # headers that say who calls
        self._version = ""  # agreed on in `initialize`; newer hosts send theirs every time
        self._writing = threading.Lock()
        self._room = threading.Semaphore(AT_ONCE)

    def serve(self, lines: Iterable[bytes]) -> None:
        """Answer every line until the host closes its end."""
        under_way: list[threading.Thread] = []
        for line in lines:
            if line.strip():
                self._room.acquire()
                # A thread each: a slow search must not hold up a ping behind it.
                thread = threading.Thread(target=self._one, args=(line,), daemon=True)
                thread.start()
                under_way = [other for other in under_way if other.is_alive()] + [thread]
        for thread in under_way:
            thread.join(LAST_S)

    def _one(self, line: bytes) -> None:
        try:
            reply = self.reply(line)
            if reply is not None:
                with self._writing:
                    self._out.write(reply + b"\n")
                    self._out.flush()
        except (BrokenPipeError, ValueError):
            pass  # the host went away; the end of stdin ends us too
        finally:
            self._room.release()

    def reply(self, line: bytes) -> bytes | None:
        """The answer as one line; None for what wants none."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return _error(None, PARSE_ERROR, "This line is not JSON.")
        if not isinstance(message, dict):
            return _error(None, INVALID_REQUEST, "One JSON-RPC object a line, please; no batches.")
        if "method" not in message or "id" not in message:
            # Notifications and answers: the daemon keeps no state of a connection, so none of
            # them can change anything there.
            return None
        return self._forward(line, message)

    def _forward(self, line: bytes, message: dict[str, Any]) -> bytes:
        number, method = message["id"], message["method"]
        try:
            status, body = self._send(line.strip(), self._headers(message))
        except OSError:
            return _error(number, INTERNAL_ERROR, NO_DAEMON)
        answer = _decoded(body)
        if "result" not in answer and "error" not in answer:
            return _error(number, INTERNAL_ERROR, _http_trouble(status))
        if method == "initialize" and "result" in answer:
            self._version = str(answer["result"].get("protocolVersion", ""))
        answer["id"] = number  # a request refused before it was read is answered with id null
        return _line(answer)

    def _headers(self, message: dict[str, Any]) -> dict[str, str]:
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        given = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **self._caller,
        }
        if isinstance(given, str):
            method = str(message["method"])
            headers["Mcp-Protocol-Version"] = _header(given)
            headers["Mcp-Method"] = _header(method)
            name = params.get(_NAMED_BY.get(method, ""))
            if isinstance(name, str):
                headers["Mcp-Name"] = _header(name)
        elif self._version and message["method"] != "initialize":
            headers["Mcp-Protocol-Version"] = self._version
        return headers


def caller_headers(argv: list[str], env: dict[str, str]) -> dict[str, str]:
    """Who calls: the directory, the host's session and the host, as far as they are known."""
    host = argv[1] if len(argv) > 1 else ""
    if not host and "CLAUDE_CODE_SESSION_ID" in env:
        host = "claude-code"
    try:
        cwd = env.get("CLAUDE_PROJECT_DIR") or os.getcwd()
    except OSError:  # the directory was removed under the host
        cwd = env.get("PWD", "")
    session = env.get("CLAUDE_CODE_SESSION_ID", "")
    return {
        "X-Memfold-Cwd": escaped(cwd),
        "X-Memfold-Session": escaped(session),
        "X-Memfold-Host": escaped(host),
    }


def escaped(text: str) -> str:
    """``text`` percent-escaped, so that any path fits in a header."""
    return "".join(
        chr(byte) if 0x20 < byte < 0x7F and byte != 0x25 else f"%{byte:02X}"
        for byte in os.fsencode(text)
    )


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _header(text: str) -> str:
    """``text`` as the protocol puts it in a header: plain, or base64 where it is not."""
    if text.isascii() and text.isprintable() and text == text.strip():
        return text
    import base64  # late: only for names nobody uses

    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode()}?="


def _http_trouble(status: int) -> str:
    if status == 413:
        return "The request is larger than memfold takes; send less text."
    return f"memfold's daemon answered with HTTP status {status}; its log says why."


def _error(number: object, code: int, message: str) -> bytes:
    return _line({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})


def _line(message: dict[str, Any]) -> bytes:
    # ASCII: no line separator and no lone surrogate can get out as it is.
    return json.dumps(message, separators=(",", ":")).encode("ascii")


def to_daemon(body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
    """The daemon's answer; it is started, and asked once more, where it is gone."""
    try:
        return wire.request("POST", "/mcp", body, headers=headers, timeout_s=CALL_S)
    except wire.NoDaemon:
        pass
    except wire.Late:
        # It went away while it answered, or it hangs; only the first is worth another try.
        if _listens():
            raise
    return _from_a_new_daemon(body, headers)


def _listens() -> bool:
    try:
        wire.connect(wire.home(), GLANCE_S).close()
    except OSError:
        return False
    return True


def _from_a_new_daemon(body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
    # Late: a daemon that runs needs none of it.
    import time

    from memfold.hook import launch

    launch.start(wire.home(), sys.executable)
    until = time.monotonic() + START_S
    while True:
        try:
            return wire.request("POST", "/mcp", body, headers=headers, timeout_s=CALL_S)
        except wire.NoDaemon:
            if time.monotonic() > until:
                raise
            time.sleep(0.005)  # its socket appears within tens of ms


def main() -> int:
    try:
        bridge = Bridge(sys.stdout.buffer, caller_headers(sys.argv, dict(os.environ)), to_daemon)
        bridge.serve(iter(sys.stdin.buffer.readline, b""))
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
