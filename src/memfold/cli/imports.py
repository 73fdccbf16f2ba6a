"""`memfold import`: finds who takes a source in; a host's sessions are import_hosts.py's."""

from __future__ import annotations

import importlib

import click

from memfold.cli.import_hosts import SOURCES, command_of

# Source -> the file in this folder that holds it as `command`.
_OTHERS = {"claude-mem": "import_claude_mem", "git": "import_git", "memfold": "import_memfold"}


class Sources(click.Group):
    """Hosts, and the other places that hold something to remember."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return [*SOURCES, *_OTHERS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # click's
        if cmd_name in _OTHERS:
            found = importlib.import_module(f"memfold.cli.{_OTHERS[cmd_name]}").command
            return found if isinstance(found, click.Command) else None
        return command_of(cmd_name) if cmd_name in SOURCES else None


@click.command(cls=Sources, short_help="Take in sessions, git history or another memory.")
def command() -> None:
    """Take in what there is already; what is known is not taken twice.

    \b
    Examples:
      memfold import claude-code       the sessions Claude Code has on disk
      memfold import git               the history of the repository you are in
      memfold import claude-mem        a claude-mem database
      memfold import memfold FILE      what `memfold export` wrote
    """
