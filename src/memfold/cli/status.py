"""`memfold status`: what is kept and what is waiting."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import click

from memfold.cli import ask, out

_KEPT = (
    ("projects", "project"),
    ("sessions", "session"),
    ("prompts", "prompt"),
    ("tool_uses", "tool use"),
    ("observations", "observation"),
)


@click.command(short_help="What is kept, and what is waiting.")
@out.json_option
def command(as_json: bool) -> None:
    """Print what is kept, what is waiting, and when each host was last heard of.

    \b
    Examples:
      memfold status
      memfold status --json
    """
    status = ask.get("/status")
    if as_json:
        out.data(status)
        return
    out.text(f"memfold {status['version']}, process {status['pid']}, data in {ask.home()}")
    if status.get("trouble"):
        out.text(f"WRONG: {status['trouble']}")
        return
    out.text("kept: " + ", ".join(out.count(status[key], word) for key, word in _KEPT))
    out.text(f"waiting to be observed: {out.count(status['waiting'], 'tool use')}")
    if status.get("spooled"):
        out.text(f"waiting in the spool: {out.count(status['spooled'], 'event')}")
    out.text(f"on disk: {status['bytes_on_disk'] / 1_000_000:.1f} MB")
    if "mode" in status:  # an older daemon does not say
        out.text(mode_line(status["mode"]))
    for line in observer_lines(status.get("observer")):
        out.text(line)
    if status.get("semantic"):
        out.text(f"search goes by words and by meaning ({status['semantic']})")
    for host, at_ms in _by_time(status["last_event"]):
        out.text(f"last heard of {host}: {ago(at_ms)}")


def mode_line(mode: Mapping[str, Any]) -> str:
    """Which mode is in use; the reason where it is not the one that was set."""
    if not mode["trouble"]:
        return f"mode: {mode['id']}"
    return f"WRONG mode: {mode['id']} stands in for {str(mode['set'])[:40]!r}. {mode['trouble']}"


def observer_lines(told: Mapping[str, Any] | None) -> list[str]:
    """The model that observes, its budget, what waits and what went wrong last."""
    if not told or told["observer"] == "builtin":
        return []
    if told["trouble"]:
        return [f"WRONG observer: {told['observer']} is not used. {told['trouble']}"]
    queue, today, budget = told["queue"], told["today"], told["budget"]
    lines = [
        f"observer: {told['model']}, today {today['tokens']:,} of {budget['tokens']:,} tokens "
        f"and ${today['usd']:.2f} of ${budget['usd']:.2f} in {out.count(today['calls'], 'call')}",
        f"turns for the model: {queue['waiting'] + queue['leased']} waiting, {queue['done']} done, "
        f"{queue['failed']} left as the built-in observer made them",
    ]
    if told["blocked"]:
        lines.append(f"nothing is sent now: {told['blocked']}")
    elif told["last_failure"]:
        lines.append(f"last failure: {told['last_failure']}")
    return lines


def _by_time(last_event: dict[str, Any]) -> list[tuple[str, int]]:
    return sorted(last_event.items(), key=lambda pair: -int(pair[1]))


def ago(at_ms: int) -> str:
    """How long ago, in the largest unit that fits."""
    seconds = max(0, int(time.time() - at_ms / 1000))
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{out.count(seconds // size, word)} ago"
    return "just now"
