"""`memfold install`: hosts ring memfold from their next session on."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from memfold.cli import ask, http_door, import_claude_mem, out, plans, probe
from memfold.errors import InvalidInput
from memfold.hosts import claude_code, claude_mem, claude_plugin, codex
from memfold.hosts.found import Place, Ways
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
@click.option(
    "--required",
    is_flag=True,
    help="Codex: wait for memfold's tools. Codex then does not start where they cannot.",
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
    required: bool,
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

    def works_now(*, look_only: bool) -> list[plans.Work]:
        is_asked = claude_code.HOST in (hosts or (claude_code.HOST,))
        http = http_door.chosen(ask.home(), scope, transport, dry_run=look_only)
        ways = Ways(http if is_asked else None, required)
        wanted = plans.places(hosts, scope, config_dir, ways)
        return plans.planned_plugin(wanted) if plugin else plans.planned(wanted, installed=True)

    works = works_now(look_only=True)
    if not works:
        raise InvalidInput(
            "No coding agent was found on this machine.",
            "Name one: `memfold install claude-code` or `memfold install codex`.",
        )
    plans.raise_only_trouble(works)
    beside = claude_mem.traces([work.place.hooks_file for work in works], os.environ)
    if not as_json:
        plans.show(works, installed=True)
        if beside:
            out.text(beside.explained())
    if dry_run:
        plans.tell_dry(works, as_json)
        return
    if not plans.agreed(works, named=bool(hosts or config_dir), yes=yes, as_json=as_json):
        raise click.Abort
    if any(isinstance(work.place.target, claude_code.Target) for work in works):
        works = works_now(look_only=False)  # with the real port and secret
    plans.do(works, installed=True, transport=transport)
    plans.raise_only_trouble(works)
    done = [work for work in works if work.trouble is None]
    probes = [probe.of(plans.as_installed(work.place)) for work in done]
    if as_json:
        _tell_data(done, probes, beside)
    else:
        _tell(done, probes)
        _offer_import(ctx, beside, yes=yes)
    plans.tell_troubles(works)
    if len(done) < len(works) or not all(one.ok for one in probes):
        ctx.exit(1)


def _plugin_hosts(hosts: Sequence[str], scope: Scope) -> tuple[str, ...]:
    if scope == "project" or set(hosts) - {claude_code.HOST}:
        raise InvalidInput(
            "--plugin is for Claude Code at user scope.", "Leave out --project and other HOSTs."
        )
    return (claude_code.HOST,)


def _tell_data(
    done: Sequence[plans.Work], probes: Sequence[probe.Probe], beside: claude_mem.Traces
) -> None:
    out.data(
        {
            "dry_run": False,
            "files": plans.as_data(done),
            "probes": [one.as_data() for one in probes],
            "remarks": [remark for work in done for remark in remarks(work.place)],
            "claude_mem": beside.explained(),
        }
    )


def _tell(done: Sequence[plans.Work], probes: Sequence[probe.Probe]) -> None:
    for work in done:
        for change in work.changes:
            out.text(plans.what_was_done(change))
        if work.plugin is not None:
            out.text(f"installed the plugin {claude_plugin.PLUGIN} in {work.place.folder}")
        for remark in remarks(work.place):
            out.text(remark)
    for one in probes:
        out.text(one.says)
    if not any(work.acts for work in done):
        out.text("memfold is installed already; nothing to do.")
        return
    out.text("Sessions started from now on are remembered. `memfold import all` takes in those you")
    out.text("already had; `memfold doctor` shows whether hooks arrive.")


def _offer_import(ctx: click.Context, beside: claude_mem.Traces, *, yes: bool) -> None:
    """What claude-mem remembers can be taken over; asked for where a person can answer."""
    if beside.database is None:
        return
    if yes or not sys.stdin.isatty():
        out.text("`memfold import claude-mem` takes over what claude-mem remembers.")
    elif click.confirm("Take over what claude-mem remembers now?", default=False):
        ctx.invoke(import_claude_mem.command, db=str(beside.database), as_json=False)


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
            "(Its program did not answer here, so that could not be written.)"
        )
    if isinstance(place.target, codex.Target) and place.target.scope == "project":
        said.append("Codex reads a project's hooks once you trust the project itself.")
    return said
