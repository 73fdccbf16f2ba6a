"""`memfold mcp`: the stdio end of the MCP server, for hosts configured by hand."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click


@click.command(short_help="Serve MCP on stdin and stdout.")
@click.option("--host", default="", help="Host that starts it; found out where possible.")
def command(host: str) -> None:
    """Serve MCP on stdin and stdout, for a host configured by hand.

    \b
    Examples:
      claude mcp add --scope user memfold -- memfold mcp
      codex mcp add memfold -- memfold mcp
    """
    import memfold.serve

    bridge = Path(memfold.serve.__file__).with_name("bridge.py")
    words = [sys.executable, "-I", "-S", str(bridge), *([host] if host else [])]
    sys.stdout.flush()
    # This process becomes the bridge: signals and the end of stdin need no passing on.
    os.execv(sys.executable, words)  # noqa: S606  # no shell wanted
