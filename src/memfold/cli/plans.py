"""What install and uninstall are about to do: which hosts, which files, shown before it is done."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from memfold.cli import ask, out
from memfold.errors import HostFileProblem
from memfold.hosts import claude_code, claude_plugin, found
from memfold.hosts.claude_plugin import Plugin
from memfold.hosts.files import Change, Record
from memfold.hosts.found import USUAL, Place, Ways
from memfold.hosts.plan import Plan, Scope, carry_out
from memfold.hosts.programs import Runner

_TOKEN = re.compile(r'("Authorization": "Bearer )[^"]+')


@dataclass(slots=True)
class Work:
    """One place and what is to be done there; ``trouble`` where it cannot be."""

    place: Place
    plans: tuple[Plan, ...] = ()
    plugin: Plugin | None = None  # installed or removed by the host itself
    trouble: HostFileProblem | None = None

    @property
    def acts(self) -> bool:
        """Whether anything is to be done."""
        return bool(self.changes) or self.plugin is not None

    @property
    def changes(self) -> list[Change]:
        return [plan.change for plan in self.plans if plan.change.changes]


def host_options(command: Callable[..., object]) -> Callable[..., object]:
    """HOSTs, the scope, and the two ways of not being asked."""
    for option in (
        click.option("--yes", is_flag=True, help="Do not ask."),
        click.option("--dry-run", is_flag=True, help="Show the change; write nothing."),
        click.option(
            "--config-dir",
            multiple=True,
            type=click.Path(file_okay=False, path_type=Path),
            help="Another account's directory, as CLAUDE_CONFIG_DIR or CODEX_HOME name it.",
        ),
        click.option("--project", "scope", flag_value="project", help="This directory only."),
        click.option("--user", "scope", flag_value="user", default="user", help="All projects."),
        click.argument("hosts", nargs=-1, type=click.Choice(found.HOSTS), metavar="[HOST]..."),
    ):
        command = option(command)
    return command


def places(
    hosts: Sequence[str], scope: Scope, config_dirs: Sequence[Path], ways: Ways = USUAL
) -> list[Place]:
    """Where to install: the hosts named, or every one that is on this machine."""
    wanted: list[tuple[str, Path | None]]
    if config_dirs:
        wanted = [(_host_of(folder, hosts), folder.absolute()) for folder in config_dirs]
    elif hosts:
        wanted = [(host, None) for host in dict.fromkeys(hosts)]
    else:
        wanted = [(kind.host, folder) for kind, folder in found.on_this_machine(os.environ)]
    if scope == "project":  # a project has one file of each host, whoever opens it
        wanted = [(host, None) for host in dict.fromkeys(host for host, _ in wanted)]
    return [place_at(host, scope, folder, ways) for host, folder in wanted]


def places_written(hosts: Sequence[str], scope: Scope, config_dirs: Sequence[Path]) -> list[Place]:
    """Where to take memfold out: as above, and without a HOST every directory that was named."""
    wanted = places(hosts, scope, config_dirs)
    if hosts or config_dirs or scope == "project":
        return wanted
    known = {place.hooks_file for place in wanted}
    for kind in found.KINDS:
        for name in Record.load(ask.home(), kind.host).files:
            folder = Path(name).parent
            is_projects = folder.name == kind.folder
            if folder.is_dir() and not is_projects:
                place = place_at(kind.host, "user", folder)
                if str(place.hooks_file) == name and place.hooks_file not in known:
                    wanted.append(place)
    return wanted


def place_at(host: str, scope: Scope, folder: Path | None = None, ways: Ways = USUAL) -> Place:
    """This person's configuration of that host, run by the Python that runs this."""
    return found.place(
        host,
        scope,
        project=Path.cwd(),
        env=os.environ,
        python=sys.executable,
        folder=folder,
        ways=ways,
    )


def _host_of(folder: Path, hosts: Sequence[str]) -> str:
    if len(hosts) == 1:
        return hosts[0]
    for kind in found.KINDS:
        if found.looks_like(kind, folder) and (not hosts or kind.host in hosts):
            return kind.host
    raise click.UsageError(f"{folder} is no host's directory yet; name the HOST it belongs to.")


def planned(wanted: Sequence[Place], *, installed: bool) -> list[Work]:
    """What would change; nothing is written. A file that cannot be read is that place's trouble."""
    works = []
    for place in wanted:
        record = Record.load(ask.home(), place.kind.host)
        try:
            plugin = _plugin(place)
            if not installed:
                works.append(Work(place, place.uninstall_plans(record), plugin))
            elif plugin is not None:
                works.append(Work(place))  # the plugin brings hooks and server
            else:
                works.append(Work(place, place.install_plans(record)))
        except HostFileProblem as trouble:
            works.append(Work(place, trouble=trouble))
    return works


