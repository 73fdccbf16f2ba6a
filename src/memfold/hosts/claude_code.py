"""Claude Code: which files get which entries of ours, at which scope.

Source: the real binary, version 2.1.332; docs/decisions/0010-install-claude-code.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import memfold
from memfold.hosts import files
from memfold.hosts.edit import Document, Entry, Place, holds, put_in, take_out
from memfold.hosts.files import Change, Record, Written

Scope = Literal["user", "project"]
HOST = "claude-code"
SERVER = "memfold"  # the name of our MCP server in the host's settings

# Event -> seconds the host waits for it. Our own hook gives up far earlier; the host's limit only
# has to be beyond it. SessionEnd would get 1.5 s without one.
EVENTS: Mapping[str, int] = {
    "SessionStart": 15,
    "UserPromptSubmit": 10,
    "PostToolUse": 10,
    "PostToolUseFailure": 10,
    "Stop": 10,
    "SubagentStop": 10,
    "PreCompact": 10,
    "PostCompact": 10,
    "SessionEnd": 10,
}
# Each tool call pays for these. The others, once a turn or less, ring the doorbell: it starts the
# daemon where there is none, which http cannot (and Claude Code runs no http hook at SessionStart).
BEFORE_READ = "PreToolUse"  # of Read alone; the gate answers it
BEFORE_READ_S = 10
OVER_HTTP = {"PostToolUse", "PostToolUseFailure", "SubagentStop"}


@dataclass(frozen=True, slots=True)
class Http:
    """Where http hooks go. The token stands in the user's own settings only."""

    port: int
    token: str


@dataclass(frozen=True, slots=True)
class Target:
    """Whose Claude Code is changed, and what it is to run."""

    scope: Scope
    settings: Path
    servers: Path
    python: str
    http: Http | None = None

    @classmethod
    def at(
        cls,
        scope: Scope,
        *,
        project: Path,
        env: Mapping[str, str],
        python: str,
        http: Http | None = None,
    ) -> Target:
        if scope == "project":
            settings, servers = project / ".claude" / "settings.json", project / ".mcp.json"
        else:
            given, user_home = env.get("CLAUDE_CONFIG_DIR"), Path(env.get("HOME") or Path.home())
            config = Path(given) if given else user_home / ".claude"
            settings = config / "settings.json"
            servers = (config if given else user_home) / ".claude.json"
        return cls(scope, settings, servers, python, http)

    def hook_entries(self) -> tuple[Entry, ...]:
        entries = [
            Entry(("hooks", event), {"hooks": [self._hook(event, seconds)]})
            for event, seconds in EVENTS.items()
        ]
        # A command: it gives up after 300 ms whatever the daemon does, which no http hook can.
        before_read = self._command(gatebell(), BEFORE_READ_S)
        value = {"matcher": "Read", "hooks": [before_read]}
        return (*entries, Entry(("hooks", BEFORE_READ), value))

    def server_entries(self) -> tuple[Entry, ...]:
        value = {"command": self.python, "args": ["-I", "-S", str(bridge()), HOST]}
        return (Entry(("mcpServers",), value, SERVER),)

    def _hook(self, event: str, seconds: int) -> dict[str, Any]:
        if self.http is None or event not in OVER_HTTP:
            return self._command(doorbell(), seconds)
        return {
            "type": "http",
            "url": f"http://127.0.0.1:{self.http.port}/hook/{HOST}",
            "headers": {"Authorization": f"Bearer {self.http.token}"},
            "timeout": seconds,
        }

    def _command(self, program: Path, seconds: int) -> dict[str, Any]:
        return {
            "type": "command",
            "command": self.python,
            "args": ["-I", "-S", str(program), HOST],
            "timeout": seconds,
        }


def doorbell() -> Path:
    """The hook program."""
    return Path(memfold.__file__).parent / "hook" / "hook.py"


def gatebell() -> Path:
    """The program that asks before a read."""
    return doorbell().with_name("gate.py")


def bridge() -> Path:
    """The stdio end of the MCP server."""
    return Path(memfold.__file__).parent / "serve" / "bridge.py"


def is_our_hook(entry: Entry) -> bool:
    """A group of hooks that holds one hook, ours; from whichever memfold and Python."""
    hooks = entry.value.get("hooks") if isinstance(entry.value, dict) else None
    if not isinstance(hooks, list) or len(hooks) != 1 or not isinstance(hooks[0], dict):
        return False
    hook = hooks[0]
    if hook.get("type") == "http":
        url = str(hook.get("url", ""))
        return url.startswith("http://127.0.0.1:") and url.endswith(f"/hook/{HOST}")
    return _runs(hook, "memfold/hook/hook.py") or _runs(hook, "memfold/hook/gate.py")


