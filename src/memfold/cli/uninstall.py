"""`memfold uninstall`: a host's settings without anything of ours."""

from __future__ import annotations

from typing import Literal

import click

from memfold.cli import ask, out
from memfold.cli.install import SCOPES, target_at, tell
from memfold.hosts import claude_code
from memfold.hosts.files import Record


@click.command(short_help="Take memfold out of a host's settings.")
@click.argument("host", type=click.Choice([claude_code.HOST]))
@SCOPES[0]
@SCOPES[1]
@click.option("--dry-run", is_flag=True, help="Show the change; write nothing.")
@out.json_option
def command(host: str, scope: Literal["user", "project"], dry_run: bool, as_json: bool) -> None:
    """Take memfold's hooks and MCP server out of a host's settings.

    Where nobody changed a file since, it is again what it was, byte for byte. What is remembered
    stays in the data directory.

    \b
    Examples:
      memfold uninstall claude-code
      memfold uninstall claude-code --project
    """
    target = target_at(scope)
    record = Record.load(ask.home(), host)
    plans = claude_code.uninstall_plans(target, record)
    changes = [plan.change for plan in plans if plan.change.changes]
    if not dry_run:
        claude_code.carry_out(plans, record, installed=False)
    tell(changes, dry_run=dry_run, as_json=as_json, nothing="is not installed")
