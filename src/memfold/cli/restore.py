"""`memfold restore`: a backup back in the database's place."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from memfold.backing_up import alone, restore
from memfold.cli import ask, out
from memfold.store.sqlite.copies import look_at


@click.command(short_help="Put a backup in the database's place.")
@click.argument("file", type=click.Path(path_type=str))
@click.option("--yes", is_flag=True, help="Do not ask.")
@out.json_option
def command(file: str, yes: bool, as_json: bool) -> None:
    """Put a backup in the database's place; the present one is kept in the backups folder.

    Memory is then as it was when the backup was made. What was forgotten since is taken out of it
    again. Events that wait in the spool are taken in afterwards.

    \b
    Examples:
      memfold restore ~/safe/memfold.db
    """
    path = Path(ask.absolute(file))
    held = look_at(path)
    holds = (
        f"{out.count(held.observations, 'observation')}, {out.count(held.tool_uses, 'tool use')}"
    )
    if not yes:
        if as_json or not sys.stdin.isatty():
            raise click.UsageError(f"{path} holds {holds}. Nothing was changed: give --yes.")
        out.text(f"{path} holds {holds}, schema {held.schema}.")
        click.confirm(f"Put it in the place of the database in {ask.home()}?", abort=True)
    with alone(ask.home()):
        done = restore(ask.home(), path, time.time_ns() // 1_000_000)
    ask.ensure_running()
    if as_json:
        kept = str(done.kept) if done.kept else None
        out.data({"restored": str(path), "schema": held.schema, "kept": kept,
                  "observations": held.observations, "tool_uses": held.tool_uses,
                  "forgotten_again": done.forgotten_again})  # fmt: skip
        return
    out.text(f"restored: {holds}")
    if done.forgotten_again:
        out.text(f"forgotten since, and taken out again: {out.count(done.forgotten_again, 'row')}")
    if done.unknown:
        out.text("What was forgotten since could not be read: look for it, and forget it again.")
    if done.kept:
        out.text(f"what was in use before: {done.kept}")
