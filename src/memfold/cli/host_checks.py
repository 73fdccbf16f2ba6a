"""What `memfold doctor` looks at in a host: its files, what they name, and whether it rings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memfold.cli import probe
from memfold.cli.checks import Finding
from memfold.cli.status import ago
from memfold.errors import MemfoldError
from memfold.hosts import claude_code, programs, quick
from memfold.hosts.found import Place


def is_installed(place: Place) -> bool:
    """Whether hooks of ours stand there; a file that cannot be read is looked at as if."""
    try:
        return bool(place.hooks())
    except MemfoldError:
        return True


def not_installed(place: Place, *, is_wrong: bool) -> Finding:
    """A host that does not ring; wrong where none does."""
    said = f"Not installed in {place.folder}."
    remedy = f"Run `memfold install {place.kind.host}`."
    return Finding(f"{place.kind.title} hooks", not is_wrong, said, remedy)


def no_host() -> Finding:
    said = "No coding agent was found on this machine."
    return Finding("hosts", False, said, "Name one: `memfold install claude-code` or `codex`.")


def of_host(place: Place, last_event: Mapping[str, int]) -> Iterator[Finding]:
    """Hooks and server: in the files, naming programs that are there, and really ringing."""
    title, host = place.kind.title, place.kind.host
    again = f"Run `memfold install {host}` again."
    try:
        hooks, server = place.hooks(), place.server()
        untrusted = place.untrusted()
    except MemfoldError as error:
        yield Finding(f"{title} settings", False, error.message, error.next_step)
        return
    events = {entry.place[-1] for entry in hooks}
    lacking = [event for event in place.events if event not in events]
    yield Finding(
        f"{title} hooks",
        not lacking,
        f"{len(events)} events in {place.hooks_file}."
        + (f" {', '.join(lacking)} lacking." if lacking else ""),
        again if lacking else "",
    )
    commands = [claude_code.only_hook(entry) for entry in hooks]
    named = {path for one in [*commands, server] if one for path in programs.files_of(one)}
    gone = sorted(path for path in named if not Path(path).exists())
    yield Finding(
        f"{title} hook program", not gone, f"{gone[0]} is gone." if gone else "There.",
        again if gone else "",
    )  # fmt: skip
    if not gone and hooks:
        yield _quick(title, all(programs.is_quick(one) for one in _started(commands)), again)
    if untrusted:
        yield Finding(
            f"{title} trust",
            False,
            f"{title} does not run {len(untrusted)} of memfold's hooks: nobody reviewed them.",
            f"Start {title} and trust them when it asks, or run `memfold install {host}`.",
        )
    if not server and not place.foreign_server():
        yield Finding(f"{title} MCP server", False, f"Not in {place.servers_file}.", again)
    if not gone:
        tried = probe.of(place)
        yield Finding(f"{title} probe", tried.ok, tried.says, "" if tried.ok else again)
    yield _last_event(place, last_event.get(host))


def _started(hooks: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The hooks that start a process."""
    return [hook for hook in hooks if "url" not in hook]


def _quick(title: str, is_quick: bool, again: str) -> Finding:
    """Which way hooks ring, and whether it is the one this machine is good for."""
    name, rings = f"{title} quick hook", bool(quick.perl())
    if is_quick and not rings:
        return Finding(name, False, f"{quick.PERL} does not ring any more.", again)
    if is_quick:
        return Finding(name, True, f"Hooks ring by {quick.PERL}; Python starts in doubt alone.")
    if rings:
        said = f"Hooks start Python each time; {quick.PERL} would take half as long."
        return Finding(name, True, said, again)
    return Finding(name, True, f"Hooks start Python: there is no {quick.PERL} that rings.")


def _last_event(place: Place, last_event_ms: int | None) -> Finding:
    if last_event_ms is None:
        remedy = "Start a new session; hooks are read at its start."
        return Finding(f"{place.kind.title} events", True, "None yet.", remedy)
    return Finding(f"{place.kind.title} events", True, f"The last came {ago(last_event_ms)}.")
