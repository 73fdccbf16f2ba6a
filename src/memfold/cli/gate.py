"""`memfold gate`: what the gate before reads decided, and what it saved."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from memfold.cli import ask, out
from memfold.display import one_line


@click.command(short_help="What was decided about reads of large files.")
@click.option("--limit", type=click.IntRange(0, 1_000), default=20, help="How many decisions.")
@out.json_option
def command(limit: int, as_json: bool) -> None:
    """Print the gate's decisions, the newest first, and the tokens that blocks saved.

    A whole read of a large code file that memory knows is answered with its outline. Tokens are
    estimates, in tokens of plain input.

    \b
    Examples:
      memfold gate
      memfold gate --limit 200 --json
    """
    told = ask.get("/gate", limit=str(limit))
    if as_json:
        out.data(told)
        return
    for line in lines_of(told):
        out.text(line)


def lines_of(told: dict[str, Any]) -> list[str]:
    """The gate's state in a few lines."""
    found = [
        f"read gate: {told['read_gate']}, for files of {told['threshold']:,} bytes and more; "
        f"about {told['saved_tokens']:,} tokens saved"
    ]
    found += [f"  {one['kind']:7} {one['count']:6,}  {one['reason']}" for one in told["counts"]]
    for one in told["decisions"]:
        at = datetime.fromtimestamp(one["at_ms"] / 1000, UTC).strftime("%Y-%m-%d %H:%M")
        saved = f", about {one['saved_tokens']:,} tokens saved" if one["kind"] == "block" else ""
        found.append(
            f"  {at} UTC {one['kind']}: {one_line(one['path'], 120)} ({one['size']:,} bytes), "
            f"{one['reason']}{saved}"
        )
    return found
