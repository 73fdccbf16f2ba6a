"""`memfold project`: which code bases are known, joined and renamed."""

from __future__ import annotations

from typing import Any

import click

from memfold.cli import ask, out


@click.group(short_help="List, merge and rename projects.")
def command() -> None:
    """List, merge and rename projects.

    A project is a code base, however many checkouts and worktrees it has.
    """


@command.command("list", short_help="List projects with their counts.")
@out.json_option
def list_projects(as_json: bool) -> None:
    """List projects, most recently used first, with their counts.

    \b
    Examples:
      memfold project list
      memfold project list --json
    """
    projects = ask.get("/projects")["projects"]
    if as_json:
        out.data({"projects": projects})
        return
    if not projects:
        out.text("No projects yet. `memfold import claude-code` takes in the sessions you have.")
    for project in projects:
        counts = ", ".join(
            out.count(project[key], word)
            for key, word in (
                ("sessions", "session"),
                ("observations", "observation"),
                ("tool_uses", "tool use"),
            )
        )
        out.text(f"{project['name']}: {counts}")
        for alias in project["aliases"]:
            if alias["kind"] in {"directory", "git_dir"}:
                out.text(f"  {alias['value']}")


@command.command("merge", short_help="Make several projects one.")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--into", required=True, metavar="NAME", help="The project that remains.")
@out.json_option
def merge(names: tuple[str, ...], into: str, as_json: bool) -> None:
    """Make several projects one. A directory may stand for its project's name.

    Their sessions, observations and directories become those of the project that remains.

    \b
    Examples:
      memfold project merge app-old app-copy --into app
      memfold project merge /old/place/app --into app
    """
    reply = ask.post("/projects/merge", {"into": _named(into), "names": [_named(n) for n in names]})
    _tell(reply, f"now one project: {reply['name']}", as_json)


@command.command("rename", short_help="Give a project another name.")
@click.argument("name")
@click.argument("to")
@out.json_option
def rename(name: str, to: str, as_json: bool) -> None:
    """Give a project another name; what it is known by stays.

    \b
    Examples:
      memfold project rename app shop-backend
    """
    reply = ask.post("/projects/rename", {"name": _named(name), "to": to})
    _tell(reply, f"{name} is now {reply['name']}", as_json)


@command.command("forget", short_help="Delete a project from memory for good.")
@click.argument("name")
@click.option("--dry-run", is_flag=True, help="Say what would go; remove nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@out.json_option
@click.pass_context
def forget(ctx: click.Context, name: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Delete a project from memory for good, as `memfold forget --project NAME` does.

    \b
    Examples:
      memfold project forget app-old --dry-run
    """
    from memfold.cli.forget import command as everything  # late: for this alone

    ctx.invoke(everything, project=name, dry_run=dry_run, yes=yes, as_json=as_json)


def _named(name: str) -> str:
    """A directory as an absolute path, anything else as it is: the daemon knows both."""
    return ask.absolute(name) if name.startswith((".", "~", "/")) else name


def _tell(reply: dict[str, Any], line: str, as_json: bool) -> None:
    if as_json:
        out.data(reply)
    else:
        out.text(line)
