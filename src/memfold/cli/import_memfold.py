"""`memfold import memfold`: what `memfold export` wrote."""

from __future__ import annotations

import click

from memfold.cli import ask, out
from memfold.cli.progress import follow

_WORDS = (
    ("projects", "projects"),
    ("sessions", "sessions"),
    ("prompts", "prompts"),
    ("replies", "replies"),
    ("tool_uses", "tool uses"),
    ("observations", "observations"),
    ("summaries", "summaries"),
    ("work_state_entries", "work state entries"),
    ("commits", "commits"),
)


@click.command(short_help="Take in what `memfold export` wrote.")
@click.argument("file", type=click.Path(path_type=str))
@out.json_option
def command(file: str, as_json: bool) -> None:
    """Take in everything of an export that is not here yet, ids as they were where they are free.

    Run it again at any time, also after it was broken off. What was forgotten here stays away.

    \b
    Examples:
      memfold import memfold ~/safe/memory.jsonl.zst
    """
    result = follow("/import-memfold", {"path": ask.absolute(file)}, "bytes")
    if as_json:
        out.data(result)
        return
    out.text(f"{'':20}{'new':>9}{'known':>9}{'forgotten':>10}")
    for table, word in _WORDS:
        counts = [result[key].get(table, 0) for key in ("new", "known", "forgotten")]
        if any(counts):
            out.text(f"{word:20}{counts[0]:>9,}{counts[1]:>9,}{counts[2]:>10,}")
    retired = result["retired"].get("tool_uses", 0)
    if retired:
        out.text(f"{out.count(retired, 'tool use')} retired here before, and left out")
    moved = sum(
        result["renumbered"].get(one, 0) for one in ("observations", "summaries", "prompts")
    )
    if moved:
        out.text(f"{out.count(moved, 'entry') if moved == 1 else f'{moved:,} entries'} "
                 "got another id, for theirs was taken")  # fmt: skip
    for name, here in result["lists"].items():
        out.text(f"list {name!r} was written here too: what came is in {here!r}")
