"""Codex: which files get which entries of ours, at which scope.

Hooks stand in `hooks.json` (commands only: Codex drops the whole file for one type it does not
know), the MCP server and the trust in our hooks in `config.toml`. AGENTS.md is not touched.
Source: the real binary, version 0.171.0; docs/decisions/0024-install-codex.md.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memfold.hosts import edit, files, json_plan, programs
from memfold.hosts.edit import Entry, Place
from memfold.hosts.files import Change, Record, Written
from memfold.hosts.json_plan import Kind
from memfold.hosts.plan import Plan, Scope
from memfold.hosts.programs import Runner
from memfold.hosts.toml_text import Document, Table

HOST = "codex"
SERVER = "memfold"
SERVER_PLACE: Place = ("mcp_servers", SERVER)
STATE: Place = ("hooks", "state")

# Event -> seconds the host waits for it. Codex cuts SessionEnd at 3 s.
EVENTS: Mapping[str, int] = {
    "SessionStart": 15,
    "UserPromptSubmit": 10,
    "PostToolUse": 10,
    "Stop": 10,
    "SubagentStop": 10,
    "PreCompact": 10,
    "PostCompact": 10,
    "SessionEnd": 3,
}
# (hooks.json as it will be) -> {"SessionStart": "sha256:..."}; {} where Codex cannot be asked
Hashes = Callable[[bytes], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Target:
    """Whose Codex is changed, and what it is to run."""

    scope: Scope
    hooks: Path  # hooks.json
    servers: Path  # config.toml with the MCP server
    trust: Path  # the user's own config.toml: where Codex keeps which hooks were reviewed
    runner: Runner
    hashes: Hashes = field(default=lambda _body: {})
    required: bool = False  # Codex waits for the server, and does not start without it

    @classmethod
    def at(
        cls,
        scope: Scope,
        *,
        project: Path,
        env: Mapping[str, str],
        python: str,
        hashes: Hashes = lambda _body: {},
        required: bool = False,
    ) -> Target:
        """The files of this scope; ``env`` may name a CODEX_HOME and a MEMFOLD_HOME."""
        given = env.get("CODEX_HOME")
        # Codex follows links in the one, not in the other; trust goes by the name it comes to.
        home = (
            Path(os.path.realpath(given))
            if given
            else Path(env.get("HOME") or Path.home()) / ".codex"
        )
        room = home if scope == "user" else project / ".codex"
        runner = Runner.of(python, env)
        own = home / "config.toml"
        return cls(scope, room / "hooks.json", room / "config.toml", own, runner, hashes, required)

    def hook_entries(self) -> tuple[Entry, ...]:
        """The same command for every event and version: a changed one loses its trust."""
        command = programs.in_shell(self.runner.hook(HOST))
        return tuple(
            Entry(
                ("hooks", event),
                {"hooks": [{"type": "command", "command": command, "timeout": seconds}]},
            )
            for event, seconds in EVENTS.items()
        )

    def server(self) -> dict[str, Any]:
        program, *args = self.runner.server(HOST)
        return {
            "command": program,
            "args": args,
            **({"required": True} if self.required else {}),
            "startup_timeout_sec": 20,
            "default_tools_approval_mode": "approve",
        }


def is_our_hook(entry: Entry) -> bool:
    """A group of hooks that holds one hook, ours; from whichever memfold and Python."""
    hooks = entry.value.get("hooks") if isinstance(entry.value, dict) else None
    if not isinstance(hooks, list) or len(hooks) != 1 or not isinstance(hooks[0], dict):
        return False
    return programs.runs(hooks[0], programs.HOOK)


HOOKS = Kind(tuple((("hooks", event), True) for event in EVENTS), is_our_hook)


def install_plans(target: Target, record: Record) -> tuple[Plan, ...]:
    """What install would change; nothing is written. Raises HostFileProblem."""
    new_mode = 0o644 if target.scope == "project" else 0o600
    hooks = json_plan.install(target.hooks, target.hook_entries(), (HOOKS,), record, new_mode)
    after = hooks.change.after or b""
    trust = _trusted(target, after)
    before = files.read(target.hooks) or b""
    stale = _is_trust({*_positions(target, before), *_positions(target, after)})
    if target.trust == target.servers:
        tables = {**_server_tables(target), **trust}
        both = _any(_is_server(target), stale)
        return (hooks, _toml_plan(target.servers, tables, both, record, new_mode))
    return (
        hooks,
        _toml_plan(target.servers, _server_tables(target), _is_server(target), record, new_mode),
        _toml_plan(target.trust, trust, stale, record, 0o600),
    )


def uninstall_plans(target: Target, record: Record) -> tuple[Plan, ...]:
    """What uninstall would change; nothing is written. Raises HostFileProblem."""
    now = files.read(target.hooks) or b""
    hooks = json_plan.uninstall(target.hooks, (HOOKS,), record)
    stale = _is_trust(set(_positions(target, now)))
    ours = {target.servers: _is_server(target)}
    ours[target.trust] = _any(ours[target.trust], stale) if target.trust in ours else stale
    # Hooks last: where they stand says which trust is ours, should we be stopped half-way.
    return (*(_without_us(path, is_ours, record) for path, is_ours in ours.items()), hooks)


def foreign_server(target: Target) -> bool:
    """Whether the person has set up an MCP server of our name by hand; it is left alone."""
    body = files.read(target.servers)
    server = Document.read(target.servers, body).at(SERVER_PLACE) if body is not None else None
    return server is not None and not _runs_ours(server)


def our_hooks(target: Target) -> list[Entry]:
    """Our hooks in the file. Raises HostFileProblem."""
    return json_plan.ours(target.hooks, (HOOKS,))


def server(target: Target) -> Mapping[str, Any]:
    """Our MCP server's entry; empty where there is none. Raises HostFileProblem."""
    body = files.read(target.servers)
    found = Document.read(target.servers, body).at(SERVER_PLACE) if body is not None else None
    return found if isinstance(found, dict) and _runs_ours(found) else {}


