"""The Claude Code plugin: its folder, the marketplace that names it, and the host's own commands.

The marketplace's source is a command: Claude Code runs `memfold plugin-folder`, which makes the
folder for the Python that runs it and prints where it is. Claude Code runs such a command only once
a person has accepted it, so the host's own `claude plugin install` is what installs it.
Source: the real binary, version 2.1.332; docs/decisions/0025-claude-code-plugin.md.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memfold import wire
from memfold.errors import HostFileProblem
from memfold.hosts import claude_code, files
from memfold.hosts.claude_code import Http
from memfold.hosts.edit import Document
from memfold.hosts.files import Record, Written
from memfold.hosts.programs import Runner

NAME = "memfold"
PLUGIN = f"{NAME}@{NAME}"  # plugin@marketplace
_FILES = Path(__file__).parent / "plugin_files"
_KEYS = ("enabledPlugins", "extraKnownMarketplaces")
_RUN_S = 120.0  # it copies a folder; a cold start of the binary is the most of it


def write_folder(data: Path, runner: Runner, http: Http | None) -> Path:
    """The plugin's folder, made anew in the data directory for this Python."""
    folder = data / "claude-plugin"
    entries = claude_code.hook_entries(runner, http)
    hooks = {entry.place[-1]: [entry.value] for entry in entries}
    about = {
        "name": NAME,
        "version": wire.VERSION,
        "description": "Memory for coding agents: what was done, found and decided earlier.",
        "author": {"name": "memfold"},
        "license": "MIT",
        "keywords": ["memory", "history", "mcp"],
    }
    bodies = {
        ".claude-plugin/plugin.json": _json(about),
        "hooks/hooks.json": _json({"description": "Rings memfold.", "hooks": hooks}),
        ".mcp.json": _json({"mcpServers": {NAME: claude_code.server_of(runner)}}),
    }
    for path in sorted(_FILES.rglob("*.md")):
        bodies[str(path.relative_to(_FILES))] = path.read_bytes()
    return _written(folder, bodies)


def write_marketplace(data: Path, runner: Runner, transport: str) -> Path:
    """The marketplace's folder, whose one plugin comes from a command of ours."""
    words = [*runner.memfold(), "plugin-folder", "--transport", transport]
    entry = {
        "name": NAME,
        "description": "Memory for coding agents.",
        "source": {"source": "command", "command": shlex.join(words)},
    }
    about = {
        "name": NAME,
        "owner": {"name": "memfold"},
        "description": "memfold on this machine.",
        "plugins": [entry],
    }
    return _written(data / "claude-marketplace", {".claude-plugin/marketplace.json": _json(about)})


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"


def _written(folder: Path, bodies: Mapping[str, bytes]) -> Path:
    """The folder with these files and no others; for the person's eyes alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and str(path.relative_to(folder)) not in bodies:
            path.unlink()
    for name, body in bodies.items():
        path = folder / name
        for room in reversed(Path(name).parents):
            (folder / room).mkdir(mode=0o700, exist_ok=True)  # `parents` get no mode of ours
        if files.read(path) != body:
            files.write(path, body)
    return folder


def program(env: Mapping[str, str]) -> str | None:
    """The Claude Code binary; None where there is none to be found."""
    places = [env.get("PATH", ""), str(Path("~/.local/bin").expanduser()), "/usr/local/bin"]
    return shutil.which("claude", path=":".join(places))


def installed(config: Path) -> Path | None:
    """Where Claude Code keeps our plugin; None where it is not installed. Raises
    HostFileProblem."""
    if not _object(config / "settings.json").get("enabledPlugins", {}).get(PLUGIN):
        return None
    entries = _object(config / "plugins" / "installed_plugins.json").get("plugins", {})
    for entry in entries.get(PLUGIN, []):
        return Path(str(entry.get("installPath", "")))
    return None


def _object(path: Path) -> dict[str, Any]:
    body = files.read(path)
    if body is None or not body.strip():
        return {}
    return dict(Document.read(path, body).root().value)


@dataclass(frozen=True, slots=True)
class Plugin:
    """Our plugin in one configuration directory."""

    binary: str
    config: Path
    data: Path
    env: Mapping[str, str]

    def install(self, runner: Runner, transport: str, record: Record) -> None:
        """Installed and enabled for the person. Raises HostFileProblem with the host's words."""
        settings = self.config / "settings.json"
        before = files.read(settings)
        market = write_marketplace(self.data, runner, transport)
        # Kept first, so that uninstall knows the file whatever happens.
        backup = record.keep(settings, before)
        record.files[_noted(settings)] = Written("", backup)
        record.save()
        self._run("marketplace", "add", str(market))
        self._run("install", PLUGIN, "--yes")

    def uninstall(self, record: Record) -> None:
        """Gone; the settings are again what they were where only the plugin was added since."""
        settings = self.config / "settings.json"
        self._run("uninstall", PLUGIN)
        self._run("marketplace", "remove", NAME)
        written = record.files.pop(_noted(settings), None)
        if written is not None:
            _give_back(settings, record.backup(written))
        record.save()
        for folder in ("claude-plugin", "claude-marketplace"):
            shutil.rmtree(self.data / folder, ignore_errors=True)

    def _run(self, *words: str) -> None:
        try:
            done = subprocess.run(
                [self.binary, "plugin", *words],
                env=dict(self.env),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_RUN_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise HostFileProblem(f"{self.binary} cannot be run ({error}).") from error
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip()).splitlines()
            raise HostFileProblem(
                f"`claude plugin {words[0]}` failed: {said[-1] if said else 'it said nothing'}",
                "Install without --plugin, or mend that and run it again.",
            )


def _noted(settings: Path) -> str:
    """The record's name for the file as it was before the plugin, beside that of our entries."""
    return f"{settings} before {PLUGIN}"


def _give_back(settings: Path, before: bytes | None) -> None:
    """The old bytes, where the file says nothing else; Claude Code writes it in a form of its own
    and leaves empty objects behind."""
    now = _object(settings)
    was: dict[str, Any] = {}
    if before is not None and before.strip():
        was = dict(Document.read(settings, before).root().value)
    for key in _KEYS:
        if key not in was and now.get(key) == {}:
            del now[key]
    if now != was:
        return
    if before is None:
        settings.unlink(missing_ok=True)
    else:
        files.write(settings, before)
