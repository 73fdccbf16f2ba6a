"""A scripted model on loopback: every request gets one short observation, and no key is read."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_REPLY = """<observation><type>change</type><title>The build ran step {number}</title>
<subtitle>It printed its lines and ended well</subtitle>
<facts><fact>Step {number} ended with status 0</fact></facts>
<narrative>The agent ran step {number} of the build, which printed its lines.</narrative>
<concepts><concept>what-changed</concept></concepts>
<files_read></files_read><files_modified></files_modified></observation>"""


class Provider:
    """Chat completions for as long as the `with` block lasts."""

    def __init__(self) -> None:
        self.asked = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Provider:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # the name http.server looks for
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                provider.asked += 1
                message = {"role": "assistant", "content": _REPLY.format(number=provider.asked)}
                usage = {"prompt_tokens": 100, "completion_tokens": 90, "total_tokens": 190}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                said = {"id": "x", "object": "chat.completion", "model": "scripted"}
                body = json.dumps({**said, "choices": [choice], "usage": usage}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Say nothing: the table is all that is printed."""

        return Handler
