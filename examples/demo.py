"""`make demo`: a recorded session is remembered, and the next one starts from it.

Uses a throwaway data directory and the public commands alone. Session one is replayed through
the real hook, event by event, in a checkout made for it; two more come from their transcripts.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
HOOK = HERE.parent / "src" / "memfold" / "hook" / "hook.py"
MEMFOLD = Path(sys.executable).with_name("memfold")
RECORDED = "/home/you/pool"  # where the sample's project lay
WIDTH = 92


class Demo:
    """One throwaway memory and one checkout of the sample project."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "memory"
        self.project = folder / "pool"
        self.transcripts = folder / "transcripts"
        self.env = {**os.environ, "MEMFOLD_HOME": str(self.home)}

    def memfold(self, *args: str) -> str:
        done = subprocess.run(
            [str(MEMFOLD), *args], env=self.env, cwd=self.project, capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(done.stderr or done.stdout)
        return done.stdout

    def call(self, tool: str, **args: Any) -> dict[str, Any]:
        """A tool as the agent would call it, answered as data."""
        given = ("call", tool, json.dumps(args), "--cwd", str(self.project), "--json")
        return dict(json.loads(self.memfold(*given)))

    def here(self, text: str) -> str:
        """A recorded text with the paths of this checkout."""
        return text.replace(RECORDED, str(self.project)).replace(
            "/home/you/.claude/projects/-home-you-pool", str(self.transcripts)
        )

    def set_up(self) -> None:
        shutil.copytree(HERE / "pool", self.project)
        for words in (
            ("init", "-q", "-b", "main"),
            ("add", "."),
            ("-c", "user.name=Sample", "-c", "user.email=sample@example.com", "commit", "-qm", "x"),
        ):
            subprocess.run(["git", *words], cwd=self.project, check=True)
        self.transcripts.mkdir()
        for file in sorted((HERE / "sample" / "transcripts").glob("*.jsonl")):
            session = f"00000000-0000-4000-8000-00000000000{file.name[0]}.jsonl"
            (self.transcripts / session).write_text(self.here(file.read_text("utf-8")))

    def replay(self) -> tuple[int, float]:
        """(events, median ms) of session one, by the real hook."""
        took = []
        for line in (HERE / "sample" / "hooks.jsonl").read_text("utf-8").splitlines():
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, "-I", "-S", str(HOOK), "claude-code"],
                input=self.here(line).encode(),
                env=self.env,
                cwd=self.project,
                check=True,
                stdout=subprocess.DEVNULL,
            )
            took.append((time.perf_counter() - began) * 1000)
        return len(took), sorted(took)[len(took) // 2]


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="memfold-demo-"))
    demo = Demo(folder)
    try:
        tell(demo)
    finally:
        subprocess.run([str(MEMFOLD), "stop"], env=demo.env, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def tell(demo: Demo) -> None:
    demo.set_up()
    heading("1  A session is captured")
    events, median_ms = demo.replay()
    say(
        f"{events} events of a recorded Claude Code session went through the real hook, "
        f"{median_ms:.0f} ms each (process start included), each stored before its hook ended."
    )
    added = json.loads(demo.memfold("import", "claude-code", str(demo.transcripts), "--json"))
    say(
        f"Two older sessions came from their transcripts: {added['tool_uses_stored']} more tool "
        f"uses; {added['tool_uses_known']} were known already and not stored twice."
    )

    heading("2  What the agent keeps for itself (layer 0)")
    plan = [{"task": "timeout for acquire()", "status": "doing"}, {"task": "refuse double release"}]
    show(demo.call("work_state_write", list="pool", items=plan)["text"])

    heading("3  What the next session is shown (layers 0 and 1)")
    context = demo.memfold("context", "--cwd", str(demo.project))
    show(context)
    price(context)

    heading("4  The agent searches: titles first (step 1)")
    step1 = demo.call("mem_search", query="why did the pool run empty?")
    show(step1["text"])
    price(step1["text"])
    chosen = next(e["id"] for e in step1["entries"] if e["kind"] == "observation")

    heading(f"5  It chooses {chosen}: what happened around it (step 2)")
    step2 = demo.call("mem_search", continuation=step1["cursor"], selectedIds=[chosen])
    show(step2["text"])
    price(step2["text"])

    heading("6  It reads that one in full (step 3)")
    step3 = demo.call("mem_search", continuation=step2["cursor"], selectedIds=[chosen])
    show(step3["text"])
    price(step3["text"])

    heading("7  The raw evidence behind it (layer 4)")
    evidence = demo.call("get_tool_uses", observation_ids=[int(chosen)], max_bytes=3_000)
    show(evidence["text"], most=40)
    price(evidence["text"])

    heading("8  What is kept")
    show(demo.memfold("status").replace(str(demo.home), "a throwaway directory"))
    say("Next: `memfold install claude-code`, and docs/tour.md for how it works.")


def heading(text: str) -> None:
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n== {text}")


def say(text: str) -> None:
    print(textwrap.fill(text, WIDTH))


def show(text: str, most: int = 70) -> None:
    lines = text.rstrip().splitlines()
    for line in lines[:most]:
        print("  │ " + (line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"))
    if len(lines) > most:
        print(f"  │ ({len(lines) - most} more lines)")


def price(text: str) -> None:
    print(f"    costs the agent about {len(text) // 4:,} tokens")


if __name__ == "__main__":
    sys.exit(main())
