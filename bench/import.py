"""What importing a large Claude Code session costs: rows a second, and the daemon's peak memory.

A session of invented content, by default 60 MB, whose tool results are large; then 60 small ones,
a tenth of that together. The daemon is a real one; its peak is what Linux notes as VmHWM.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_WORDS = "pool query token index retry socket parse cache branch merge".split()  # noqa: SIM905
_RESULT_CHARS = 120_000
_SMALL_CHARS = 4_000
COMMAND = [sys.executable, "-c", "from memfold.cli.main import main; main()"]


def lines(session: str, most_bytes: int, chars: int, chance: random.Random) -> Iterator[str]:
    """Turns of a prompt, five calls and a reply, until there are that many bytes."""
    size = number = 0
    while size < most_bytes:
        for line in _turn(number, chars, chance):
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_770_000_000 + number))
            text = json.dumps(
                {"sessionId": session, "cwd": "/code/app", "timestamp": stamp, **line}
            )
            size += len(text) + 1
            number += 1
            yield text + "\n"


def _turn(number: int, chars: int, chance: random.Random) -> Iterator[dict[str, Any]]:
    yield {"type": "user", "message": {"content": f"Look at part {number}"}}
    for at in range(5):
        key = f"toolu_{number}_{at}"
        call = {"type": "tool_use", "id": key, "name": "Bash", "input": {"command": f"make {at}"}}
        yield {"type": "assistant", "message": {"content": [call]}}
        told = " ".join(chance.choices(_WORDS, k=chance.randint(1, 2 * chars // 7)))
        result = {"type": "tool_result", "tool_use_id": key, "content": told}
        yield {"type": "user", "message": {"content": [result]}}
    said = f"Part {number} keeps its connection; released in a finally block now."
    yield {"type": "assistant", "message": {"content": [{"type": "text", "text": said}]}}


def measured(folder: Path) -> dict[str, Any]:
    """One import by a daemon of its own."""
    with tempfile.TemporaryDirectory(prefix="memfold-bench-") as home:
        env = {**os.environ, "MEMFOLD_HOME": home, "MEMFOLD_SEMANTIC": "no"}

        def run(*args: str) -> str:
            done = subprocess.run([*COMMAND, *args], env=env, capture_output=True, check=True)
            return done.stdout.decode()

        run("start")
        pid = int(json.loads(run("status", "--json"))["pid"])
        idle = _peak_mb(pid)
        began = time.perf_counter()
        result = json.loads(run("import", "claude-code", str(folder), "--json"))
        took = time.perf_counter() - began
        peak = _peak_mb(pid)
        run("stop")
    rows = result["prompts"] + result["tool_uses_stored"]
    size_mb = sum(file.stat().st_size for file in folder.glob("*.jsonl")) / 1e6
    return {
        "files": result["files"],
        "size_mb": round(size_mb, 1),
        "rows": rows,
        "seconds": round(took, 2),
        "rows_per_second": round(rows / took),
        "daemon_idle_mb": round(idle),
        "daemon_peak_mb": round(peak),
    }


def _peak_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text("ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise SystemExit("this kernel does not note a process's peak memory")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=60)
    size = parser.parse_args().mb * 1_000_000
    chance = random.Random(5)
    with tempfile.TemporaryDirectory(prefix="memfold-bench-") as root:
        large, small = Path(root, "large"), Path(root, "small")
        large.mkdir()
        small.mkdir()
        with (large / "s.jsonl").open("w", encoding="utf-8") as out:
            out.writelines(lines("s", size, _RESULT_CHARS, chance))
        for number in range(60):
            with (small / f"s{number}.jsonl").open("w", encoding="utf-8") as out:
                out.writelines(lines(f"s{number}", size // 600, _SMALL_CHARS, chance))
        for name, folder in (("one large session", large), ("60 small sessions", small)):
            print(name, json.dumps(measured(folder)))


if __name__ == "__main__":
    main()
