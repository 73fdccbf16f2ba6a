"""The `memfold` command: finds the subcommand, loads only its file, and words its failures."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

import click

from memfold.cli import out
from memfold.errors import MemfoldError

# Subcommand -> the file in this folder that holds it as `command`; in the order help shows them.
COMMANDS = {
    "start": "start",
    "stop": "stop",
    "status": "status",
    "doctor": "doctor",
    "import": "imports",
    "watch": "watch",
    "gc": "gc",
    "observer": "observer",
    "reobserve": "reobserve",
    "forget": "forget",
    "export": "export",
    "backup": "backup",
    "restore": "restore",
    "context": "context",
    "pin": "pin",
    "unpin": "unpin",
    "why": "why",
    "gate": "gate",
    "outline": "outline",
    "unfold": "unfold",
    "symbols": "symbols",
    "eval": "eval_",
    "claude-md": "claude_md",
    "call": "call",
    "mcp": "mcp",
    "project": "project",
    "mode": "mode",
    "install": "install",
    "uninstall": "uninstall",
    "plugin-folder": "plugin_folder",
    "bug-report": "bug_report",
    "version": "version",
}


class LazyGroup(click.Group):
    """Loads a subcommand's file when it is asked for: `memfold mcp` must not wait for others."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # click's
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"memfold.cli.{COMMANDS[cmd_name]}")
        command = module.command
        return command if isinstance(command, click.Command) else None

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except MemfoldError as error:
            out.failure(error, as_json=bool(ctx.meta.get(out.AS_JSON)))
            ctx.exit(1)


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Data is kept in MEMFOLD_HOME, by default in your user data directory.",
)
def cli() -> None:
    """Memory for coding agents: what was done, found and decided in earlier sessions.

    \b
    Examples:
      memfold install claude-code      remember Claude Code sessions from now on
      memfold import claude-code       take in the sessions you already had
      memfold context --cwd .          what the next session will be shown
      memfold doctor                   what is wrong, and what to do about it
    """


def run(args: Sequence[str] | None = None) -> int:
    """The exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    try:
        code = cli.main(args, prog_name="memfold", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Abort:
        click.echo("memfold: interrupted; what was done so far is kept.", err=True)
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except BrokenPipeError:
        # The reader (`head`) has seen enough. Python would complain again while closing stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def main() -> None:
    """Entry point of the console script."""
    sys.exit(run())


if __name__ == "__main__":
    main()
