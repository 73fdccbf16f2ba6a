"""A long answer of the daemon: what is being done on the terminal, the result to the command."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from memfold.cli import ask

Line = Mapping[str, Any]


def follow(route: str, wish: dict[str, Any], what: str | Callable[[Line], str]) -> dict[str, Any]:
    """The result line; progress goes to stderr when that is a terminal.

    ``what``: what is counted in ``{"done", "total"}``, or how a line of progress is said.
    """
    shown = sys.stderr.isatty()
    result: dict[str, Any] = {}
    for line in ask.stream(route, wish):
        if "result" in line:
            result = line["result"]
        elif shown:
            said = _counted(line, what) if isinstance(what, str) else what(line)
            click.echo(f"\r\x1b[K{said}", nl=False, err=True)
    if shown:
        click.echo("\r\x1b[K", nl=False, err=True)
    return result


def _counted(line: Line, what: str) -> str:
    return f"{line.get('done', 0):,} of {line.get('total', 0):,} {what}"
