"""`memfold reobserve`: the present observer over evidence that is stored."""

from __future__ import annotations

import re
import time
from typing import Any

import click

from memfold.cli import ask, out
from memfold.cli.progress import follow
from memfold.errors import InvalidInput

_UNITS_MS = {"h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000}
_MOST_MS = 36_500 * 86_400_000


@click.command(short_help="Observe stored evidence again.")
@click.option("--since", default="30d", help="How far back: 12h, 30d, 8w or all.")
@click.option("--project", default="", help="Only this project, by name or directory.")
@click.option("--dry-run", is_flag=True, help="Say what would change; change nothing.")
@click.option("--again", is_flag=True, help="Also what this observer has been through already.")
@out.json_option
def command(since: str, project: str, dry_run: bool, again: bool, as_json: bool) -> None:
    """Run the observer in use over stored evidence once more, after an upgrade or with a model.

    Observations keep their ids. One that is no longer made stays as it is. A run that was broken
    off goes on where it stopped.

    \b
    Examples:
      memfold reobserve --dry-run
      memfold reobserve --since 8w --project app
    """
    wish = {
        "since_ms": since_ms(since, time.time_ns() // 1_000_000),
        "project": ask.absolute(project) if "/" in project or project == "." else project,
        "dry_run": dry_run,
        "anew": again,
    }
    result = follow("/reobserve", wish, "turns")
    if as_json:
        out.data(result)
        return
    for line in lines(result):
        out.text(line)


def since_ms(given: str, now_ms: int) -> int:
    """The moment that ``given`` names; 0 for all. Raises InvalidInput."""
    if given == "all":
        return 0
    found = re.fullmatch(r"(\d{1,6})([hdw])", given)
    span = int(found.group(1)) * _UNITS_MS[found.group(2)] if found else 0
    if not 0 < span <= _MOST_MS:
        raise InvalidInput(
            f"`--since` is {given[:40]!r}; it takes hours, days or weeks up to 100 years.",
            "Give one such as 12h, 30d, 8w, or all.",
        )
    return max(now_ms - span, 0)


def lines(result: dict[str, Any]) -> list[str]:
    """The result in words."""
    would = "would be " if result["dry_run"] else ""
    told = [
        f"{out.count(result['turns'], 'turn')} looked at with {result['observer']}: "
        f"{out.count(result['changed'], 'observation')} {would}changed, {result['added']} "
        f"{would}added, {result['same']} the same, {result['kept']} no longer made and kept"
    ]
    if not result["turns"]:
        told = [
            f"Nothing to look at: {result['observer']} has been through all turns of that time "
            "(`--again` looks once more)."
        ]
    for one in result["examples"]:
        told.append(f"  {one['id']}: {one['was']}\n    -> {one['is']}")
    if result["asked"]:
        told.append(
            f"{out.count(result['asked'], 'turn')} {would or 'are '}shown to the model, as the "
            "budget allows; `memfold observer` shows how far it is"
        )
    return told
