"""`memfold doctor`: what is wrong, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict

import click

from memfold.cli import ask, checks, host_checks, out, plans
from memfold.cli.checks import Finding
from memfold.errors import MemfoldError
from memfold.hosts.found import HOSTS


@click.command(short_help="What is wrong, and what to do about it.")
@click.option("--verify", is_flag=True, help="Replay the log of work state and compare.")
@click.option("--fix", is_flag=True, help="The same, and make again what differs from its log.")
@out.json_option
@click.pass_context
def command(ctx: click.Context, verify: bool, fix: bool, as_json: bool) -> None:
    """Look at everything memfold needs, and say what to do where something is wrong.

    Exits with 1 when something is. --verify takes longer the more was written to work state.

    \b
    Examples:
      memfold doctor
      memfold doctor --verify
      memfold doctor --json
    """
    findings = _findings(verify=verify or fix, fix=fix)
    if as_json:
        out.data({"ok": all(f.ok for f in findings), "findings": [asdict(f) for f in findings]})
    else:
        for finding in findings:
            out.text(f"{'ok   ' if finding.ok else 'WRONG'} {finding.name}: {finding.says}")
            if finding.remedy:
                out.text(f"      {finding.remedy}")
    if not all(finding.ok for finding in findings):
        ctx.exit(1)


def _findings(*, verify: bool, fix: bool) -> list[Finding]:
    last_event: dict[str, int] = {}
    found: list[Finding] = []
    try:
        status = ask.get("/status", check="1")
        last_event = status.get("last_event", {})
        found = list(checks.of_daemon(status, ask.home() / "memfold.sock"))
    except MemfoldError as error:
        found = [Finding("daemon", False, error.message, error.next_step)]
    if verify:
        found += _work_state(fix=fix)
    found = [*checks.of_home(ask.home()), *found]
    return found + _hosts(last_event)


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


def _work_state(*, fix: bool) -> list[Finding]:
    try:
        return list(checks.of_work_state(ask.post("/verify", {"fix": fix})["projects"]))
    except MemfoldError as error:
        return [Finding("work state", False, error.message, error.next_step)]
