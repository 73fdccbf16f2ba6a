"""`memfold import`: finds who takes a source in; a host's sessions are import_.py's."""

from __future__ import annotations

import functools
import importlib

import click

from memfold.cli import import_

# Source -> the file in this folder that holds it as `command`.
_OTHERS = {"claude-mem": "import_claude_mem", "git": "import_git"}


class Sources(click.Group):
    """Hosts, and the other places that hold something to remember."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return [*_hosts(), *_OTHERS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # click's
        if cmd_name in _OTHERS:
            found = importlib.import_module(f"memfold.cli.{_OTHERS[cmd_name]}").command
            return found if isinstance(found, click.Command) else None
        return _of_host(cmd_name) if cmd_name in _hosts() else None


def _hosts() -> list[str]:
    (host,) = (one for one in import_.command.params if one.name == "host")
    assert isinstance(host.type, click.Choice)  # noqa: S101  # written so in import_.py
    return [str(one) for one in host.type.choices]


def _of_host(host: str) -> click.Command:
    """The command of import_.py with its first argument given."""
    whole = import_.command
    assert whole.callback is not None  # noqa: S101  # a command has one
    return click.Command(
        host,
        params=[one for one in whole.params if one.name != "host"],
        callback=functools.partial(whole.callback, host=host),
        help=whole.help,
        short_help="Take in sessions of every host here."
        if host == "all"
        else f"Take in sessions of {host}.",
    )


@click.command(cls=Sources, short_help="Take in sessions, git history or another memory.")
def command() -> None:
    """Take in what there is already; what is known is not taken twice.

    \b
    Examples:
      memfold import claude-code       the sessions Claude Code has on disk
      memfold import git               the history of the repository you are in
      memfold import claude-mem        a claude-mem database
    """
