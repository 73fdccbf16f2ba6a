"""Which files a tool call read and changed, by the tools' published inputs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

# As Claude Code and Codex name tools of MCP servers; then as the other hosts do.
OURS = re.compile(
    r"^mcp__(?:memfold|plugin_[A-Za-z0-9-]*memfold[A-Za-z0-9-]*(?:_[a-z]+)?)__"
    r"|^(?:mcp[_-]{1,2})?memfold(?:__|[_-])|^MCP:memfold:"
)
_READS = {"Read", "NotebookRead", "read_file", "view", "view_file", "read", "ReadFile", "read_code"}
_READS_MANY = {"read_many_files"}
_CHANGES = {
    *("Edit", "MultiEdit", "Write", "NotebookEdit", "write_file", "edit", "write", "multiedit"),
    *("replace", "create", "code_action", "edit_file", "search_replace", "StrReplace", "Delete"),
    *("write_code",),
}
SHELLS = {
    *("Bash", "shell", "exec_command", "local_shell", "run_shell_command", "bash", "run_command"),
    *("powershell", "Shell", "run_terminal_cmd", "exec"),
}
_EDITOR = "str_replace_editor"  # one tool of several commands; `view` is the one that reads
_PATH_KEYS = (
    *("file_path", "notebook_path", "path", "filePath", "absolute_path", "target_file", "filename"),
)
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.M)
_PRINTERS = {"cat", "head", "tail", "sed", "nl", "less", "bat"}
_MOST = 50
_MOST_CHARS = 1_000  # of a text that may be a path
_MOST_COMMAND_CHARS = 100_000  # that are searched for the names of files
_OUR_COMMAND = re.compile(r"(?:\S*/)?memfold\s+(?:context|call|pin|status|project|doctor)\b")


def is_ours(tool: str) -> bool:
    """memfold's own tools are not recorded: what they print is memory already."""
    return bool(OURS.match(tool))


def files_of(tool: str, given: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(files read, files changed) as the call names them."""
    if tool == "apply_patch" or (isinstance(given, str) and "*** Begin Patch" in given):
        return (), patched_files(_patch_of(given))
    if not isinstance(given, Mapping):
        return (), ()
    path = _path_of(given)
    if tool == _EDITOR and path:
        return ((path,), ()) if given.get("command") == "view" else ((), (path,))
    if tool in _CHANGES and path:
        return (), (path,)
    if tool in SHELLS:
        return _of_shell(command_text(given))
    return (_read_by(tool, given, path), ())


def _path_of(given: Mapping[str, Any]) -> str:
    path = next((v for k in _PATH_KEYS if isinstance(v := given.get(k), str) and v), "")
    return unquote(path.removeprefix("file://")) if path.startswith("file://") else path


def _read_by(tool: str, given: Mapping[str, Any], path: str) -> tuple[str, ...]:
    if tool in _READS_MANY:
        many = given.get("paths", given.get("include"))
        named = many if isinstance(many, list) else []
        return tuple(p for p in named if isinstance(p, str))[:_MOST]
    return (path,) if tool in _READS and path else ()


def runs_ours(tool: str, given: Any) -> bool:
    """Whether a shell command does nothing but print what memfold says, perhaps through pipes."""
    if tool not in SHELLS or not isinstance(given, Mapping):
        return False
    command = command_text(given).strip()
    return bool(_OUR_COMMAND.match(command)) and not re.search(r"[;&<>`\n]|\$\(|\|\|", command)


def words_of(tool: str, given: Any) -> tuple[str, ...]:
    """Whatever in a call may name a file: short texts, and the words of a shell command."""
    if isinstance(given, str):
        return patched_files(given) or (given[:_MOST_CHARS],)
    if not isinstance(given, Mapping):
        return ()
    found = [text for text in given.values() if isinstance(text, str) and len(text) < _MOST_CHARS]
    if tool in SHELLS:
        # By everything that may stand around a file in a command: quotes, pipes, --option=file.
        found += re.split(r"[\s|;&<>()$`\"'=,{}]+", command_text(given)[:_MOST_COMMAND_CHARS])
        found += patched_files(command_text(given))
    elif "*** Begin Patch" in (patch := _patch_of(given)):
        found += patched_files(patch)
    return tuple(word for word in dict.fromkeys(found) if word)


def command_text(given: Mapping[str, Any]) -> str:
    """The shell command of a call, whichever key and form the host uses."""
    command = given.get("command", given.get("cmd", ""))
    if isinstance(command, list):
        words = [str(word) for word in command]
        return words[-1] if len(words) == 3 and words[1] in {"-c", "-lc"} else shlex.join(words)
    return command if isinstance(command, str) else ""


def _patch_of(given: Any) -> str:
    """The text of a patch: Codex's hooks put it where a command stands, others elsewhere."""
    if isinstance(given, Mapping):
        texts = [command_text(given), *(given.get(key) for key in ("input", "patch", "patchText"))]
        found = next((text for text in texts if isinstance(text, str) and text), "")
        return found or "\n".join(text for text in given.values() if isinstance(text, str))
    return given if isinstance(given, str) else str(given)


def patched_files(patch: str) -> tuple[str, ...]:
    """Files named by an apply_patch text."""
    found = (first or second for first, second in _PATCHED.findall(patch))
    return tuple(dict.fromkeys(path.strip() for path in found))[:_MOST]


def _of_shell(command: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if "*** Begin Patch" in command:
        return (), patched_files(command)
    # Only a plain `cat file`: pipes, redirects and substitutions say too little.
    if len(command) > 500 or re.search(r"[|;&<>$`\n]", command):
        return (), ()
    try:
        words = shlex.split(command)
    except ValueError:
        return (), ()
    if not words or words[0] not in _PRINTERS:
        return (), ()
    paths = [w for w in words[1:] if not w.startswith("-") and re.search(r"[./]", w)]
    return tuple(p for p in paths if not re.fullmatch(r"[\d,$]+p?", p))[:_MOST], ()
