"""`memfold plugin-folder`: the Claude Code plugin, made for this Python when Claude Code asks."""

from __future__ import annotations

import os
import sys

import click

from memfold.cli import ask, http_door, out
from memfold.hosts import claude_plugin
from memfold.hosts.programs import Runner


@click.command(short_help="Make the Claude Code plugin's folder, print where it is.")
@click.option(
    "--transport",
    type=click.Choice(["auto", "command", "http"]),
    default="auto",
    show_default=True,
    help="As `memfold install` has it.",
)
@out.json_option
def command(transport: str, as_json: bool) -> None:
    """Make the folder of the Claude Code plugin and print its path.

    The marketplace that `memfold install claude-code --plugin` sets up names this command as the
    plugin's source: Claude Code runs it and copies the folder.

    \b
    Examples:
      memfold plugin-folder
      claude --plugin-dir "$(memfold plugin-folder)"
    """
    http = http_door.chosen(ask.home(), "user", transport)
    folder = claude_plugin.write_folder(ask.home(), Runner.of(sys.executable, os.environ), http)
    if as_json:
        out.data({"path": str(folder)})
    else:
        out.text(str(folder))
