"""`memfold bug-report`: what helps to find a fault, and nothing of what was remembered."""

from __future__ import annotations

import getpass
import sys
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from memfold.capture.redact import redact
from memfold.cli import ask, out
from memfold.cli.doctor import findings
from memfold.errors import InvalidInput, MemfoldError
from memfold.settings import SETTINGS, load

_LINES = 200  # of the log
_LINE_CHARS = 500
_PRIVATE = {"path", "address", "globs"}  # units of settings whose values are nobody's business
_COUNTS = (
    "version", "protocol", "port", "uptime_s", "rss_bytes", "spooled", "projects", "sessions",
    "prompts", "tool_uses", "waiting", "observations", "summaries", "bytes_on_disk", "semantic",
)  # fmt: skip


@click.command(name="bug-report", short_help="Write what helps to find a fault.")
@click.argument("file", required=False, default="", type=click.Path(path_type=str))
@out.json_option
def command(file: str, as_json: bool) -> None:
    """Print versions, settings, what doctor says, counts, and the end of the log.

    No prompt, no output of a tool, no name of a project, no path of your own is in it; secrets are
    taken out. Read it before you send it.

    \b
    Examples:
      memfold bug-report
      memfold bug-report report.txt
    """
    told = _told()
    if as_json:
        out.data(told)
        return
    text = _as_text(told)
    if not file:
        out.text(text)
        return
    target = Path(ask.absolute(file))
    try:
        with target.open("x", encoding="utf-8") as written:
            written.write(text + "\n")
    except OSError as error:
        raise InvalidInput(
            f"{target} cannot be written ({error.strerror}).", "Name a new file."
        ) from error
    out.text(f"{target}: read it before you send it")


def _told() -> dict[str, Any]:
    home = ask.home()
    checked = [asdict(one) for one in findings(verify=False, fix=False, hosts=False)]
    try:
        status = ask.get("/status")
    except MemfoldError as error:
        status = {"trouble": error.code}
    told: dict[str, Any] = {
        "python": sys.version.split()[0],
        "runs_in": sys.prefix,
        "settings": _settings(home),
        "counts": {name: status[name] for name in _COUNTS if name in status},
        "hosts": sorted(status.get("last_event", {})),
        "doctor": checked,
        "files": _files(home),
        "log": _log_end(home),
    }
    cleaned = _clean(told, _own_names(home))
    return dict(cleaned)


def _settings(home: Path) -> dict[str, str]:
    """Those that differ from their default."""
    try:
        held = load(home)
    except MemfoldError as error:
        return {"cannot be read": error.code}
    said = {}
    for one in SETTINGS:
        value = held.names(one.name) if isinstance(one.default, tuple) else held.text(one.name)
        usual = one.default if isinstance(one.default, tuple) else str(one.default)
        if value != usual:
            said[one.name] = "(set)" if one.unit in _PRIVATE else str(value)
    return said


def _files(home: Path) -> dict[str, int]:
    """Size by name; of folders the number of files."""
    if not home.is_dir():
        return {}
    return {
        path.name: len(list(path.iterdir())) if path.is_dir() else path.stat().st_size
        for path in sorted(home.iterdir())
        if not path.is_socket()
    }


def _log_end(home: Path) -> list[str]:
    lines: deque[str] = deque(maxlen=_LINES)
    for name in ("daemon.log.1", "daemon.log"):
        path = home / name
        if path.is_file():
            with path.open(encoding="utf-8", errors="replace") as file:
                lines.extend(line.rstrip("\n")[:_LINE_CHARS] for line in file)
    return list(lines)


def _own_names(home: Path) -> dict[str, str]:
    """What would say who and where you are -> what stands for it; the longest first."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = ""
    named = {str(home): "HOME_OF_MEMFOLD", str(Path.home()): "~", str(Path.cwd()): "HERE"}
    if len(user) > 3 and user not in {"root", "user", "admin"}:
        named[user] = "USER"
    named |= dict.fromkeys(_private_values(home), "(set)")
    found = {name: stands for name, stands in named.items() if len(name) > 1}
    return dict(sorted(found.items(), key=lambda pair: -len(pair[0])))


def _private_values(home: Path) -> list[str]:
    try:
        held = load(home)
    except MemfoldError:
        return []  # then nobody quotes them either
    private = [one for one in SETTINGS if one.unit in _PRIVATE]
    values = [value for one in private for value in held.names(one.name) if value]
    return [*values, *(host for value in values if (host := urlsplit(value).hostname))]


def _clean(value: Any, own: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for name, stands in own.items():
            value = value.replace(name, stands)
        return redact(value)[0]
    if isinstance(value, dict):
        return {_clean(key, own): _clean(one, own) for key, one in value.items()}
    if isinstance(value, list):
        return [_clean(one, own) for one in value]
    return value


def _as_text(told: Mapping[str, Any]) -> str:
    lines = [f"Python {told['python']} in {told['runs_in']}", "", "settings that were changed:"]
    lines += [f"  {name} = {value}" for name, value in told["settings"].items()] or ["  none"]
    lines += ["", "counts:"]
    lines += [f"  {name} {value}" for name, value in told["counts"].items()]
    lines += [f"  heard of: {', '.join(told['hosts']) or 'no host'}", "", "doctor:"]
    for one in told["doctor"]:
        lines.append(f"  {'ok   ' if one['ok'] else 'WRONG'} {one['name']}: {one['says']}")
    lines += ["", "files:", *(f"  {name} {size}" for name, size in told["files"].items())]
    return "\n".join([*lines, "", "end of the log:", *(f"  {line}" for line in told["log"])])
