"""What hooks cost the agent: the real Claude Code's gap between two requests to its model.

The model is a scripted server on loopback that asks for one small Read after the other. The gap
from one request to the next holds the tool and its hooks; what is compared is interleaved: no
hooks, http hooks, command hooks. Medians of many; run it again before believing a difference.

    python ../shared/harness/loopback_only.py python bench/host_gap.py
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from memfold import wire
from memfold.cli import http_door
from memfold.hook import launch
from memfold.hosts.claude_code import Http, Target

HARNESS = Path(__file__).resolve().parents[1].parent / "shared" / "harness"
KINDS = ("no hooks", "http hooks", "command hooks")


def settings_for(kind: str, root: Path, http: Http) -> dict[str, Any]:
    """The host's settings: what `memfold install` would write of hooks, or none."""
    hooks: dict[str, Any] = {}
    if kind != "no hooks":
        target = Target.at(
            "user",
            project=root,
            env={"HOME": str(root)},
            python=sys.executable,
            http=http if kind == "http hooks" else None,
        )
        for entry in target.hook_entries():
            hooks.setdefault(str(entry.place[1]), []).append(entry.value)
    return {"hooks": hooks}


def gaps(run: ModuleType, kind: str, calls: int, http: Http) -> tuple[list[float], float]:
    """(ms between requests of one session, s of the whole session)."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        file = root / "project" / "small.txt"
        reads = [[{"tool": "Read", "input": {"file_path": str(file)}}]] * calls
        script = [{"when": {"has_tools": True}, "replies": [*reads, "done"]}]
        with run.Sandbox(script=script, root=root) as box:
            file.write_text("one\ntwo\n")
            box.settings = settings_for(kind, root, http)
            box.extra_env["MEMFOLD_HOME"] = os.environ["MEMFOLD_HOME"]
            result = box.run("go", "--dangerously-skip-permissions")
            assert result.code == 0, result.stderr
            times = [r["time"] for r in result.requests if r["body"].get("tools")]
            assert len(times) == calls + 1, (kind, len(times))
            # The first gap holds what is set up once.
            pairs = itertools.pairwise(times[1:])
            return [(after - before) * 1000 for before, after in pairs], result.seconds


def stored() -> int:
    return int(json.loads(wire.request("GET", "/status", timeout_s=5)[1])["tool_uses"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=8, help="of each kind")
    parser.add_argument("--calls", type=int, default=20, help="tool calls of one session")
    options = parser.parse_args()
    if not HARNESS.is_dir():
        sys.exit(f"The harness of real clients is not at {HARNESS}.")
    sys.path.insert(0, str(HARNESS))
    run = importlib.import_module("run_claude")
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(MEMFOLD_HOME=home, MEMFOLD_SEMANTIC="no")
        launch.start(home)
        while not Path(home, wire.SOCKET).exists():
            time.sleep(0.01)
        http = http_door.opened(Path(home), dry_run=False)
        seen: dict[str, list[float]] = {kind: [] for kind in KINDS}
        whole: dict[str, list[float]] = {kind: [] for kind in KINDS}
        for _ in range(options.sessions):
            for kind in KINDS:
                found, seconds = gaps(run, kind, options.calls, http)
                seen[kind] += found
                whole[kind].append(seconds)
        kept = stored()
        wire.request("POST", "/stop", timeout_s=5)
    bare = statistics.median(seen["no hooks"])
    print(f"{'':14} {'gaps':>6} {'median':>9} {'90th':>9} {'over none':>10} {'session':>9}")
    for kind in KINDS:
        middle, tenth = statistics.median(seen[kind]), statistics.quantiles(seen[kind], n=10)[-1]
        session = statistics.median(whole[kind])
        print(
            f"{kind:14} {len(seen[kind]):6} {middle:7.1f}ms {tenth:7.1f}ms {middle - bare:8.1f}ms"
            f" {session:8.2f}s"
        )
    print(f"tool uses stored: {kept} of {2 * options.sessions * options.calls}")


if __name__ == "__main__":
    main()
