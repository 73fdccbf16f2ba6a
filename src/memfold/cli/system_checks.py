"""What `memfold doctor` looks at besides the data directory: versions, port, queue, observer."""

from __future__ import annotations

import platform
import shutil
import socket
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import apsw

from memfold import wire
from memfold.cli.checks import Finding
from memfold.errors import MemfoldError
from memfold.settings import Settings

OLD_QUEUE_S = 86_400  # a turn may go on for long; not for a day
EARLIEST_S = 1_767_225_600  # 2026-01-01: no clock that is right shows less
PROBE_S = 3.0
_VENDORS = {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com"}
DAMAGED = "store_damaged"


def of_versions() -> Finding:
    mine = f"memfold {wire.VERSION}, Python {platform.python_version()}"
    rest = f"SQLite {apsw.sqlite_lib_version()}, {platform.system()} {platform.release()}"
    return Finding("versions", True, f"{mine}, {rest}.")


def of_settings(trouble: MemfoldError | None) -> Finding:
    if trouble is None:
        return Finding("settings", True, "Can be read.")
    return Finding("settings", False, trouble.message, trouble.next_step)


def of_clock() -> Finding | None:
    """None where nothing is wrong with this machine's own clock."""
    if time.time() >= EARLIEST_S:
        return None
    return Finding(
        "clock", False, "It shows a year before 2026.", "Set this machine's clock right."
    )


def of_database(status: Mapping[str, Any], backups: Path) -> Finding:
    """Whole, of which schema, and whether it can be written."""
    database = status.get("database", {})
    trouble, code = str(database.get("trouble") or ""), str(database.get("code") or "")
    if trouble:
        remedy = "Read daemon.log, or write a report with `memfold bug-report`."
        if code == DAMAGED:
            newest = max(
                backups.glob("memfold*.db"), key=lambda one: one.stat().st_mtime, default=None
            )
            remedy = "Run `memfold doctor --fix`: it keeps what can be read, and the damaged file."
            remedy += f" The newest backup is {newest}." if newest is not None else ""
        elif code in {"store_full", "store_too_new", "migration_failed", "invalid_input"}:
            remedy = ""  # said with it
        return Finding("database", False, trouble, remedy)
    writing = str(status.get("trouble") or "")
    if writing:
        return Finding("database", False, writing, "")
    return Finding("database", True, f"Sound, schema {database.get('schema')}.")


def of_queue(status: Mapping[str, Any]) -> Finding | None:
    """How much waits for the observer, and since when. None where the store cannot be read."""
    if "waiting" not in status:
        return None
    waiting = int(status["waiting"])
    oldest = status.get("database", {}).get("oldest_waiting_ms")
    if not waiting or oldest is None:
        return Finding("queue", True, "Nothing waits to be observed.")
    age_s = max(time.time() - oldest / 1000, 0)
    old = age_s > OLD_QUEUE_S
    return Finding(
        "queue",
        not old,
        f"{waiting:,} tool uses wait to be observed, the oldest for {_long(age_s)}.",
        "Run `memfold stop`, then `memfold start`: the daemon looks at all that waits."
        if old
        else "",
    )


def of_port(home: Path, settings: Settings, status: Mapping[str, Any]) -> Iterator[Finding]:
    """The loopback port for http hooks, and its token; nothing where none is set."""
    port = settings.number("tcp_port")
    if not port:
        return
    listening = int(status.get("port") or 0)
    if listening != port:
        yield Finding(
            "port",
            False,
            f"Port {port} is set, the daemon does not listen there: somebody else has it, or the "
            "daemon is older than the setting.",
            "Run `memfold stop` and `memfold start`; if that does not help, install again with "
            "another port: `memfold install claude-code`.",
        )
    else:
        try:
            socket.create_connection(("127.0.0.1", port), PROBE_S).close()
            yield Finding("port", True, f"127.0.0.1:{port} answers.")
        except OSError as error:
            yield Finding(
                "port",
                False,
                f"127.0.0.1:{port} does not answer ({error.strerror or error}).",
                "A firewall may stand before it; `memfold install claude-code --transport command` "
                "needs no port.",
            )
    token = home / "token"
    if not token.is_file():
        yield Finding("token", False, "There is none.", "Run `memfold install claude-code` again.")
        return
    mode = stat.S_IMODE(token.stat().st_mode)
    yield Finding(
        "token",
        mode == 0o600,
        f"Its file has mode {mode:o}.",
        ""
        if mode == 0o600
        else f"Run `chmod 600 {token}`, then see docs/howto/rotate-the-secret.md.",
    )


def of_observer(settings: Settings, status: Mapping[str, Any]) -> Iterator[Finding]:
    """The model that is set: usable, reachable, not blocked; nothing for the built-in observer."""
    kind = settings.text("observer")
    if kind == "builtin":
        return
    told = status.get("observer", {})
    if told.get("trouble"):
        yield Finding("observer", False, str(told["trouble"]), "The built-in observer stands in.")
        return
    if kind == "claude" and not settings.text("observer_base_url"):
        there = shutil.which("claude") is not None
        yield Finding(
            "observer",
            there,
            "The `claude` program is there." if there else "There is no `claude` program.",
            "" if there else "Install Claude Code, or set another observer.",
        )
    else:
        yield _reached(settings.text("observer_base_url") or _VENDORS.get(kind, ""))
    if told.get("blocked"):
        yield Finding("observer budget", True, f"Nothing is sent now: {told['blocked']}")


def _reached(url: str) -> Finding:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or (80 if parts.scheme == "http" else 443)
    try:
        socket.create_connection((host, port), PROBE_S).close()
    except OSError as error:
        return Finding(
            "observer",
            False,
            f"{host}:{port} cannot be reached ({error.strerror or error}).",
            "Turns wait for it; the built-in observer made theirs already. Check the network and "
            "`observer_base_url`.",
        )
    return Finding("observer", True, f"{host}:{port} can be reached.")


def of_set_aside(spool: Path) -> Finding | None:
    """Events nobody could read; None where there are none."""
    bad = list((spool / "bad").glob("*.evt")) if (spool / "bad").is_dir() else []
    if not bad:
        return None
    return Finding(
        "spool",
        False,
        f"{len(bad):,} events could not be read and lie in {spool / 'bad'}.",
        "Their sessions' transcripts are read all the same. Report them (`memfold bug-report`), "
        "then remove the files.",
    )


def _long(seconds: float) -> str:
    for size, word in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{int(seconds // size)} {word}"
    return f"{int(seconds)} seconds"
