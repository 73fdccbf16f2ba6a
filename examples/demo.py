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
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memfold.measure import tokens  # the one estimate of prices

HERE = Path(__file__).resolve().parent
HOOK = HERE.parent / "src" / "memfold" / "hook" / "hook.py"
MEMFOLD = Path(sys.executable).with_name("memfold")
RECORDED = "/home/you/pool"  # where the sample's project lay
WIDTH = 88


class Demo:
    """One throwaway memory and one checkout of the sample project."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "memory"
        self.project = folder / "pool"
        self.transcripts = folder / "transcripts"
        # Settings and a git directory of the person who tries it do not reach the sample.
        mine = {k: v for k, v in os.environ.items() if not k.startswith(("MEMFOLD_", "GIT_"))}
        self.env = {**mine, "MEMFOLD_HOME": str(self.home)}
        self.prices: list[tuple[str, int]] = []

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
            subprocess.run(["git", *words], cwd=self.project, env=self.env, check=True)
        self.transcripts.mkdir()

    def write_transcript(self, number: int, begins: datetime, ends: datetime) -> None:
        """A recorded transcript as the host would have written it between two moments."""
        (file,) = (HERE / "sample" / "transcripts").glob(f"{number}-*.jsonl")
        lines = [json.loads(line) for line in self.here(file.read_text("utf-8")).splitlines()]
        times = [datetime.fromisoformat(line["timestamp"]) for line in lines]
        whole = (times[-1] - times[0]).total_seconds()
        for line, at in zip(lines, times, strict=True):
            part = (at - times[0]).total_seconds() / whole
            line["timestamp"] = (begins + (ends - begins) * part).isoformat()
        session = f"00000000-0000-4000-8000-00000000000{number}.jsonl"
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (self.transcripts / session).write_text(text, "utf-8")

    def replay(self) -> list[float]:
        """Session one by the real hook: what each event took, in milliseconds."""
        took = []
        asked_at = now()
        for line in (HERE / "sample" / "hooks.jsonl").read_text("utf-8").splitlines():
            event = json.loads(line)["hook_event_name"]
            if event == "UserPromptSubmit":
                asked_at = now()
            if event == "Stop":
                self.write_transcript(1, asked_at, now())
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
        return took

    def show(self, what: str, text: str, most: int | None = None) -> None:
        """Print what the agent would read and note its price: wrapped for the screen, or, where
        the reply is long, only the first lines and of each its beginning."""
        lines = text.rstrip().splitlines()
        for line in lines[:most]:
            for piece in wrapped(line) if most is None else [begun(line)]:
                print(f"  | {piece}".rstrip())
        if most is not None and len(lines) > most:
            print(f"  | ({len(lines) - most} more lines)")
        self.prices.append((what, tokens(text)))


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="memfold-demo-")).resolve()
    demo = Demo(folder)
    try:
        tell(demo)
    finally:
        subprocess.run([str(MEMFOLD), "stop"], env=demo.env, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def tell(demo: Demo) -> None:
    say("What stands after a bar is what the agent reads, wrapped for your screen.")
    demo.set_up()

    heading("1  Sessions are captured")
    for number, days in ((2, 2), (3, 1)):
        then = now() - timedelta(days=days)
        demo.write_transcript(number, then, then + timedelta(minutes=4))
    first, *rest = demo.replay()
    say(
        f"{1 + len(rest)} events of a recorded Claude Code session went through the real hook. The "
        f"first found no daemon and started it: {first:.0f} ms. The others took "
        f"{sorted(rest)[len(rest) // 2]:.0f} ms each, start of the process and commit included."
    )
    added = json.loads(demo.memfold("import", "claude-code", str(demo.transcripts), "--json"))
    say(
        f"Then all {added['files']} transcripts were imported: {added['sessions']} older sessions "
        f"with {added['tool_uses_stored']} tool uses are new; {added['tool_uses_known']} tool uses "
        "had come by the hook and were not stored twice."
    )

    heading("2  The agent keeps its own to-dos (layer 0)")
    plan = [{"task": "timeout for acquire()", "status": "doing"}, {"task": "refuse double release"}]
    demo.call("work_state_write", list="pool", items=plan)
    demo.show("its own to-dos", demo.call("work_state_read")["text"])

    heading("3  What the next session is shown at its start (layers 0 and 1)")
    demo.show("the start of a session", demo.memfold("context", "--cwd", str(demo.project)))

    heading("4  The agent asks why the pool ran empty: titles with prices (step 1)")
    step1 = demo.call("mem_search", query="why did the pool run empty?")
    demo.show("search, step 1", step1["text"])
    chosen = next(e["id"] for e in step1["entries"] if e["kind"] == "observation")

    heading(f"5  It chooses {chosen}: what happened around it (step 2)")
    step2 = demo.call("mem_search", continuation=step1["cursor"], selectedIds=[chosen])
    demo.show("search, step 2", step2["text"])

    heading(f"6  It reads {chosen} in full (step 3)")
    step3 = demo.call("mem_search", continuation=step2["cursor"], selectedIds=[chosen])
    demo.show("search, step 3", step3["text"])

    heading(f"7  The raw evidence behind {chosen} (layer 4)")
    evidence = demo.call("get_tool_uses", observation_ids=[int(chosen)], max_bytes=4_096)
    demo.show("raw evidence", evidence["text"], most=48)

    heading("8  The price of each step")
    for what, price in demo.prices:
        print(f"  {what:24}{price:6,} tokens")
    print()
    print(demo.memfold("status").replace(str(demo.home), "a throwaway directory").rstrip())
    say("Next: `memfold install claude-code`, and docs/tour.md for how it works.")


def now() -> datetime:
    return datetime.now(UTC)


def heading(text: str) -> None:
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n== {text}")


def say(text: str) -> None:
    print(textwrap.fill(text, WIDTH, break_on_hyphens=False))


def wrapped(line: str) -> list[str]:
    """The line in pieces that fit the screen, later ones set in under the first."""
    inset = " " * (len(line) - len(line.lstrip()) + 4)
    pieces = textwrap.wrap(line, WIDTH - 4, subsequent_indent=inset, break_on_hyphens=False)
    return pieces or [""]


def begun(line: str) -> str:
    return line if len(line) <= WIDTH - 4 else line[: WIDTH - 5] + "…"


if __name__ == "__main__":
    sys.exit(main())
