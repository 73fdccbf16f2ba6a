"""`memfold import`: the sessions a host has on disk, taken in once."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from memfold.cli import ask, out
from memfold.errors import InvalidInput


@click.command(short_help="Take in sessions a host has on disk.")
@click.argument("host", type=click.Choice(["claude-code", "codex"]))
@click.argument("path", required=False, type=click.Path(path_type=str))
@out.json_option
def command(host: str, path: str | None, as_json: bool) -> None:
    """Take in the sessions a host has on disk; what is known already is not taken twice.

    PATH is a folder or one file; without it, the host's own folder of sessions.

    \b
    Examples:
      memfold import claude-code
      memfold import codex ~/.codex/sessions --json
    """
    source = ask.absolute(path) if path else str(_own_folder(host))
    if not Path(source).exists():
        raise InvalidInput(f"{source} is not there.", "Name the folder or file to import.")
    result = _follow(host, source)
    if as_json:
        out.data(result)
        return
    out.text(
        f"{out.count(result['files'], 'file')}, {out.count(result['sessions'], 'new session')}, "
        f"{out.count(result['tool_uses_stored'], 'new tool use')}, "
        f"{out.count(result['observations'], 'new observation')}"
    )
    if result["tool_uses_known"]:
        out.text(f"{out.count(result['tool_uses_known'], 'tool use')} known before")
    for reason, number in result["skipped_reasons"].items():
        out.text(f"{out.count(number, 'tool use')} left out: {reason}")
    if result["bad_lines"]:
        out.text(f"{out.count(result['bad_lines'], 'line')} could not be read and were left out")


def _follow(host: str, source: str) -> dict[str, Any]:
    """The result line; progress goes to stderr when that is a terminal."""
    shown = sys.stderr.isatty()
    result: dict[str, Any] = {}
    for line in ask.stream("/import", {"host": host, "path": source}):
        if "result" in line:
            result = line["result"]
        elif shown:
            click.echo(
                f"\r{line.get('done', 0)} of {line.get('total', 0)} files", nl=False, err=True
            )
    if shown:
        click.echo("\r\x1b[K", nl=False, err=True)
    return result


def _own_folder(host: str) -> Path:
    if host == "codex":
        return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "sessions"
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude") / "projects"
