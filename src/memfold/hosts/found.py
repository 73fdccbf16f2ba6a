"""Which hosts are on this machine, and where each keeps its configuration.

A person may have several accounts, each with a directory of its own that an environment variable
names (CLAUDE_CONFIG_DIR, CODEX_HOME); such directories are looked for beside the usual one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memfold.hosts import claude_code, codex, codex_trust
from memfold.hosts.edit import Entry
from memfold.hosts.files import Record
from memfold.hosts.plan import Plan, Scope


@dataclass(frozen=True, slots=True)
class Kind:
    """What is to be known of a host before its files are looked at."""

    host: str
    title: str
    program: str
    variable: str  # names another configuration directory
    folder: str  # the usual one, below the person's home
    marks: tuple[str, ...]  # one of these lies in a directory of this host


KINDS = (
    Kind(
        claude_code.HOST,
        "Claude Code",
        "claude",
        "CLAUDE_CONFIG_DIR",
        ".claude",
        ("settings.json", ".claude.json", "projects"),
    ),
    Kind(codex.HOST, "Codex", "codex", "CODEX_HOME", ".codex", ("config.toml", "sessions")),
)
HOSTS = tuple(kind.host for kind in KINDS)


@dataclass(frozen=True, slots=True)
class Place:
    """One host's configuration at one scope, and everything that is asked of it."""

    kind: Kind
    target: claude_code.Target | codex.Target
    folder: Path

    def install_plans(self, record: Record) -> tuple[Plan, ...]:
        if isinstance(self.target, codex.Target):
            return codex.install_plans(self.target, record)
        return claude_code.install_plans(self.target, record)

    def uninstall_plans(self, record: Record) -> tuple[Plan, ...]:
        if isinstance(self.target, codex.Target):
            return codex.uninstall_plans(self.target, record)
        return claude_code.uninstall_plans(self.target, record)

    def hooks(self) -> list[Entry]:
        """Our hooks as they are written. Raises HostFileProblem."""
        if isinstance(self.target, codex.Target):
            return codex.our_hooks(self.target)
        return claude_code.our_hooks(self.target)

    def server(self) -> Mapping[str, Any]:
        """Our MCP server as it is written; empty where there is none. Raises HostFileProblem."""
        if isinstance(self.target, codex.Target):
            return codex.server(self.target)
        return claude_code.server(self.target)

    def foreign_server(self) -> bool:
        if isinstance(self.target, codex.Target):
            return codex.foreign_server(self.target)
        return claude_code.foreign_server(self.target)

    def untrusted(self) -> list[str]:
        """Events whose hook the host would not run before a person has reviewed it."""
        return codex.untrusted(self.target) if isinstance(self.target, codex.Target) else []

    @property
    def events(self) -> Sequence[str]:
        return tuple((codex if isinstance(self.target, codex.Target) else claude_code).EVENTS)

    @property
    def hooks_file(self) -> Path:
        if isinstance(self.target, codex.Target):
            return self.target.hooks
        return self.target.settings

    @property
    def servers_file(self) -> Path:
        return self.target.servers


@dataclass(frozen=True, slots=True)
class Ways:
    """How a person wants it, where there is a choice."""

    http: claude_code.Http | None = None  # Claude Code: where tool calls go by http
    required: bool = False  # Codex: wait for our MCP server


USUAL = Ways()


def kind_of(host: str) -> Kind:
    return next(kind for kind in KINDS if kind.host == host)


def place(
    host: str,
    scope: Scope,
    *,
    project: Path,
    env: Mapping[str, str],
    python: str,
    folder: Path | None = None,
    ways: Ways = USUAL,
) -> Place:
    """That host's files at this scope; ``folder``: another configuration directory."""
    kind = kind_of(host)
    given = dict(env)
    if folder is not None and folder == _home(env) / kind.folder:
        given.pop(kind.variable, None)
    elif folder is not None:
        given[kind.variable] = str(folder)
    if host == codex.HOST:
        binary = codex_trust.program(env)
        hashes: codex.Hashes = (
            (lambda body: codex_trust.hashes(binary, body)) if binary else (lambda _body: {})
        )
        target: claude_code.Target | codex.Target = codex.Target.at(
            scope,
            project=project,
            env=given,
            python=python,
            hashes=hashes,
            required=ways.required,
        )
    else:
        target = claude_code.Target.at(
            scope, project=project, env=given, python=python, http=ways.http
        )
    where = project if scope == "project" else folders(kind, given)[0]
    return Place(kind, target, where)


def folders(kind: Kind, env: Mapping[str, str]) -> list[Path]:
    """Where this host is set up to look, then other accounts' directories beside it."""
    home = _home(env)
    given = env.get(kind.variable)
    first = Path(given) if given else home / kind.folder
    beside = sorted(home.glob(f"{kind.folder}*"))
    others = [one for one in beside if one != first and looks_like(kind, one)]
    return [first, *others]


def _home(env: Mapping[str, str]) -> Path:
    return Path(env.get("HOME") or Path.home())


def looks_like(kind: Kind, folder: Path) -> bool:
    """Whether a directory holds what this host writes there."""
    return folder.is_dir() and any((folder / mark).exists() for mark in kind.marks)


def on_this_machine(
    env: Mapping[str, str], which: Callable[..., str | None] = shutil.which
) -> list[tuple[Kind, Path | None]]:
    """Each host with each of its directories; None for the one it looks into unasked."""
    found: list[tuple[Kind, Path | None]] = []
    for kind in KINDS:
        first, *others = folders(kind, env)
        if first.is_dir() or which(kind.program, path=env.get("PATH", os.defpath)):
            found.append((kind, None))
        found += [(kind, other) for other in others]
    return found
