"""`memfold stop`: the daemon is gone when this returns."""

from __future__ import annotations

import click

from memfold.cli import ask, out


@click.command(short_help="Stop the daemon.")
@out.json_option
def command(as_json: bool) -> None:
    """Stop the daemon and wait until it is gone.

    Nothing is lost: hooks keep events in the spool and start it again.

    \b
    Examples:
      memfold stop
    """
    was_running = ask.stop()
    if as_json:
        out.data({"running": False, "was_running": was_running})
    else:
        out.text("memfold stopped" if was_running else "memfold was not running")
