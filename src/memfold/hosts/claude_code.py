"""Claude Code: which files get which entries of ours, at which scope.

Source: the real binary, version 2.1.332; docs/decisions/0010-install-claude-code.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memfold.hosts import files, json_plan, programs
from memfold.hosts.edit import Document, Entry
from memfold.hosts.files import Record
from memfold.hosts.json_plan import Kind
from memfold.hosts.plan import Plan, Scope
from memfold.hosts.programs import Runner

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
BEFORE_READ = "PreToolUse"  # of Read alone; the gate answers it
BEFORE_READ_S = 10
# Each tool call pays for these. The others, once a turn or less, ring the doorbell: it starts the
# daemon where there is none, which http cannot (and Claude Code runs no http hook at SessionStart).
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
    runner: Runner
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
        """The files of this scope; ``env`` may name a CLAUDE_CONFIG_DIR and a MEMFOLD_HOME."""
        if scope == "project":
            settings, servers = project / ".claude" / "settings.json", project / ".mcp.json"
        else:
            given, user_home = env.get("CLAUDE_CONFIG_DIR"), Path(env.get("HOME") or Path.home())
            config = Path(given) if given else user_home / ".claude"
            settings = config / "settings.json"
            servers = (config if given else user_home) / ".claude.json"
        return cls(scope, settings, servers, Runner.of(python, env), http)

    def hook_entries(self) -> tuple[Entry, ...]:
        return hook_entries(self.runner, self.http)

    def server_entries(self) -> tuple[Entry, ...]:
        return (Entry(("mcpServers",), server_of(self.runner), SERVER),)


def hook_entries(runner: Runner, http: Http | None) -> tuple[Entry, ...]:
    """All hooks of ours, for the settings and for the plugin."""
    entries = [
        Entry(("hooks", event), {"hooks": [hook_of(event, runner, http)]}) for event in EVENTS
    ]
    # A command: it gives up after 300 ms whatever the daemon does, which no http hook can.
    program, *args = runner.gate(HOST)
    before_read = {"type": "command", "command": program, "args": args, "timeout": BEFORE_READ_S}
    return (*entries, Entry(("hooks", BEFORE_READ), {"matcher": "Read", "hooks": [before_read]}))


def hook_of(event: str, runner: Runner, http: Http | None = None) -> dict[str, Any]:
    """One hook as Claude Code reads it: no shell, so that no path needs quoting."""
    if http is None or event not in OVER_HTTP:
        program, *args = runner.hook(HOST)
        return {"type": "command", "command": program, "args": args, "timeout": EVENTS[event]}
    return {
        "type": "http",
        "url": f"http://127.0.0.1:{http.port}/hook/{HOST}",
        "headers": {"Authorization": f"Bearer {http.token}"},
        "timeout": EVENTS[event],
    }


def server_of(runner: Runner) -> dict[str, Any]:
    program, *args = runner.server(HOST)
    return {"command": program, "args": args}


def is_our_hook(entry: Entry) -> bool:
    """A group of hooks that holds one hook, ours; from whichever memfold and Python."""
    hook = only_hook(entry)
    if hook.get("type") == "http":
        url = str(hook.get("url", ""))
        return url.startswith("http://127.0.0.1:") and url.endswith(f"/hook/{HOST}")
    return programs.runs(hook, programs.HOOK) or programs.runs(hook, programs.GATE)


def only_hook(entry: Entry) -> Mapping[str, Any]:
    """The hook of a group that holds one; empty for any other."""
    hooks = entry.value.get("hooks") if isinstance(entry.value, dict) else None
    if not isinstance(hooks, list) or len(hooks) != 1 or not isinstance(hooks[0], dict):
        return {}
    return hooks[0]


def is_our_server(entry: Entry) -> bool:
    return (
        entry.key == SERVER
        and isinstance(entry.value, dict)
        and programs.runs(entry.value, programs.BRIDGE)
    )


HOOKS = Kind(tuple((("hooks", event), True) for event in (*EVENTS, BEFORE_READ)), is_our_hook)
_SERVERS = Kind(((("mcpServers",), False),), is_our_server)


def install_plans(target: Target, record: Record) -> tuple[Plan, ...]:
    """What install would change; nothing is written. Raises HostFileProblem."""
    new_mode = 0o644 if target.scope == "project" else 0o600
    return (
        json_plan.install(target.settings, target.hook_entries(), (HOOKS,), record, new_mode),
        json_plan.install(target.servers, target.server_entries(), (_SERVERS,), record, new_mode),
    )


def uninstall_plans(target: Target, record: Record) -> tuple[Plan, ...]:
    """What uninstall would change; nothing is written. Raises HostFileProblem."""
    return (
        json_plan.uninstall(target.settings, (HOOKS,), record),
        json_plan.uninstall(target.servers, (_SERVERS,), record),
    )


def our_hooks(target: Target) -> list[Entry]:
    """Our hooks in the settings. Raises HostFileProblem."""
    return json_plan.ours(target.settings, (HOOKS,))


def server(target: Target) -> Mapping[str, Any]:
    """Our MCP server's entry; empty where there is none. Raises HostFileProblem."""
    found = json_plan.ours(target.servers, (_SERVERS,))
    return found[0].value if found else {}


def foreign_server(target: Target) -> bool:
    """Whether the person has set up an MCP server of our name by hand; it is left alone."""
    body = files.read(target.servers)
    if body is None:
        return False
    room = Document.read(target.servers, body).at(("mcpServers",), expect=dict)
    value = room.value.get(SERVER) if room is not None else None
    return value is not None and not is_our_server(Entry(("mcpServers",), value, SERVER))