def untrusted(target: Target) -> list[str]:
    """Events whose hook of ours Codex would pass over, for nobody has reviewed it there."""
    body = files.read(target.trust)
    state = Document.read(target.trust, body).at(STATE) if body is not None else None
    state = state if isinstance(state, dict) else {}
    positions = _positions(target, files.read(target.hooks) or b"")
    return [event for key, event in positions.items() if not _hash_in(state.get(key))]


def _hash_in(entry: Any) -> str:
    return str(entry.get("trusted_hash") or "") if isinstance(entry, dict) else ""


def _server_tables(target: Target) -> dict[Place, Table]:
    return {} if foreign_server(target) else {SERVER_PLACE: target.server()}


def _is_server(target: Target) -> Callable[[Place], bool]:
    foreign = foreign_server(target)
    return lambda place: place == SERVER_PLACE and not foreign


def _runs_ours(server: Any) -> bool:
    return isinstance(server, dict) and programs.runs(server, programs.BRIDGE)


def _trusted(target: Target, hooks_json: bytes) -> dict[Place, Table]:
    """The entries by which Codex knows our hooks as reviewed; those that stand where it cannot
    be asked."""
    positions = _positions(target, hooks_json)
    body = files.read(target.trust)
    known = Document.read(target.trust, body).at(STATE) if body is not None else None
    known = known if isinstance(known, dict) else {}
    hashes = target.hashes(hooks_json)
    tables: dict[Place, Table] = {}
    for key, event in positions.items():
        if event in hashes:
            tables[(*STATE, key)] = {"trusted_hash": hashes[event]}
        elif not hashes and _hash_in(known.get(key)):
            tables[(*STATE, key)] = known[key]
    return tables


def _positions(target: Target, hooks_json: bytes) -> dict[str, str]:
    """Codex's key of each hook of ours -> its event; a key counts groups and hooks."""
    if not hooks_json.strip():
        return {}
    document = edit.Document.read(target.hooks, hooks_json)
    found = {}
    for event in EVENTS:
        room = document.at(("hooks", event), expect=list)
        for number, child in enumerate(room.children if room is not None else []):
            if is_our_hook(Entry(("hooks", event), child.node.value)):
                found[f"{target.hooks}:{_snake(event)}:{number}:0"] = event
    return found


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def _is_trust(keys: set[str]) -> Callable[[Place], bool]:
    return lambda place: place[:-1] == STATE and place[-1] in keys


def _any(*tests: Callable[[Place], bool]) -> Callable[[Place], bool]:
    return lambda place: any(test(place) for test in tests)


def _toml_plan(
    path: Path,
    tables: Mapping[Place, Table],
    is_ours: Callable[[Place], bool],
    record: Record,
    new_mode: int,
) -> Plan:
    """The file with exactly these tables at the places that are ours.

    Two scopes keep trust in the one file of the person: what the other wrote stays.
    """
    now = files.read(path)
    document = Document.read(path, now or b"")
    if not tables or (now and all(document.at(at) == table for at, table in tables.items())):
        return Plan(Change(path, now, now))
    rest = document.without(is_ours)
    earlier = _untouched(path, now, record)
    base = record.backup(earlier) if earlier else (None if now is None else rest.body())
    made = tuple(dict.fromkeys([*(earlier.made if earlier else ()), *tables]))
    trusts = sum(place[:2] == STATE for place in tables)
    words = [f"MCP server `{SERVER}`"] if SERVER_PLACE in tables else []
    words += [f"trust in {trusts} hooks"] if trusts else []
    after = rest.with_tables(tables).body()
    return Plan(Change(path, now, after, new_mode), base, made, " and ".join(words))


def _without_us(path: Path, is_ours: Callable[[Place], bool], record: Record) -> Plan:
    """The file without these tables: its old bytes if only we changed it, else ours cut out."""
    now = files.read(path)
    if now is None:
        return Plan(Change(path, now, now))
    rest = Document.read(path, now).without(is_ours)
    written = record.files.get(str(path))
    left = tuple(at for at in written.made if rest.at(at) is not None) if written else ()
    if left:  # of the other scope
        return Plan(Change(path, now, rest.body()), made=left)
    earlier = _untouched(path, now, record)
    if earlier is not None:
        return Plan(Change(path, now, record.backup(earlier)))
    we_made_it = written is not None and not written.backup
    empty = we_made_it and not rest.text.strip()
    return Plan(Change(path, now, None if empty else rest.body()))


def _untouched(path: Path, now: bytes | None, record: Record) -> Written | None:
    """What the record keeps of a file that is as we wrote it."""
    written = record.files.get(str(path))
    if now is None or written is None or files.digest(now) != written.after_sha256:
        return None
    return written
