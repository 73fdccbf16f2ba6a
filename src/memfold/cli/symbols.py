"""`memfold symbols`: where something is defined or said in a workspace."""

from __future__ import annotations

from pathlib import Path

import click

from memfold.cli import ask, out
from memfold.cli.progress import follow


@click.command(short_help="Find symbols in the code of a workspace.")
@click.argument("query")
@click.argument("path", default=".", type=click.Path(path_type=str))
@click.option("--files", "file_pattern", default="", metavar="GLOB", help="Such as '*.py'.")
@click.option(
    "--limit", "max_results", type=click.IntRange(1, 100), default=20, help="How many at most."
)
@out.json_option
def command(query: str, path: str, file_pattern: str, max_results: int, as_json: bool) -> None:
    """Find symbols by name, then by signature and doc line, then lines of files.

    PATH is a folder or file; the whole checkout it is in is indexed once and kept up to date.
    What .gitignore names is left out.

    \b
    Examples:
      memfold symbols Pool.run
      memfold symbols retry src --files '*.go' --json
    """
    wish = {
        "query": query,
        "path": ask.absolute(path),
        "file_pattern": file_pattern,
        "max_results": max_results,
    }
    result = follow("/symbols", wish, "files")
    if as_json:
        out.data(result)
        return
    out.text(result["text"])
    if not result["hits"]:
        raise SystemExit(1)
    here = str(Path(result["root"]))
    if here != ask.absolute("."):
        click.echo(f"paths are below {here}", err=True)
