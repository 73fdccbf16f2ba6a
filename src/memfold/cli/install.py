"""`memfold install`: a host rings memfold from its next session on."""

from __future__ import annotations

import difflib
import os
import sys
from pathlib import Path
from typing import Literal

import click

from memfold.cli import ask, http_door, out
from memfold.errors import InvalidInput
from memfold.hosts import claude_code
from memfold.hosts.files import Change, Record

SCOPES = (
    click.option("--user", "scope", flag_value="user", default="user", help="All projects."),
    click.option("--project", "scope", flag_value="project", help="This directory only."),
)


@click.command(short_help="Write hooks and MCP server into a host's settings.")
@click.argument("host", type=click.Choice([claude_code.HOST]))
@SCOPES[0]
@SCOPES[1]
@click.option("--dry-run", is_flag=True, help="Show the change; write nothing.")
@click.option(
    "--transport",
    type=click.Choice(["auto", "command", "http"]),
    default="auto",
    show_default=True,
    help="http: no process for each tool call; user scope only. auto: http where nobody else has "
    "an account on this machine.",
)
@out.json_option
def command(
    host: str,
    scope: Literal["user", "project"],
    dry_run: bool,
    transport: str,
    as_json: bool,
) -> None:
    """Write memfold's hooks and MCP server into a host's settings.

    Everything else in the files stays as it is; a copy is kept. Doing it twice changes nothing.

    \b
    Examples:
      memfold install claude-code
      memfold install claude-code --project --dry-run
    """
    http = None
    if transport == "http":
        if scope == "project":
            raise InvalidInput(
                "http hooks carry a secret, and project settings may be committed.",
                "Use --user, or leave --transport out.",
            )
        http = http_door.opened(ask.home(), dry_run=dry_run)
    elif transport == "auto" and scope == "user" and not http_door.others_have_accounts():
        http = http_door.opened_if_possible(ask.home(), dry_run=dry_run)
    target = target_at(scope, http)
    record = Record.load(ask.home(), host)
    plans = claude_code.install_plans(target, record)
    theirs = claude_code.foreign_server(target)
    changes = [plan.change for plan in plans if plan.change.changes]
    if not dry_run:
        claude_code.carry_out(plans, record, installed=True)
    tell(changes, dry_run=dry_run, as_json=as_json, nothing="is installed already")
    if not as_json and theirs:
        out.text(f"{target.servers} has an MCP server `memfold` of your own; it was left alone.")
    if not as_json and changes and not dry_run:
        out.text("Sessions started from now on are remembered. `memfold import claude-code` takes")
        out.text("in those you already had; `memfold doctor` shows whether hooks arrive.")


def target_at(
    scope: Literal["user", "project"], http: claude_code.Http | None = None
) -> claude_code.Target:
    """This person's Claude Code, run by the Python that runs this."""
    return claude_code.Target.at(
        scope, project=Path.cwd(), env=os.environ, python=sys.executable, http=http
    )


def tell(changes: list[Change], *, dry_run: bool, as_json: bool, nothing: str) -> None:
    """Which files were or would be changed; for a dry run the change itself."""
    if as_json:
        files = [
            {"path": str(change.path), "created": change.before is None, "diff": _diff(change)}
            for change in changes
        ]
        out.data({"dry_run": dry_run, "files": files})
        return
    if not changes:
        out.text(f"memfold {nothing}; nothing to do.")
    for change in changes:
        if dry_run:
            out.text(_diff(change))
        else:
            removed = change.after is None
            out.text(f"{'removed' if removed else 'wrote'} {change.path}")


def _diff(change: Change) -> str:
    def lines(body: bytes | None) -> list[str]:
        return (body or b"").decode("utf-8", "replace").splitlines()

    name = str(change.path)
    return "\n".join(
        difflib.unified_diff(lines(change.before), lines(change.after), name, name, lineterm="")
    )
