"""How fast secrets are taken out: megabytes a second on plain and on hostile text, and memory.

With a folder as argument its files are the plain text; else code of the standard library is.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from pathlib import Path

from memfold.capture.redact import redact, redact_payload

MEGABYTE = 1_000_000
HOSTILE = {
    "telling names": "password: token= api_key: ",
    "half a JWT": "eyJaaaaaaaaaa.",
    "headers of keys": "-----BEGIN PRIVATE KEY-----",
    "URLs with a colon": "://a:",
    "open tags": "<private>",
    "one long run": "aB3_",
}


def plain_text(folder: Path, size: int) -> str:
    parts: list[str] = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in {".py", ".jsonl", ".json", ".md", ".txt"}:
            parts.append(path.read_text("utf-8", "replace"))
        if sum(map(len, parts)) > size:
            break
    return "".join(parts)[:size]


def line(name: str, text: str) -> None:
    began = time.perf_counter()
    redact(text)
    took = time.perf_counter() - began
    size = len(text) / MEGABYTE
    print(f"{name:44} {size:8.1f} MB {took:8.2f} s {size / took:8.1f} MB/s")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(json.__file__).parents[1]
    for size in (1, 5):
        line("plain text", plain_text(folder, size * MEGABYTE))
    for name, part in HOSTILE.items():
        for size in (1, 5):
            line(name, part * (size * MEGABYTE // len(part)))
    for size in (10, 50):
        text = plain_text(folder, MEGABYTE)
        body = json.dumps({"tool_response": {"stdout": text * size}}).encode()
        tracemalloc.start()
        began = time.perf_counter()
        redact_payload(body)
        took = time.perf_counter() - began
        peak = tracemalloc.get_traced_memory()[1] / len(body)
        tracemalloc.stop()
        print(
            f"{'a payload for the spool':44} {size:8.1f} MB {took:8.2f} s, peak {peak:.1f} x size"
        )


if __name__ == "__main__":
    main()
