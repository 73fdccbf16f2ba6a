"""What commands print: text for people, JSON for programs, one sentence for failures."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from memfold.errors import MemfoldError

F = TypeVar("F", bound=Callable[..., Any])
AS_JSON = "memfold.json"  # key in click's shared context


def json_option(command: F) -> F:
    """Adds ``--json``; the command gets it as ``as_json``."""

    def remember(ctx: click.Context, _param: click.Parameter, value: bool) -> bool:
        ctx.meta[AS_JSON] = value  # for failures, which are printed outside the command
        return value

    return click.option("--json", "as_json", is_flag=True, help="Print JSON.", callback=remember)(
        command
    )


def place_options(command: F) -> F:
    """Adds ``--cwd`` and ``--project``: whose memory is meant."""
    directory = click.option(
        "--cwd",
        default=".",
        show_default=True,
        type=click.Path(path_type=str),
        help="Directory whose project is meant.",
    )
    name = click.option("--project", default="", metavar="NAME", help="Another project, by name.")
    return directory(name(command))


def data(value: Any) -> None:
    """``value`` as JSON on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def data_line(value: Any) -> None:
    """``value`` as one line of JSON on stdout, at once: more may follow."""
    click.echo(json.dumps(value, ensure_ascii=False))
    sys.stdout.flush()


def text(line: str) -> None:
    click.echo(line)


def raw(body: bytes) -> None:
    """Bytes on stdout as they are, nothing added."""
    sys.stdout.flush()
    sys.stdout.buffer.write(body)
    sys.stdout.buffer.flush()


def failure(error: MemfoldError, *, as_json: bool) -> None:
    """One clear sentence with its next step on stderr; with ``--json`` the same as data."""
    if as_json:
        data({"error": error.code, "message": error.message, "next_step": error.next_step})
    click.echo(f"memfold: {error}", err=True)


def count(number: int, word: str) -> str:
    """``1 session``, ``3 sessions``."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"