def planned_plugin(wanted: Sequence[Place]) -> list[Work]:
    """The plugin in place of what stands in the settings. Raises HostFileProblem."""
    works = []
    for place in wanted:
        if _plugin(place) is not None:
            works.append(Work(place))
            continue
        binary = claude_plugin.program(os.environ)
        if binary is None:
            raise HostFileProblem(
                "Claude Code's own command `claude` was not found; it is what installs a plugin.",
                "Put it on the PATH, or install without --plugin.",
            )
        record = Record.load(ask.home(), place.kind.host)
        works.append(Work(place, place.uninstall_plans(record), _as_plugin(place, binary)))
    return works


def _plugin(place: Place) -> Plugin | None:
    """Our plugin where it is installed at this place. Raises HostFileProblem."""
    is_users = isinstance(place.target, claude_code.Target) and place.target.scope == "user"
    if not is_users or claude_plugin.installed(place.folder) is None:
        return None
    return _as_plugin(place, claude_plugin.program(os.environ) or "claude")


def _as_plugin(place: Place, binary: str) -> Plugin:
    env = dict(os.environ)
    if place.servers_file.parent == place.folder:  # a directory that the variable names
        env[place.kind.variable] = str(place.folder)
    return Plugin(binary, place.folder, ask.home(), env)


def as_installed(place: Place) -> Place:
    """The place with the files hooks are really read from: the plugin's where there is one."""
    if not isinstance(place.target, claude_code.Target) or place.target.scope != "user":
        return place
    folder = claude_plugin.installed(place.folder)
    if folder is None:
        return place
    target = replace(
        place.target, settings=folder / "hooks" / "hooks.json", servers=folder / ".mcp.json"
    )
    return replace(place, target=target)


def show(works: Sequence[Work], *, installed: bool) -> None:
    """The plan: each file and what is done to it."""
    for work in works:
        out.text(f"{work.place.kind.title}, {work.place.folder}")
        if work.trouble is not None:
            out.text(f"  cannot be changed: {work.trouble}")
        elif not work.acts:
            out.text("  nothing to do")
        for plan in work.plans:
            if plan.change.changes:
                what = _what(plan, installed and work.plugin is None)
                out.text(f"  {_verb(plan.change)} {plan.change.path}{what}")
        if work.plugin is not None:
            verb = "install" if installed else "remove"
            out.text(f"  {verb} the plugin {claude_plugin.PLUGIN}, by `claude plugin`")


def _verb(change: Change) -> str:
    if change.before is None:
        return "make"
    return "remove" if change.after is None else "change"


def _what(plan: Plan, installed: bool) -> str:
    if installed:
        return f": {plan.what}" if plan.what else ""
    return "" if plan.change.after is None else ": without memfold"


def agreed(works: Sequence[Work], *, named: bool, yes: bool, as_json: bool) -> bool:
    """Whether to go on. Without a terminal, a HOST that was named is answer enough."""
    if yes or not any(work.acts for work in works):
        return True
    if as_json or not sys.stdin.isatty():
        if named:
            return True
        raise click.UsageError("Name a HOST, or give --yes for all; --dry-run shows the change.")
    return click.confirm("Write this?", default=True)


def do(works: Sequence[Work], *, installed: bool, transport: str = "auto") -> None:
    """Write every plan; a place that fails keeps its trouble, the others are done."""
    for work in works:
        if work.trouble is not None:
            continue
        record = Record.load(ask.home(), work.place.kind.host)
        try:
            carry_out(work.plans, record, installed=installed and work.plugin is None)
            if work.plugin is None:
                continue
            if installed:
                runner = Runner.of(sys.executable, os.environ)
                work.plugin.install(runner, transport, record)
            else:
                work.plugin.uninstall(record)
        except HostFileProblem as trouble:
            work.trouble = trouble


def raise_only_trouble(works: Sequence[Work]) -> None:
    """Where one place was asked for, its trouble is the command's. Raises HostFileProblem."""
    if len(works) == 1 and works[0].trouble is not None:
        raise works[0].trouble


def tell_troubles(works: Sequence[Work]) -> None:
    for work in works:
        if work.trouble is not None:
            out.failure(work.trouble, as_json=False)


def tell_dry(works: Sequence[Work], as_json: bool) -> None:
    """The changes themselves, none of them made."""
    if as_json:
        out.data({"dry_run": True, "files": as_data(works)})
        return
    for work in works:
        for change in work.changes:
            out.text("")
            out.text(diff(change))


def what_was_done(change: Change) -> str:
    return f"{'removed' if change.after is None else 'wrote'} {change.path}"


def diff(change: Change) -> str:
    """The change as a patch; the secret of http hooks is not shown."""

    def lines(body: bytes | None) -> list[str]:
        text = (body or b"").decode("utf-8", "replace")
        return _TOKEN.sub(r"\1<secret>", text).splitlines()

    name = str(change.path)
    return "\n".join(
        difflib.unified_diff(lines(change.before), lines(change.after), name, name, lineterm="")
    )


def as_data(works: Sequence[Work]) -> list[dict[str, object]]:
    return [
        {
            "host": work.place.kind.host,
            "path": str(change.path),
            "created": change.before is None,
            "diff": diff(change),
        }
        for work in works
        for change in work.changes
    ]
