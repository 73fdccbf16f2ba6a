"""`memfold watch`: what hosts without hooks append to their session files, taken in as it comes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import click

from memfold.capture.transcripts.find import find_transcripts
from memfold.capture.transcripts.folders import HOSTS, own_folders
from memfold.cli import ask, out
from memfold.errors import DaemonUnavailable, InvalidInput

# Without a name, hosts whose sessions memfold hears of in no other way.
_HOOKLESS = ("copilot-cli", "opencode", "cursor", "windsurf", "pi", "specstory")
_LOOK_S = 2.0
_SHARE = 20  # a look that takes long is made as much more seldom: at most 5 % of the time
Mark = tuple[int, int]  # a file's last change in ns, its bytes


@click.command(short_help="Take in sessions of hosts without hooks as they go on.")
@click.argument("hosts", nargs=-1, type=click.Choice(HOSTS), metavar="[HOST]...")
@click.option("--once", is_flag=True, help="Look once and end, as from cron.")
@out.json_option
def command(hosts: tuple[str, ...], once: bool, as_json: bool) -> None:
    """Take in what hosts write to their session files, every two seconds, until interrupted.

    Without HOST, every host without hooks that has a folder of sessions here. The first look
    takes in what was not yet imported. Ctrl-C and TERM end it; the next one goes on from there.

    \b
    Examples:
      memfold watch
      memfold watch pi opencode
      memfold watch cursor --once --json
    """
    chosen = hosts or tuple(host for host in _HOOKLESS if _folders(host))
    if not chosen:
        raise InvalidInput(
            "No host without hooks has a folder of sessions here.", "Name the hosts to watch."
        )
    with _Ending() as ending:
        if not as_json:
            click.echo(f"watching {', '.join(chosen)}; Ctrl-C ends it", err=True)
        seen: dict[Path, Mark] = {}
        while not ending.asked:
            began = time.monotonic()
            waiting = changed(chosen, seen)
            looked_s = time.monotonic() - began
            for line in take(waiting, seen, ending):
                _tell(line, as_json=as_json)
            if once:
                break
            ending.sleep(max(_LOOK_S, _SHARE * looked_s))


class _Ending:
    """Whether Ctrl-C or TERM asked for the end; the step under way is finished first."""

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> _Ending:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _ask(self, number: int, _frame: FrameType | None) -> None:
        if self.asked:  # asked twice: at once
            raise KeyboardInterrupt(number)
        self.asked = True

    def sleep(self, seconds: float) -> None:
        """At most that long; a signal ends it within a fifth of a second."""
        until = time.monotonic() + seconds
        while not self.asked and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 0.2))


def changed(hosts: Sequence[str], seen: Mapping[Path, Mark]) -> list[tuple[str, Path, Mark]]:
    """Files that are not as they were when they were taken, with their hosts and marks."""
    return [
        (host, file, mark)
        for host in hosts
        if _folders(host)
        for file in find_transcripts(host, None)
        if (mark := _mark(file)) is not None and seen.get(file) != mark
    ]


def take(
    waiting: Sequence[tuple[str, Path, Mark]], seen: dict[Path, Mark], ending: _Ending
) -> Iterator[dict[str, Any]]:
    """What each of the files brought; those that were taken are noted in ``seen``."""
    for host, file, mark in waiting:
        if ending.asked:
            return
        try:
            told = ask.post("/follow", {"host": host, "path": ask.absolute(str(file))})
        except (DaemonUnavailable, ask.Refused) as error:
            # The file stays unseen, so that the next look tries again.
            click.echo(f"memfold: {error.message} {error.next_step}", err=True)
            continue
        seen[file] = mark
        yield told


def _tell(line: dict[str, Any], *, as_json: bool) -> None:
    added = ("prompts", "tool_uses_stored", "replies")
    if not any(line[name] for name in (*added, "bad_lines", "unreadable")):
        return
    if as_json:
        out.data_line(line)
        return
    told = [out.count(line["prompts"], "prompt"), out.count(line["tool_uses_stored"], "tool use")]
    if line["bad_lines"]:
        told.append(f"{out.count(line['bad_lines'], 'line')} could not be read")
    if line["unreadable"]:
        told.append("the file could not be opened")
    out.text(f"{line['host']} {Path(line['path']).name}: {', '.join(told)}")


def _folders(host: str) -> list[Path]:
    return [folder for folder in own_folders(host, os.environ) if folder.is_dir()]


def _mark(file: Path) -> Mark | None:
    try:
        stat = file.stat()
    except OSError:
        return None  # gone since it was listed
    return stat.st_mtime_ns, stat.st_size
