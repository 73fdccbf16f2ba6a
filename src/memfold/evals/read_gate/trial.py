"""The same questions to a real agent, with the person's own login: arms with the gate and without.

This spends money; every session is bounded, and so is their sum.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memfold.evals.read_gate import seeding, world
from memfold.evals.read_gate.sample import sample_of
from memfold.evals.read_gate.study import CALIBRATED
from memfold.evals.read_gate.world import StudyFailed, World

LEAST_RUNS = 3
_FILE = "service.py"
_LEAST_DOLLARS = 0.01  # that the host takes as a limit
_TOOLS = ("Read", "Grep", "Glob", "Bash(grep:*)", "ToolSearch", "mcp__memfold")
# Arm -> settings. The lower threshold is the one that another gate began with.
ARMS: Mapping[str, Mapping[str, str]] = {
    "off": {"read_gate": '"off"'},
    "from 32 KB": {"read_gate": '"on"', "read_gate_bytes": "32768"},
    "from 1.5 KB": {"read_gate": '"on"', "read_gate_bytes": "1536"},
}


@dataclass(frozen=True, slots=True)
class Trial:
    """One session of a real agent."""

    arm: str
    size: int  # bytes of the file
    run: int
    dollars: float
    is_right: bool  # the number is in the answer
    was_held_back: bool
    read_whole: bool
    tools: tuple[str, ...]
    answer: str


def trials(
    client: Path,
    model: str,
    runs: int,
    most_dollars: float,
    say: Callable[[str], None],
    *,
    sizes: Sequence[int] = CALIBRATED,
) -> Iterator[Trial]:
    """Arm by arm, run by run, until all are done or the money is spent. Raises StudyFailed."""
    spent = 0.0
    for size in sizes:
        sample = sample_of(size)
        with (
            tempfile.TemporaryDirectory(prefix="memfold-eval-") as root,
            world.opened(Path(root), client) as place,
        ):
            file = place.project / _FILE
            seeding.seed(place, file, sample)
            question = sample.question.format(file=file)
            for run in range(runs):
                for arm, settings in ARMS.items():
                    left = most_dollars - spent
                    if left <= 0:
                        return
                    place.restore(settings)
                    said = _asked(place, question, model, left)
                    if _is_spent(said):
                        return
                    trial = _judged(said, arm, size, run, sample.answer)
                    spent += trial.dollars
                    say(f"{arm}, {size:,} bytes: ${trial.dollars:.3f}, {spent:.2f} in all")
                    yield trial


def _asked(place: World, question: str, model: str, left: float) -> list[dict[str, Any]]:
    """What the host tells of one session, line by line. The person's settings are left out."""
    servers = place.project.parent / "servers.json"
    own = json.loads((place.config / ".claude.json").read_text())["mcpServers"]
    servers.write_text(json.dumps({"mcpServers": own}))
    words = [
        str(place.client), "-p", "--output-format", "stream-json", "--verbose",
        "--setting-sources", "", "--settings", str(place.config / "settings.json"),
        "--mcp-config", str(servers), "--strict-mcp-config", "--no-session-persistence",
        "--max-budget-usd", f"{max(left, _LEAST_DOLLARS):.4f}", "--allowedTools", *_TOOLS,
        *(["--model", model] if model else []),
    ]  # fmt: skip
    env = {**os.environ, "MEMFOLD_HOME": str(place.memory), "MEMFOLD_SEMANTIC": "no"}
    said = place.run(words, question, env, may_fail=True)  # what it says tells more
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


def _is_spent(lines: Sequence[dict[str, Any]]) -> bool:
    """Whether the host broke the session off for its cost."""
    return any("max_budget" in str(line.get("subtype")) for line in lines)


def _judged(lines: Sequence[dict[str, Any]], arm: str, size: int, run: int, answer: str) -> Trial:
    ends = [line for line in lines if line.get("type") == "result"]
    if not ends or ends[-1].get("is_error"):
        why = str(ends[-1].get("result") if ends else lines[-1:])[:300]
        raise StudyFailed(
            f"The agent gave no answer: {why}", "Log in with `claude`, and try again."
        )
    calls = [block for line in lines for block in _blocks(line) if block["type"] == "tool_use"]
    results = [block for line in lines for block in _blocks(line) if block["type"] == "tool_result"]
    refused = {block["tool_use_id"] for block in results if block.get("is_error")}
    whole = [
        call for call in calls
        if call["name"] == "Read" and not {"offset", "limit"} & call["input"].keys()
    ]  # fmt: skip
    said = str(ends[-1].get("result", ""))
    return Trial(
        arm=arm,
        size=size,
        run=run,
        dollars=float(ends[-1].get("total_cost_usd", 0)),
        is_right=bool(re.search(answer, said)),
        was_held_back=any(call["id"] in refused for call in whole),
        read_whole=any(call["id"] not in refused for call in whole),
        tools=tuple(call["name"] for call in calls),
        answer=said[:500],
    )


def _blocks(line: Mapping[str, Any]) -> list[dict[str, Any]]:
    message = line.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    return [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []


def table(found: Sequence[Trial]) -> Iterator[str]:
    """Mean and spread an arm and size, against the arm without the gate."""
    yield "| file | gate | runs | mean cost | from | to | against off | right | held back |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for size, arm in dict.fromkeys((one.size, one.arm) for one in found):
        here = [one for one in found if (one.size, one.arm) == (size, arm)]
        costs = [one.dollars for one in here]
        off = [one.dollars for one in found if (one.size, one.arm) == (size, "off")]
        mean = statistics.mean(costs)
        against = f"{(mean / statistics.mean(off) - 1) * 100:+.0f} %" if sum(off) else "unknown"
        yield (
            f"| {size // 1024} KB | {arm} | {len(here)} | ${mean:.4f} | ${min(costs):.4f} | "
            f"${max(costs):.4f} | {against} | {sum(one.is_right for one in here)} | "
            f"{sum(one.was_held_back for one in here)} |"
        )
