"""`memfold uninstall`: hosts' settings without anything of ours."""

from __future__ import annotations

from collections.abc import Sequence
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
    works = plans.planned(plans.places_written(hosts, scope, config_dir), installed=False)
    plans.raise_only_trouble(works)
    if not as_json and (dry_run or not hosts):
        plans.show(works, installed=False)
    if dry_run:
        plans.tell_dry(works, as_json)
        return
    if not plans.agreed(works, named=bool(hosts or config_dir), yes=yes, as_json=as_json):
        raise click.Abort
    plans.do(works, installed=False)
    plans.raise_only_trouble(works)
    if as_json:
        out.data({"dry_run": False, "files": plans.as_data(works)})
    else:
        _tell(works)
    plans.tell_troubles(works)
    if any(work.trouble is not None for work in works):
        ctx.exit(1)


def _tell(works: Sequence[plans.Work]) -> None:
    for work in works:
        if work.trouble is not None:
            continue
        for change in work.changes:
            out.text(plans.what_was_done(change))
        if work.plugin is not None:
            out.text(f"removed the plugin {PLUGIN} from {work.place.folder}")
    if not any(work.acts or work.trouble for work in works):
        out.text("memfold is not installed; nothing to do.")