def is_our_server(entry: Entry) -> bool:
    return (
        entry.key == SERVER
        and isinstance(entry.value, dict)
        and _runs(entry.value, "memfold/serve/bridge.py")
    )


def _runs(command: Mapping[str, Any], program: str) -> bool:
    args = command.get("args")
    return isinstance(args, list) and any(str(arg).endswith(program) for arg in args)


def programs(entry: Entry) -> tuple[str, ...]:
    """The files one of our command hooks needs: its interpreter and the doorbell."""
    hook = entry.value["hooks"][0]
    if hook.get("type") == "http":
        return ()
    args = hook.get("args") or []
    return (str(hook["command"]), *(str(arg) for arg in args if str(arg).endswith(".py")))


_HOOK_PLACES: tuple[tuple[Place, bool], ...] = tuple(
    (("hooks", event), True) for event in (*EVENTS, BEFORE_READ)
)
_SERVER_PLACES: tuple[tuple[Place, bool], ...] = ((("mcpServers",), False),)


@dataclass(frozen=True, slots=True)
class Plan:
    """One file's change, and what the record keeps of it."""

    change: Change
    base: bytes | None = None  # what the file is without us
    made: tuple[Place, ...] = ()


def install_plans(target: Target, record: Record) -> tuple[Plan, ...]:
    """What install would change; nothing is written. Raises HostFileProblem."""
    new_mode = 0o644 if target.scope == "project" else 0o600
    return (
        _install(target.settings, target.hook_entries(), record, new_mode),
        _install(target.servers, target.server_entries(), record, new_mode),
    )


def uninstall_plans(target: Target, record: Record) -> tuple[Plan, ...]:
    """What uninstall would change; nothing is written. Raises HostFileProblem."""
    plans = []
    for path in (target.settings, target.servers):
        now = files.read(path)
        plans.append(Plan(Change(path, now, _without_us(path, now, record))))
    return tuple(plans)


def carry_out(plans: tuple[Plan, ...], record: Record, *, installed: bool) -> None:
    """Write the changes and the record, so that a stop half-way can still be undone."""
    for plan in plans:
        path, name = plan.change.path, str(plan.change.path)
        if not installed:
            files.apply(plan.change)
            if gone := record.files.pop(name, None):
                files.remove_folders(gone.folders)
            record.save()
        elif plan.change.changes and plan.change.after is not None:
            earlier = record.files.get(name)
            backup = record.keep(path, plan.base)
            written = Written(files.digest(plan.change.after), backup, plan.made)
            record.files[name] = written
            record.save()  # first: then an interrupted write is known about
            folders = files.apply(plan.change) or (earlier.folders if earlier else ())
            record.files[name] = Written(written.after_sha256, backup, plan.made, folders)
            record.save()


def foreign_server(target: Target) -> bool:
    """Whether the person has set up an MCP server of our name by hand; it is left alone."""
    body = files.read(target.servers)
    if body is None:
        return False
    room = Document.read(target.servers, body).at(("mcpServers",), expect=dict)
    value = room.value.get(SERVER) if room is not None else None
    return value is not None and not is_our_server(Entry(("mcpServers",), value, SERVER))


def _install(path: Path, entries: tuple[Entry, ...], record: Record, new_mode: int) -> Plan:
    is_hooks = entries[0].key is None
    is_ours = is_our_hook if is_hooks else is_our_server
    now = files.read(path)
    if now is not None:
        document = Document.read(path, now)
        room = document.at(entries[0].place, expect=dict) if not is_hooks else None
        theirs = room is not None and SERVER in room.value
        if holds(document, entries, is_ours):
            return Plan(Change(path, now, now))
        if theirs and room is not None:
            entry = Entry(entries[0].place, room.value[SERVER], SERVER)
            if not is_our_server(entry):
                return Plan(Change(path, now, now))
    base = _without_us(path, now, record)
    document, made = put_in(Document.read(path, base or b""), entries)
    return Plan(Change(path, now, document.body(), new_mode), base, made)


def _without_us(path: Path, now: bytes | None, record: Record) -> bytes | None:
    """What the file is without us: its old bytes if only we changed it, else ours cut out."""
    written = record.files.get(str(path))
    if now is None or not now.strip():
        return now
    if written is not None and files.digest(now) == written.after_sha256:
        return record.backup(written)
    document = Document.read(path, now)
    made = written.made if written is not None else ()
    for places, is_ours in ((_HOOK_PLACES, is_our_hook), (_SERVER_PLACES, is_our_server)):
        document = take_out(document, places, is_ours, made)
    we_made_it = written is not None and not written.backup
    return None if we_made_it and not document.root().value else document.body()
