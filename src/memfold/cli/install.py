"""`memfold install`: hosts ring memfold from their next session on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from memfold.cli import ask, http_door, out, plans, probe
from memfold.errors import InvalidInput
from memfold.hosts import claude_code, claude_plugin, codex
from memfold.hosts.found import Place
from memfold.hosts.plan import Scope


@click.command(short_help="Write hooks and MCP server into hosts' settings.")
@plans.host_options
@click.option(
    "--transport",
    type=click.Choice(["auto", "command", "http"]),
    default="auto",
    show_default=True,
    help="Claude Code's tool calls. http: no process for each; user scope only. auto: http where "
    "nobody else has an account on this machine.",
)
@click.option(
    "--plugin",
    is_flag=True,
    help="Claude Code: as a plugin, with a skill and commands, installed by Claude Code itself.",
)
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
    transport: str,
    plugin: bool,
    as_json: bool,
) -> None:
    """Write memfold's hooks and MCP server into the settings of coding agents.

    HOST is claude-code or codex; without it, every one found on this machine. The plan is shown
    first. Everything else in the files stays as it is; a copy is kept. Doing it twice changes
    nothing. At the end a probe goes through hook, daemon and store and back.

    \b
    Examples:
      memfold install
      memfold install codex --dry-run
      memfold install claude-code --plugin
      memfold install claude-code --project
      memfold install --yes --json
    """
    if transport == "http" and scope == "project":
        raise InvalidInput(
            "http hooks carry a secret, and project settings may be committed.",
            "Use --user, or leave --transport out.",
        )
    if plugin:
        hosts = _plugin_hosts(hosts, scope)
    wanted = plans.places(
        hosts, scope, config_dir, http_door.chosen(ask.home(), scope, transport, dry_run=True)
    )
    if not wanted:
        raise InvalidInput(
            "No coding agent was found on this machine.",
            "Name one: `memfold install claude-code` or `memfold install codex`.",
        )
    works = _works(wanted, plugin=plugin)
    if len(works) == 1 and works[0].trouble is not None:
        raise works[0].trouble
    if not as_json:
        plans.show(works, installed=True)
    if dry_run:
        _tell_dry(works, as_json)
        return
    if not plans.agreed(works, named=bool(hosts or config_dir), yes=yes, as_json=as_json):
        raise click.Abort
    http = http_door.chosen(ask.home(), scope, transport) if _needs_http(wanted) else None
    if http is not None:
        works = _works(plans.places(hosts, scope, config_dir, http), plugin=plugin)
    plans.do(works, installed=True, transport=transport)
    if len(works) == 1 and works[0].trouble is not None:
        raise works[0].trouble
    _tell(ctx, works, as_json)


def _plugin_hosts(hosts: Sequence[str], scope: Scope) -> tuple[str, ...]:
    if scope == "project" or set(hosts) - {claude_code.HOST}:
        raise InvalidInput(
            "--plugin is for Claude Code at user scope.", "Leave out --project and other HOSTs."
        )
    return (claude_code.HOST,)


def _works(wanted: list[Place], *, plugin: bool) -> list[plans.Work]:
    return plans.planned_plugin(wanted) if plugin else plans.planned(wanted, installed=True)


def _needs_http(wanted: list[Place]) -> bool:
    return any(isinstance(place.target, claude_code.Target) for place in wanted)


def _tell_dry(works: list[plans.Work], as_json: bool) -> None:
    if as_json:
        out.data({"dry_run": True, "files": plans.as_data(works)})
        return
    for work in works:
        for change in work.changes:
            out.text("")
            out.text(plans.diff(change))


def _tell(ctx: click.Context, works: list[plans.Work], as_json: bool) -> None:
    done = [work for work in works if work.trouble is None]
    probes = [probe.of(plans.as_installed(work.place)) for work in done]
    if as_json:
        files = plans.as_data(done)
        out.data({"dry_run": False, "files": files, "probes": [one.as_data() for one in probes]})
    else:
        for work in done:
            for change in work.changes:
                out.text(f"wrote {change.path}")
            if work.plugin is not None:
                out.text(f"installed the plugin {claude_plugin.PLUGIN} in {work.place.folder}")
            for remark in remarks(work.place):
                out.text(remark)
        for one in probes:
            out.text(one.says)
        if not any(work.acts for work in done):
            out.text("memfold is installed already; nothing to do.")
        else:
            out.text("Sessions started from now on are remembered. `memfold import` takes in those")
            out.text("you already had; `memfold doctor` shows whether hooks arrive.")
    for work in works:
        if work.trouble is not None:
            out.failure(work.trouble, as_json=False)
    if len(done) < len(works) or not all(one.ok for one in probes):
        ctx.exit(1)


def remarks(place: Place) -> list[str]:
    """What a person has to know or do about this place."""
    said = []
    if place.foreign_server():
        said.append(
            f"{place.servers_file} has an MCP server `memfold` of your own; it was left alone."
        )
    if place.untrusted():
        said.append(
            "Codex asks at its next start whether you trust memfold's hooks: choose to trust them. "
            "(Its binary was not found here, so that could not be written.)"
        )
    if isinstance(place.target, codex.Target) and place.target.scope == "project":
        said.append("Codex reads a project's hooks once you trust the project itself.")
    return said
