"""`memfold version`: this memfold, and the daemon where it is another."""

from __future__ import annotations

import importlib.metadata
import platform

import click

from memfold.cli import ask, out


@click.command(short_help="Print versions.")
@out.json_option
def command(as_json: bool) -> None:
    """Print the versions of memfold, its daemon and Python.

    \b
    Examples:
      memfold version --json
    """
    mine = importlib.metadata.version("memfold")
    daemon = ask.get("/status").get("version") if ask.is_running() else None
    if as_json:
        out.data({"memfold": mine, "daemon": daemon, "python": platform.python_version()})
        return
    out.text(f"memfold {mine}")
    out.text(f"daemon {daemon or 'not running'}")
    out.text(f"Python {platform.python_version()}")
