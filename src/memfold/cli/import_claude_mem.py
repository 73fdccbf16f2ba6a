"""`memfold import claude-mem`: another memory's database taken over, its ids kept as aliases."""

from __future__ import annotations

import os
from pathlib import Path

import click

from memfold.cli import ask, out
from memfold.cli.progress import follow
from memfold.errors import InvalidInput


@click.command(short_help="Take over a claude-mem database.")
@click.argument("db", required=False, type=click.Path(path_type=str))
@out.json_option
def command(db: str | None, as_json: bool) -> None:
    """Take over observations, summaries, prompts, tool uses and work state from claude-mem.

    DB is its database; without it, ~/.claude-mem/claude-mem.db. It is only read, also while
    claude-mem is at work. Observation 41 there is found here as cm41 too, summary 7 as cmS7, prompt
    12 as cmP12. Run it again at any time: what is known is not taken twice.

    \b
    Examples:
      memfold import claude-mem
      memfold import claude-mem ~/backup/claude-mem.db --json
    """
    source = ask.absolute(db) if db else str(_own_database())
    if not Path(source).is_file():
        raise InvalidInput(f"{source} is not there.", "Name the database file to import.")
    result = follow("/import/claude-mem", {"path": source}, "sessions")
    if as_json:
        out.data(result)
        return
    out.text(f"{out.count(result['sessions'], 'session')}; ids begin with {result['prefix']}")
    out.text(f"{'':20}{'rows':>9}{'new':>9}{'known':>9}{'left out':>9}")
    for table in result["tables"]:
        left_out = table["rows"] - table["new"] - table["known"]
        counts = (table["rows"], table["new"], table["known"], left_out)
        out.text(f"{table['table']:20}" + "".join(f"{number:>9,}" for number in counts))
    for table in result["tables"]:
        if table["trouble"]:
            out.text(f"{table['table']}: {table['trouble']}")
        for reason, number in table["skipped"].items():
            out.text(f"{out.count(number, table['what'])}: {reason}")


def _own_database() -> Path:
    folder = os.environ.get("CLAUDE_MEM_DATA_DIR") or Path.home() / ".claude-mem"
    return Path(folder) / "claude-mem.db"
