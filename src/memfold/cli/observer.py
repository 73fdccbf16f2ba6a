"""`memfold observer`: who observes, what waits for a model, and what it cost."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from memfold.cli import ask, out
from memfold.cli.status import observer_lines


@click.command(short_help="Who observes, and what a model cost.")
@click.option(
    "--calls", type=click.IntRange(0, 1_000), default=10, help="How many calls of the ledger."
)
@out.json_option
def command(calls: int, as_json: bool) -> None:
    """Print the observer in use, today's budget, what waits, and the newest calls to a model.

    \b
    Examples:
      memfold observer
      memfold observer --calls 100 --json
    """
    told = ask.get("/observer", calls=str(calls))
    if as_json:
        out.data(told)
        return
    for line in observer_lines(told) or [f"observer: {told['model']}, no model is asked"]:
        out.text(line)
    for call in told["calls"]:
        at = datetime.fromtimestamp(call["at"] / 1000, UTC).strftime("%Y-%m-%d %H:%M")
        detail = f": {call['detail']}" if call["detail"] else ""
        out.text(
            f"  {at} UTC {call['model']} {call['purpose']} {call['tokens_in']:,} in, "
            f"{call['tokens_out']:,} out, ${call['usd']:.4f}, {call['outcome']}{detail}"
        )
