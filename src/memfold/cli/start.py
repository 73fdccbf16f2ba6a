"""`memfold start`: the daemon runs, whether or not it ran before."""

from __future__ import annotations

import click

from memfold.cli import ask, out


@click.command(short_help="Start the daemon.")
@out.json_option
def command(as_json: bool) -> None:
    """Start the daemon; that it runs already is fine.

    Hooks start it by themselves, so this is for looking after it by hand.

    \b
    Examples:
      memfold start
      memfold start --json
    """
    already = ask.is_running()
    ask.ensure_running()
    status = ask.get("/status")
    if as_json:
        out.data({"running": True, "already": already, "home": str(ask.home()), **_known(status)})
        return
    word = "runs already" if already else "started"
    out.text(f"memfold {word} (process {status['pid']}), data in {ask.home()}")


def _known(status: dict[str, object]) -> dict[str, object]:
    return {key: status[key] for key in ("pid", "version", "port") if key in status}
