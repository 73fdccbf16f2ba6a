"""`memfold pin`: observations that stay at the top of the startup index."""

from __future__ import annotations

import click

from memfold.cli import ask, out
from memfold.display import one_line


@click.command(short_help="Keep an observation at the top of the index.")
@click.argument("given", required=False, metavar="[ID]")
@click.option("--list", "shown", is_flag=True, help="Say what is pinned.")
@out.place_options
@out.json_option
def command(given: str | None, shown: bool, cwd: str, project: str, as_json: bool) -> None:
    """Keep an observation at the top of the startup index, however old it grows.

    Up to 20 of a project can be pinned. Pinned ones are the last to go where the index must be
    short.

    \b
    Examples:
      memfold pin 41
      memfold pin --list
      memfold unpin 41
    """
    if bool(given) == shown:
        raise click.UsageError("Give the ID of an observation, or --list.")
    if shown:
        pins = ask.get("/pins", cwd=ask.absolute(cwd), project=project)["pins"]
        if as_json:
            out.data({"pins": pins})
            return
        for pin in pins:
            out.text(f"{pin['id']} {one_line(pin['title'])}")
        if not pins:
            out.text("Nothing is pinned. `memfold pin 41` pins observation 41.")
        return
    wish = {"id": given, "on": True, "cwd": ask.absolute(cwd), "project": project}
    said = ask.post("/pin", wish)
    if as_json:
        out.data(said)
        return
    word = "pinned" if said["changed"] else "was pinned already"
    out.text(f"{said['id']} {word}: {one_line(said['title'])}")
