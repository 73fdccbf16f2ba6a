"""`memfold unfold`: the source of one symbol."""

from __future__ import annotations

import click

from memfold.cli import out


@click.command(short_help="Show the source of one symbol of a file.")
@click.argument("file")
@click.argument("symbol")
@click.option(
    "--from-line", type=click.IntRange(min=1), help="The first line shown, for the rest of it."
)
@out.json_option
def command(file: str, symbol: str, from_line: int | None, as_json: bool) -> None:
    """Show one symbol with its decorators, comments and real line numbers.

    SYMBOL is a name or a path such as Pool.run. Where several have it they are listed; name one
    with its line, such as run@41.

    \b
    Examples:
      memfold unfold pool.py Pool.run
      memfold unfold pool.py run@41 --json
    """
    from memfold.code.tools import unfold_in_file  # late: the parsers take 25 ms

    text = unfold_in_file(file, symbol, None, from_line=from_line or 0)
    if as_json:
        out.data({"file": file, "symbol": symbol, "text": text})
        return
    out.text(text)
