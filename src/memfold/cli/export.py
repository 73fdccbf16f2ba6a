"""`memfold export`: everything as lines of JSON."""

from __future__ import annotations

import time

import click

from memfold.cli import ask, out
from memfold.cli.progress import follow


@click.command(short_help="Write all of memory to one file.")
@click.argument("file", required=False, default="", type=click.Path(path_type=str))
@out.json_option
def command(file: str, as_json: bool) -> None:
    """Write all of memory to one file, lines of JSON compressed with zstd, ids as they are.

    `memfold import memfold FILE` takes it in, here or on another machine. FILE is a new file;
    without it, memfold-DATE.jsonl.zst in this directory. It is readable by you alone.

    \b
    Examples:
      memfold export
      memfold export ~/safe/memory.jsonl.zst
      zstd -dc memory.jsonl.zst | grep '^."observations"'
    """
    name = file or time.strftime("memfold-%Y-%m-%d.jsonl.zst")
    result = follow("/export", {"path": ask.absolute(name)}, "lines")
    if as_json:
        out.data(result)
        return
    out.text(f"{result['path']}: {result['lines']:,} lines, {result['bytes'] / 1_000_000:.1f} MB")
