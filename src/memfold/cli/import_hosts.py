"""`memfold import`: the sessions a host has on disk, taken in once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from memfold.capture.transcripts.folders import HOSTS, own_folders
from memfold.cli import ask, out
from memfold.cli.progress import follow
from memfold.errors import InvalidInput

_COLUMNS = {
    "files": "files",
    "sessions": "sessions",
    "prompts": "prompts",
    "tool uses": "tool_uses_stored",
    "observations": "observations",
    "known": "tool_uses_known",
    "skipped": "tool_uses_skipped",
    "broken lines": "bad_lines",
}


ALL = "all"  # every host that has a folder here
SOURCES = (*HOSTS, ALL)


def command_of(source: str) -> click.Command:
    """`memfold import SOURCE [PATH]`."""
    whose = "every host here" if source == ALL else source

    @click.command(source, short_help=f"Take in sessions of {whose}.")
    @click.argument("path", required=False, type=click.Path(path_type=str))
    @out.json_option
    def command(path: str | None, as_json: bool) -> None:
        """Take in the sessions a host has on disk; what is known already is not taken twice.

        PATH is a folder or one file; without it, the host's own folder of sessions. `all` takes
        every host that has a folder here; with PATH, the folders in it that are named as hosts
        are. Interrupted, it goes on when it is run again.

        \b
        Examples:
          memfold import claude-code
          memfold import codex ~/.codex/sessions --json
          memfold import all
        """
        _take_in(source, path, as_json=as_json)

    return command


def _take_in(host: str, path: str | None, *, as_json: bool) -> None:
    if host != ALL:
        result = _import(host, _places(host, path))
        _print({host: result}, result, as_json=as_json)
        return
    found = {name: places for name in HOSTS if (places := _in_folder(name, path))}
    if not found:
        where = f"{path} holds no folder named as a host" if path else "No host has sessions here"
        raise InvalidInput(f"{where}.", "Name a host and the folder to import.")
    results = {name: _import(name, places) for name, places in found.items()}
    _print(results, {"hosts": results}, as_json=as_json)


def _places(host: str, path: str | None) -> list[str]:
    """Folders or files to import. Raises InvalidInput where there is none."""
    if path:
        source = ask.absolute(path)
        if not Path(source).exists():
            raise InvalidInput(f"{source} is not there.", "Name the folder or file to import.")
        return [source]
    places = _there(host)
    if not places:
        where = own_folders(host, os.environ)[0]
        raise InvalidInput(f"{where} is not there.", "Name the folder or file to import.")
    return places


def _in_folder(host: str, folder: str | None) -> list[str]:
    if folder is None:
        return _there(host)
    place = Path(ask.absolute(folder), host)
    return [str(place)] if place.is_dir() else []


def _there(host: str) -> list[str]:
    folders = own_folders(host, os.environ)
    return [ask.absolute(str(folder)) for folder in folders if folder.is_dir()]


def _import(host: str, places: list[str]) -> dict[str, Any]:
    total: dict[str, Any] = {}
    for place in places:
        _add(total, follow("/import", {"host": host, "path": place}, f"files of {host}"))
    return total


def _add(total: dict[str, Any], more: Mapping[str, Any]) -> None:
    for name, value in more.items():
        if isinstance(value, dict):
            _add(total.setdefault(name, {}), value)
        else:
            total[name] = total.get(name, 0) + value


def _print(results: dict[str, dict[str, Any]], data: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        out.data(data)
        return
    rows = [["host", *_COLUMNS]]
    for host, result in results.items():
        rows.append([host, *(f"{result[key]:,}" for key in _COLUMNS.values())])
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]
        out.text("  ".join(cells))
    for host, result in results.items():
        for note in _notes(result):
            out.text(f"{host}: {note}")


def _notes(result: dict[str, Any]) -> list[str]:
    """What the figures do not say, a sentence each."""
    notes = [
        f"{out.count(number, 'tool use')} left out: {reason}"
        for reason, number in result["skipped_reasons"].items()
    ]
    if result["tool_uses_known"]:
        notes.insert(0, f"{out.count(result['tool_uses_known'], 'tool use')} known before")
    if result["bad_lines"]:
        notes.append(f"{out.count(result['bad_lines'], 'line')} could not be read, left out")
    if result["unreadable"]:
        notes.append(f"{out.count(result['unreadable'], 'file')} could not be opened")
    if result["placed"]:
        notes.append(
            f"{out.count(result['placed'], 'session')} named no directory, filed under the "
            "folder of the file; `memfold project merge` joins it with its project"
        )
    return notes
