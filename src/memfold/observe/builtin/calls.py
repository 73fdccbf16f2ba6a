"""Which kind of call a tool use is, whichever host's tool made it, and the edits it holds."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memfold.display import one_line
from memfold.records import ToolUse

MAX_SCAN = 200_000
_LINE_BYTES = 160

# Names are compared in lower case without `_` and `-`: hosts differ in little else.
SHELL, EDIT, READ, LOOK, PLAN, WAIT, SEARCH, FETCH, ASK, AGENT, OTHER = (
    "shell", "edit", "read", "look", "plan", "wait", "search", "fetch", "ask", "agent", "other",
)  # fmt: skip
_NAMES = {
    SHELL: "bash shell execcommand localshell runshellcommand runterminalcmd runterminalcommand"
    " runinterminal runcommand executecommand executebash powershell exec terminal shellcommand",
    EDIT: "edit multiedit write notebookedit writefile replace editfile applypatch createfile"
    " strreplaceeditor strreplacebasededittool searchreplace codeaction inserteditintofile create"
    " replacestringinfile writetofile replacefilecontent multireplacestringinfile patch str_replace"
    " updatefile deletefile strreplace proposecode multiedits",
    READ: "read notebookread readfile view viewfile readmanyfiles openfile getfile viewimage"
    " viewcodeitem",
    LOOK: "ls glob grep list listdir listdirectory searchfilecontent grepsearch filesearch find"
    " codebasesearch globfilesearch searchfiles findbyname semanticsearch rg toolsearch readlints",
    PLAN: "todowrite todoread updateplan taskcreate taskupdate tasklist taskget writetodos"
    " reportintent enterplanmode exitplanmode think updatetodos managetodolist skill",
    WAIT: "bashoutput killshell killbash writestdin wait readbash stopbash taskoutput sleep"
    " commandstatus awaitshell",
    SEARCH: "websearch googlewebsearch searchweb",
    FETCH: "webfetch fetch readurlcontent fetchwebpage",
    ASK: "askuserquestion askuser question askfollowupquestion requestuserinput",
    AGENT: "task agent spawnagent delegate subagent",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_OLD = ("old_string", "old_str", "oldString", "oldText", "old_text", "target_content")
_NEW = ("new_string", "new_str", "newString", "newText", "new_text", "replacement_content")
_WHOLE = ("content", "file_text", "contents", "text", "code_edit")
_PATHS = ("file_path", "path", "filePath", "notebook_path", "target_file", "absolute_path", "file")
_PATCH_FILE = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$")


@dataclass(frozen=True, slots=True)
class Change:
    """One replaced piece of a file. ``old`` is empty for a new file or where it is not known."""

    path: str
    old: str
    new: str
    within: str = ""  # the line that a patch names as the place: a function or a class


def kind_of(use: ToolUse) -> str:
    """One of the kinds above."""
    name = re.sub(r"[_-]", "", use.tool.rsplit("__", 1)[-1].rsplit(".", 1)[-1]).casefold()
    kind = _KINDS.get(name, OTHER)
    given = use.input if isinstance(use.input, Mapping) else {}
    if kind == EDIT and given.get("command") == "view":
        return READ  # one tool of several commands
    return kind


def command_of(use: ToolUse) -> str:
    """The shell command of a call, '' for other tools."""
    if kind_of(use) != SHELL:
        return ""
    if isinstance(use.input, str):
        return use.input
    if not isinstance(use.input, Mapping):
        return ""
    for key in ("command", "cmd", "CommandLine", "script"):
        value = use.input.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value:
            words = [str(word) for word in value]
            plain = len(words) == 3 and words[1] in {"-c", "-lc"}
            return words[-1] if plain else shlex.join(words)
    return ""


def output_of(use: ToolUse) -> str:
    """A call's result as text."""
    response = use.response
    if isinstance(response, Mapping):
        keys = ("stdout", "stderr", "content", "output", "result", "text", "error", "message")
        parts = [_text(response.get(key)) for key in keys]
        text = "\n".join(part for part in parts if part)
        return (text or json.dumps(response, ensure_ascii=False))[:MAX_SCAN]
    return _text(response)[:MAX_SCAN]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):  # blocks, as MCP tools answer
        blocks = [one.get("text") if isinstance(one, Mapping) else one for one in value]
        return "\n".join(one for one in blocks if isinstance(one, str))
    return ""


def changes_of(use: ToolUse) -> list[Change]:
    """The pieces that a successful edit replaced, as its own input says."""
    if not use.ok:
        return []
    given = use.input
    patch = _patch(given)
    if patch:
        return list(_of_patch(patch))
    if kind_of(use) != EDIT or not isinstance(given, Mapping):
        return []
    path = _first(given, _PATHS)
    several = given.get("edits", given.get("replacements", given.get("ReplacementChunks")))
    if isinstance(several, list):
        edits = [one for one in several if isinstance(one, Mapping)]
        return [
            Change(path or _first(one, _PATHS), _first(one, _OLD), _first(one, _NEW))
            for one in edits
        ]
    old, new = _first(given, _OLD), _first(given, _NEW)
    if old or new:
        return [Change(path, old, new)]
    before = use.response.get("originalFile") if isinstance(use.response, Mapping) else ""
    whole = _first(given, _WHOLE)
    return [Change(path, before if isinstance(before, str) else "", whole)] if whole else []


def _patch(given: Any) -> str:
    if isinstance(given, Mapping):
        values = [*given.values(), *(v[-1] for v in given.values() if isinstance(v, list) and v)]
        return next((v for v in values if isinstance(v, str) and "*** Begin Patch" in v), "")
    return given if isinstance(given, str) and "*** Begin Patch" in given else ""


def _of_patch(patch: str) -> Iterator[Change]:
    path, within = "", ""
    old: list[str] = []
    new: list[str] = []

    def piece() -> Iterator[Change]:
        if path and (old or new):
            yield Change(path, "\n".join(old), "\n".join(new), within)
        old.clear()
        new.clear()

    for line in patch[:MAX_SCAN].splitlines():
        named = _PATCH_FILE.match(line)
        if named or line.startswith(("@@", "*** ")):
            yield from piece()
            path = named.group(1).strip() if named else path
            within = line.strip("@ ").strip() if line.startswith("@@") else ""
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
    yield from piece()


def _first(given: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((v for key in keys if isinstance(v := given.get(key), str) and v), "")


def in_a_line(use: ToolUse) -> str:
    """The call as one line of at most 160 bytes: tool, what it was given, whether it failed."""
    given = use.input
    said = command_of(use)
    if not said and isinstance(given, Mapping):
        keys = (*_PATHS, "query", "pattern", "url", "description", "prompt")
        said = _first(given, keys)
    said = said or " ".join(use.files_changed or use.files_read)
    line = f"{use.tool} {said}" if said else use.tool
    return one_line(line, _LINE_BYTES) + ("" if use.ok else " (failed)")
