"""`memfold backup`: a checked copy of the database."""

from __future__ import annotations

import click

from memfold.cli import ask, out


@click.command(short_help="Copy the database to one checked file.")
@click.argument("file", required=False, default="", type=click.Path(path_type=str))
@out.json_option
def command(file: str, as_json: bool) -> None:
    """Copy the database to one file, checked, while memfold goes on.

    FILE is a new file or a folder; without it, the backups folder of the data directory. `memfold
    forget` empties that folder; a file elsewhere is yours to remove.

    \b
    Examples:
      memfold backup
      memfold backup ~/safe/memfold.db
    """
    made = ask.post("/backup", {"path": ask.absolute(file) if file else ""})
    if as_json:
        out.data(made)
        return
    out.text(f"{made['path']}: {made['bytes'] / 1_000_000:.1f} MB, schema {made['schema']}, sound")
