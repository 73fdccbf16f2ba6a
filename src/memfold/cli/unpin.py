"""`memfold unpin`: an observation takes its place among the others again."""

from __future__ import annotations

import click

from memfold.cli import ask, out
from memfold.display import one_line


@click.command(short_help="Let a pinned observation take its place again.")
@click.argument("given", metavar="ID")
@out.place_options
@out.json_option
def command(given: str, cwd: str, project: str, as_json: bool) -> None:
    """Let a pinned observation take its place among the others again. It is not removed.

    \b
    Examples:
      memfold pin --list
      memfold unpin 41
    """
    wish = {"id": given, "on": False, "cwd": ask.absolute(cwd), "project": project}
    said = ask.post("/pin", wish)
    if as_json:
        out.data(said)
        return
    word = "is no longer pinned" if said["changed"] else "was not pinned"
    out.text(f"{said['id']} {word}: {one_line(said['title'])}")
