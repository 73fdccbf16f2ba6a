"""Where the evals find what they measure on, and how they say that they are at it."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memfold.errors import InvalidInput

_CHECKOUT = Path(__file__).resolve().parents[3]


def folder_of(given: Path | None, name: str, option: str) -> Path:
    """The folder given, or the one beside the checkout. Raises InvalidInput where it is not."""
    folder = given or next(
        (
            one
            for base in (Path.cwd(), _CHECKOUT)
            if (one := base.parent / "shared" / name).is_dir()
        ),
        _CHECKOUT.parent / "shared" / name,
    )
    if not folder.is_dir():
        raise InvalidInput(
            f"{folder} is not there, so there is nothing to measure on.",
            f"Name the folder with {option}.",
        )
    return folder


def say(line: str) -> None:
    """Progress, for who waits at a terminal."""
    if sys.stderr.isatty():
        click.echo(line, err=True)
