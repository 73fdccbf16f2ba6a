"""`memfold doctor`: what is wrong, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from memfold.cli import ask, checks, host_checks, mending, out, plans, system_checks
from memfold.cli.checks import Finding
from memfold.errors import MemfoldError
from memfold.hosts.found import HOSTS
from memfold.settings import Settings, load


@click.command(short_help="What is wrong, and what to do about it.")
@click.option("--verify", is_flag=True, help="Replay the log of work state and compare.")
@click.option("--fix", is_flag=True, help="Mend what can be mended without you.")
@out.json_option
@click.pass_context
def command(ctx: click.Context, verify: bool, fix: bool, as_json: bool) -> None:
    """Look at everything memfold needs, and say what to do where something is wrong.

    Exits with 1 when something is. --verify takes longer the more was written to work state. --fix
    makes work state again from its log, keeps what can be read of a damaged database (the damaged
    file goes to the backups folder), takes waiting events in, and closes files to others.

    \b
    Examples:
      memfold doctor
      memfold doctor --verify
      memfold doctor --fix
      memfold doctor --json
    """
    found = findings(verify=verify or fix, fix=fix)
    if as_json:
        out.data({"ok": all(f.ok for f in found), "findings": [asdict(f) for f in found]})
    else:
        for finding in found:
            out.text(f"{'ok   ' if finding.ok else 'WRONG'} {finding.name}: {finding.says}")
            if finding.remedy:
                out.text(f"      {finding.remedy}")
    if not all(finding.ok for finding in found):
        ctx.exit(1)


def findings(*, verify: bool, fix: bool, hosts: bool = True) -> list[Finding]:
    """Everything that was looked at; ``hosts``: also what is in their settings files."""
    last_event: dict[str, int] = {}
    home = ask.home()
    fixed = list(mending.of_files(home)) if fix else []
    found = [system_checks.of_versions()]
    settings, trouble = _settings(home)
    found.append(system_checks.of_settings(trouble))
    try:
        status = ask.get("/status", check="1")
        if fix and status.get("database", {}).get("code") == system_checks.DAMAGED:
            fixed += mending.of_database(home)
            status = ask.get("/status", check="1")
        last_event = status.get("last_event", {})
        found.append(system_checks.of_database(status, home / "backups"))
        found += checks.of_daemon(status, home / "memfold.sock")
        found += [one for one in (system_checks.of_queue(status),) if one is not None]
        found += system_checks.of_port(home, settings, status)
        found += system_checks.of_observer(settings, status)
    except MemfoldError as error:
        found.append(Finding("daemon", False, error.message, error.next_step))
    own = (system_checks.of_clock(), system_checks.of_set_aside(home / "spool"))
    found += [one for one in own if one is not None]
    found = [*fixed, *found]
    if verify:
        found += _work_state(fix=fix)
    found = [*checks.of_home(home), *found]
    return found + _hosts(last_event) if hosts else found


def _hosts(last_event: dict[str, int]) -> list[Finding]:
    """Each host of this machine, and of this project where memfold is installed in it."""
    users = [plans.as_installed(place) for place in plans.places((), "user", ())]
    projects = [plans.place_at(host, "project") for host in HOSTS]
    rings = [place for place in [*users, *projects] if host_checks.is_installed(place)]
    found: list[Finding] = []
    for place in users:
        if place in rings:
            found += host_checks.of_host(place, last_event)
        else:
            found.append(host_checks.not_installed(place, is_wrong=not rings))
    for place in projects:
        if place in rings:
            found += host_checks.of_host(place, last_event)
    return found or [host_checks.no_host()]


def _settings(home: Path) -> tuple[Settings, MemfoldError | None]:
    try:
        return load(home), None
    except MemfoldError as error:
        return Settings(), error


def _work_state(*, fix: bool) -> list[Finding]:
    try:
        return list(checks.of_work_state(ask.post("/verify", {"fix": fix})["projects"]))
    except MemfoldError as error:
        return [Finding("work state", False, error.message, error.next_step)]
