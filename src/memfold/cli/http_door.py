"""The loopback port and secret of http hooks: chosen once, kept in the data directory."""

from __future__ import annotations

import os
import pwd
import re
import socket
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from memfold import settings
from memfold.cli import ask
from memfold.errors import DaemonUnavailable
from memfold.hosts import files
from memfold.hosts.claude_code import Http
from memfold.hosts.plan import Scope

_FIRST_PERSON = 500 if sys.platform == "darwin" else 1_000  # lower ones belong to services
_NOBODY = 65_534
_LINE = re.compile(r"^tcp_port[ \t]*=.*$", re.MULTILINE)


def opened(home: Path, *, dry_run: bool) -> Http:
    """Where http hooks may ring, with the daemon listening there.

    A dry run opens nothing and shows no secret.
    """
    port = settings.load(home).number("tcp_port")
    if dry_run:
        known = (home / "token").exists() and port
        return Http(port or _free_port(), _token(home) if known else "<secret>")
    if not port:
        port = _free_port()
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        _set_port(home / "settings.toml", port)
    token = _token(home)
    ask.ensure_running()
    if ask.get("/status").get("port") != port:
        ask.stop()
        ask.ensure_running()
    if ask.get("/status").get("port") != port:
        raise DaemonUnavailable(
            f"Port {port} is taken by another program.",
            f"Set another tcp_port in {home / 'settings.toml'}, then install again.",
        )
    return Http(port, token)


def _token(home: Path) -> str:
    # Late: the composition, for the one rule of how the secret is made.
    from memfold.serve.secret_file import secret

    return secret(home / "token").hex()


def opened_if_possible(home: Path, *, dry_run: bool) -> Http | None:
    """The same, or None with a word to the person where the daemon cannot listen."""
    try:
        return opened(home, dry_run=dry_run)
    except DaemonUnavailable as error:
        click.echo(f"{error.message} Command hooks are installed instead.", err=True)
        return None


def chosen(home: Path, scope: Scope, transport: str, *, dry_run: bool = False) -> Http | None:
    """Where Claude Code's tool calls go by http; None for command hooks."""
    if transport == "http":
        return opened(home, dry_run=dry_run)
    if transport == "auto" and scope == "user" and not others_have_accounts():
        return opened_if_possible(home, dry_run=dry_run)
    return None


def others_have_accounts(accounts: Iterable[pwd.struct_passwd] | None = None) -> bool:
    """Whether another person could log in here, and listen on our port while no daemon does.

    Where accounts cannot be listed (a directory service), they are taken to be there.
    """
    own = os.getuid()
    known = list(pwd.getpwall() if accounts is None else accounts)
    if all(account.pw_uid != own for account in known):
        return True
    return any(_is_persons(account) and account.pw_uid != own for account in known)


def _is_persons(account: pwd.struct_passwd) -> bool:
    can_log_in = not account.pw_shell.endswith(("/nologin", "/false", "/sync"))
    return can_log_in and _FIRST_PERSON <= account.pw_uid != _NOBODY


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _set_port(path: Path, port: int) -> None:
    """One line changed or added at the top; the rest of the file as it is."""
    text = (files.read(path) or b"").decode("utf-8")
    line = f"tcp_port = {port}"
    changed, count = _LINE.subn(line, text, count=1)
    files.write(path, (changed if count else f"{line}\n{text}").encode("utf-8"))
