"""`memfold forget`: what a person wants gone goes everywhere, and stays gone."""

from __future__ import annotations

import sys
from typing import Any

import click

from memfold.cli import ask, out
from memfold.cli.progress import follow

# Key of the answer -> one of it as a person calls it.
_WORDS = {
    "projects": "project",
    "sessions": "session",
    "prompts": "prompt",
    "replies": "reply",
    "tool_uses": "tool use",
    "observations": "observation",
    "summaries": "summary",
    "work_entries": "work state entry",
    "gate_decisions": "decision of the gate",
    "commits": "first line of a commit",
    "spooled_events": "spooled event",
    "backups": "backup of the database",
}
_MANY = {"reply": "replies", "summary": "summaries", "work state entry": "work state entries",
         "decision of the gate": "decisions of the gate",
         "first line of a commit": "first lines of commits",
         "backup of the database": "backups of the database"}  # fmt: skip


@click.command(short_help="Delete from memory for good.")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--project", default="", metavar="NAME", help="Of this project, by name or path.")
@click.option("--session", default="", metavar="ID", help="Of this session, by its host's id.")
@click.option("--since", default="", metavar="TIME", help="From then on: 2026-04-30 or 7d.")
@click.option("--until", default="", metavar="TIME", help="Up to then.")
@click.option("--text", default="", help="Whatever holds this text, in any case of letters.")
@click.option("--dry-run", is_flag=True, help="Say what would go; remove nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@out.json_option
def command(
    ids: tuple[str, ...],
    dry_run: bool,
    yes: bool,
    as_json: bool,
    **wanted: str,
) -> None:
    """Delete from memory for good: rows, index, vectors, search cursors, backups.

    Options narrow each other. IDs stand alone: 41 is an observation, S7 a summary, P12 a prompt,
    T9 a tool use. What was learned from what goes, goes too. Importing a transcript again does
    not bring it back.

    \b
    Examples:
      memfold forget --project shop --dry-run
      memfold forget --text "Project Bluebird" --since 30d
      memfold forget 41 P12 --yes
    """
    project = wanted["project"]
    if project.startswith((".", "~", "/")):
        wanted["project"] = ask.absolute(project)
    wish: dict[str, Any] = {**wanted, "ids": list(ids)}
    would = _run({**wish, "dry_run": True})
    if dry_run or not would["anything"]:
        _tell(would, as_json)
        return
    if not yes:
        if as_json or not sys.stdin.isatty():
            raise click.UsageError("Nothing was removed. Give --dry-run to look, --yes to remove.")
        _tell(would, as_json)
        click.confirm("Remove this for good?", abort=True)
    _tell(_run({**wish, "dry_run": False}), as_json)


def _tell(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        out.data(result)
        return
    if not result["anything"]:
        out.text("Nothing fits: nothing was removed.")
        return
    out.text("would forget:" if result["dry_run"] else "forgotten:")
    for key, word in _WORDS.items():
        number = result["forgotten"][key]
        if number:
            out.text(f"  {number:,} {word if number == 1 else _MANY.get(word, f'{word}s')}")


def _run(wish: dict[str, Any]) -> dict[str, Any]:
    return follow("/forget", wish, lambda line: str(line["doing"]))
