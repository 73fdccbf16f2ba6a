"""`memfold uninstall`: hosts' settings without anything of ours."""

from __future__ import annotations

from pathlib import Path

import click

from memfold.cli import out, plans
from memfold.hosts.claude_plugin import PLUGIN
from memfold.hosts.plan import Scope


@click.command(short_help="Take memfold out of hosts' settings.")
@plans.host_options
@out.json_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    hosts: tuple[str, ...],
    scope: Scope,
    config_dir: tuple[Path, ...],
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Take memfold's hooks and MCP server out of the settings of coding agents.

    Without a HOST, out of every one found on this machine. Where nobody changed a file since, it
    is again what it was, byte for byte. What is remembered stays in the data directory.

    \b
    Examples:
      memfold uninstall
      memfold uninstall claude-code --project
    """
    works = plans.planned(plans.places(hosts, scope, config_dir), installed=False)
    if len(works) == 1 and works[0].trouble is not None:
        raise works[0].trouble
    if not as_json and (dry_run or not hosts):
        plans.show(works, installed=False)
    if not dry_run:
        named = bool(hosts or config_dir)
        if not plans.agreed(works, named=named, yes=yes, as_json=as_json):
            raise click.Abort
        plans.do(works, installed=False)
    if as_json:
        out.data({"dry_run": dry_run, "files": plans.as_data(works)})
    else:
        _tell(works, dry_run)
    for work in works:
        if work.trouble is not None:
            out.failure(work.trouble, as_json=False)
    if any(work.trouble is not None for work in works):
        ctx.exit(1)


def _tell(works: list[plans.Work], dry_run: bool) -> None:
    changes = [change for work in works if work.trouble is None for change in work.changes]
    for change in changes:
        if dry_run:
            out.text("")
            out.text(plans.diff(change))
        else:
            out.text(f"{'removed' if change.after is None else 'wrote'} {change.path}")
    for work in works:
        if work.plugin is not None and work.trouble is None and not dry_run:
            out.text(f"removed the plugin {PLUGIN} from {work.place.folder}")
    if not any(work.acts for work in works):
        out.text("memfold is not installed; nothing to do.")
