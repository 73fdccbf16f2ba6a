"""Which tool uses teach nothing, and why: they are no evidence of what was learned beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from memfold.observe.builtin import actions, calls
from memfold.records import ToolUse

LOOKED = "looked for files or text"
LISTED = "kept a to-do list"
WAITED = "waited for a command"
AGAIN = "read again, unchanged"
STATUS = "asked for a state"
SAID_NOTHING = "passed and changed nothing"
REASONS = (LOOKED, LISTED, WAITED, AGAIN, STATUS, SAID_NOTHING)

_SPLIT = re.compile(r"\s*(?:&&|\|\||[;|\n])\s*")
_LOOKS = re.compile(
    r"^(?:ls|pwd|cd|echo|printf|wc|find|fd|grep|egrep|rg|ag|tree|which|type|whereis|file|stat|du|df"
    r"|head|tail|sort|uniq|cut|tr|true|xargs|basename|dirname|realpath|dir|Get-ChildItem"
    r"|git (?:ls-files|grep))\b"
)
_STATES = re.compile(
    r"^(?:git (?:status|branch|remote|rev-parse|log|stash list|fetch|config --get|describe|worktree list)"
    r"|date|whoami|id|env|uname|hostname|ps|sleep|(?:node|npm|go|python3?|cargo|bd|gh|docker) (?:-v|-V|--version|version|status|ready)"
    r"|gh (?:auth status|pr (?:status|checks))|bd (?:show|list|ready)|docker (?:ps|images))\b"
)
_ENV = re.compile(r"^(?:\w+=\S*\s+|sudo\s+|time\s+)+")
_TALKS = re.compile(r"2>&1|2>/dev/null|>/dev/null|&>/dev/null")


def lessons(uses: Iterable[ToolUse], known_files: Iterable[str] = ()) -> Mapping[int, str]:
    """Id of each use -> why it teaches nothing, '' where it may teach something.

    ``known_files``: read earlier in the session and not changed since.
    """
    read = set(known_files)
    found: dict[int, str] = {}
    for use in uses:
        found[use.id] = _reason(use, read)
        if use.ok:
            read -= set(use.files_changed)
            read |= set(use.files_read)
    return found


def _reason(use: ToolUse, read: set[str]) -> str:
    kind = calls.kind_of(use)
    plain = {calls.LOOK: LOOKED, calls.PLAN: LISTED, calls.WAIT: WAITED}
    if kind in plain:
        return plain[kind]
    if kind == calls.READ:
        partial = isinstance(use.input, Mapping) and use.input.get("offset") is not None
        again = bool(use.files_read) and set(use.files_read) <= read and not partial
        return AGAIN if again and use.ok else ""
    if kind != calls.SHELL or actions.changes_something(use):
        return ""
    command = _TALKS.sub("", calls.command_of(use))
    parts = [_ENV.sub("", part) for part in _SPLIT.split(command.strip()) if part.strip()]
    if parts and all(_LOOKS.match(part) or _STATES.match(part) for part in parts):
        return STATUS if any(_STATES.match(part) for part in parts) else LOOKED
    quiet = use.ok and not actions.tests_of(use) and not calls.output_of(use).strip(" \n{}\"'")
    return SAID_NOTHING if quiet else ""
