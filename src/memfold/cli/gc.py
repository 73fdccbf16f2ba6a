"""`memfold gc`: raw evidence that has had its time is retired, observations stay."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from memfold.cli import out
from memfold.cli.progress import follow

_MOST_PROJECTS = 20


@click.command(short_help="Retire old raw evidence; observations stay.")
@click.option("--dry-run", is_flag=True, help="Say what would go; remove nothing.")
@click.option(
    "--days",
    type=click.IntRange(0, 36_500),
    help="Days of evidence to keep, 0 for all; else the setting evidence_days.",
)
@out.json_option
def command(dry_run: bool, days: int | None, as_json: bool) -> None:
    """Retire raw tool calls that were observed longer ago than the days to keep.

    Observations, summaries and prompts stay. Days count back from today or from the newest
    evidence, whichever is earlier. memfold does this by itself once a day.

    \b
    Examples:
      memfold gc --dry-run
      memfold gc --days 30 --dry-run --json
    """
    result = follow("/gc", {"days": days, "dry_run": dry_run}, "tool uses")
    if as_json:
        out.data(result)
        return
    if not result["days"]:
        why = "--days" if days == 0 else "evidence_days"
        out.text(f"{why} is 0: evidence is kept for ever. Nothing was retired.")
        return
    out.text(_headline(result))
    for share in result["projects"][:_MOST_PROJECTS]:
        uses = out.count(share["tool_uses"], "tool use")
        out.text(f"  {share['name']}: {uses}, {_size(share['bytes'])}")
    if len(result["projects"]) > _MOST_PROJECTS:
        out.text(f"  and {out.count(len(result['projects']) - _MOST_PROJECTS, 'more project')}")
    if result["given_back_bytes"]:
        out.text(f"given back to the file system: {_size(result['given_back_bytes'])}")


def _headline(result: dict[str, Any]) -> str:
    days = result["days"]
    kept = f"{out.count(days, 'day')} of evidence {'is' if days == 1 else 'are'} kept"
    if result["before"]:
        kept += f", from {_day(result['before'])} on"
    if not result["tool_uses"]:
        return f"Nothing is old enough to go: {kept}."
    word = "would retire" if result["dry_run"] else "retired"
    return (
        f"{word}: {out.count(result['tool_uses'], 'tool use')}, {_size(result['bytes'])}, the "
        f"oldest observed on {_day(result['oldest_at'])} ({kept})"
    )


def _day(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d")


def _size(size_bytes: int) -> str:
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1_000:,.1f} kB"
    return f"{size_bytes / 1_000_000:,.1f} MB"
