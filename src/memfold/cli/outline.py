"""`memfold outline`: what is in a file, without its text."""

from __future__ import annotations

from typing import Any

import click

from memfold.cli import out


@click.command(short_help="List the symbols of a file.")
@click.argument("file")
@out.json_option
def command(file: str, as_json: bool) -> None:
    """List what a file defines: names, signatures, line numbers, what it imports and exports.

    No daemon is needed. The file may lie anywhere; files of secrets are refused all the same,
    because what a terminal shows an agent may read.

    \b
    Examples:
      memfold outline pool.py
      memfold outline pool.py --json
    """
    from memfold.code.render import render  # late: the parsers take 25 ms
    from memfold.code.tools import outline_of_file

    found = outline_of_file(file, None)
    if not as_json:
        out.text(render(found, file))
        return
    symbols: list[dict[str, Any]] = [
        {
            "name": one.name,
            "kind": one.kind,
            "line": one.line,
            "end_line": one.end_line,
            "parent": one.scope,
            "signature": one.signature,
            "exported": one.exported,
            "doc": one.doc,
        }
        for one in found.symbols
    ]
    out.data(
        {
            "file": file,
            "language": found.language,
            "lines": found.lines,
            "imports": list(found.imports),
            "imports_more": found.imports_more,
            "symbols": symbols,
            "symbols_left_out": found.left_out,
            "broken": found.broken,
            "cut_short": found.cut_short,
        }
    )
